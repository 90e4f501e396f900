"""`make new-game` begins with a game that works."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("arena", "dashboard", "docs", "proto", "sample_bots", "tests", "tools")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", "target", "*.tables")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which a game was begun."""
    copy = tmp_path_factory.mktemp("project")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=LEFT_OUT)
    for file in ("Makefile", "pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, copy)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    assert run(copy, "-m", "tools.new_game", "liars_poker").startswith("arena/games/liars_poker")
    return copy


def run(folder: Path, *words: str) -> str:
    """What Python prints, with the modules of a folder."""
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.slow
def test_a_new_game_keeps_the_contract_and_goes_over_the_wire(begun: Path) -> None:
    tests = ["tests/games/test_contract.py", "tests/codec", "tests/bridge/test_schemas.py"]
    words = ["-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, "-k", "liars_poker"]
    assert " passed" in run(begun, *words)


AT_A_REFEREE = """
import json, os, subprocess, sys

from arena.games import make_game
from arena.scheduling.ladder import TableType
from tests.scene import opened, playing


async def test_liars_poker(database, tmp_path):
    table = TableType("liars_poker", make_game("liars_poker").options, 2)
    async with opened(database, table) as scene:
        peers = [await scene.peer(name, games=["liars_poker"]) for name in ("one", "other")]
        async with playing(peers) as company:
            await company.go_on()
        rows = await scene.results("one")
    assert len(rows) >= 6
    assert {row.game for row in rows} == {"liars_poker"}
    assert sum(seat.faults for row in rows for seat in row.seats) == 0
    for words in (["export", "all.jsonl"], ["leaderboard", "--json", "--game", "liars_poker"]):
        done = subprocess.run(
            [sys.executable, "-m", "arena", *words],
            env=os.environ | {"ARENA_DATABASE_URL": database},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    assert {line["bot"] for line in json.loads(done.stdout)["ratings"]} == {"one", "other"}
"""


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_a_new_game_is_paired_rated_exported_and_on_the_leaderboard(begun: Path) -> None:
    (begun / "tests" / "test_at_a_referee.py").write_text(AT_A_REFEREE)
    words = ["-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "tests/test_at_a_referee.py"]
    assert "1 passed" in run(begun, *words)


@pytest.mark.slow
def test_a_new_game_is_checked_replayed_and_played_by_people(begun: Path) -> None:
    tests = [
        *("tests/conformance/test_misfits.py", "tests/dashboard/test_player.py"),
        *("tests/dashboard/test_playing.py", "tests/local/test_in_process.py"),
        *("tests/local/test_what_bots_return.py", "tests/games/test_games.py"),
        *("tests/match/test_rebuild.py", "tests/test_playthroughs.py"),
    ]
    words = ["-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests, "-k", "liars_poker"]
    assert " passed" in run(begun, *words)


@pytest.mark.slow
def test_a_new_game_is_clean_and_typed(begun: Path) -> None:
    run(begun, "-m", "ruff", "check", "arena/games", "tests/games")
    run(begun, "-m", "ruff", "format", "--check", "arena/games", "tests/games")
    run(begun, "-m", "mypy", "arena/games/liars_poker")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("skull", "there is a game skull already"),
        ("Liar's", "is no id of a game"),
        ("is", "is no id of a game: it is a word of Python"),
        ("chance", "is no id of a game: there is arena/games/chance.py"),
        ("transcript", "is no id of a game: there is proto/arena/v1/transcript.proto"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nothing_written(name: str, why: str) -> None:
    before = subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True)
    done = subprocess.run(
        [sys.executable, "-m", "tools.new_game", name], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1 and why in done.stderr
    after = subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True)
    assert after.stdout == before.stdout
