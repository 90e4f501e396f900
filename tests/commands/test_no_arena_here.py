"""Commands in a folder that has no arena."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli import application


@pytest.mark.parametrize(
    "words",
    [
        ["leaderboard"],
        ["leaderboard", "--follow"],
        ["check-boards"],
        ["export", "matches.jsonl"],
        ["history"],
        ["matches", "--bot", "mine"],
        ["faults", "--bot", "mine"],
        ["verify", "01a20940-0000-7000-8000-000000000000"],
        ["transcript", "01a20940-0000-7000-8000-000000000000"],
        ["key"],
        ["audit"],
        ["analyse", "--missing"],
        ["luck", "--missing"],
        ["bot", "list", "--operator"],
        ["bot", "rotate", "mine", "--operator"],
        ["owner", "list"],
        ["owner", "ban", "me"],
        ["invite", "list"],
        ["worker", "list"],
        ["block", "void", "01a20940-0000-7000-8000-000000000000"],
        ["tournament", "list"],
        ["tournament", "start", "cup"],
        ["test", "new", "old", "--connected"],
        ["sample-bots"],
        ["work", "--token", "arena_worker_x"],
        ["health", "--all"],
    ],
)
def test_those_that_begin_none_say_where_to_go_and_make_nothing(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.delenv("ARENA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(application(words), words)
    assert result.exit_code == 2, result.output
    assert f"there is no arena in {tmp_path / '.arena'}: go to the folder" in result.stderr
    assert "or set ARENA_HOME to the .arena of it." in result.stderr
    assert not (tmp_path / ".arena").exists()


def test_one_that_begins_an_arena_says_where_it_makes_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    words = ["invite", "new"]
    first, second = (CliRunner().invoke(application(words), words) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    said = f"Making the database of a new arena in {tmp_path / 'home'}."
    assert said in first.stderr and said not in second.stderr
    assert len(first.stdout.split()) == 1
