"""Commands in a folder that has no arena."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import arena


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
        ["health", "--all"],
    ],
)
def test_those_that_begin_none_say_where_to_go_and_make_nothing(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.delenv("ARENA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    result = arena(*words)
    assert result.exit_code == 2, result.output
    assert_refused(result.stderr, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["sample-bots"], ["work", "--token", "arena_worker_x"]])
def test_so_do_those_that_run_until_they_are_stopped(words: list[str], tmp_path: Path) -> None:
    here = {k: v for k, v in os.environ.items() if k not in ("ARENA_DATABASE_URL", "ARENA_HOME")}
    command = (sys.executable, "-m", "arena", *words)
    # A process of its own, whose log and signals they set.
    done = subprocess.run(command, cwd=tmp_path, env=here, capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    assert_refused(done.stderr, tmp_path)


def assert_refused(said: str, folder: Path) -> None:
    assert f"there is no arena in {folder / '.arena'} yet: run `arena up`, go to the" in said
    assert "or set ARENA_HOME to the .arena of it." in said
    assert not (folder / ".arena").exists()


def test_while_an_arena_makes_its_database_they_say_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    with (tmp_path / "postgres.lock").open("w") as lock:  # as `arena up` holds it meanwhile
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = arena("leaderboard")
    assert result.exit_code == 2, result.output
    assert f"the arena in {tmp_path} is still starting: try again" in result.stderr


@pytest.mark.slow
def test_one_that_begins_an_arena_says_where_it_makes_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    words = ["invite", "new"]
    first, second = (arena(*words) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    said = f"Making the database of a new arena in {tmp_path / 'home'}."
    assert said in first.stderr and said not in second.stderr
    assert len(first.stdout.split()) == 1
