"""Commands that only read, in a folder that has no arena."""

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
    ],
)
def test_they_say_where_to_go_and_make_nothing(
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
