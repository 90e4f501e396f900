"""`arena analyse --bot` on the matches of a database."""

import asyncio
import json

import pytest
import typer
from typer.testing import CliRunner

from arena.commands.results.analyse import analyse
from tests.dashboard.played import fill

app = typer.Typer()
app.command()(analyse)


@pytest.fixture(autouse=True)
def _database(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, words)
    return done.exit_code, " ".join(done.output.split())


def test_the_newest_matches_of_a_bot_are_summed_up(database: str) -> None:
    played = asyncio.run(fill(database, blocks=4, dice_per_player=1))
    its = [m for m in played if "alpha" in [e.bot for e in m.transcript.setup.entrants]]
    code, text = run("--bot", "alpha", "--json")
    assert code == 0
    assert json.loads(text)["matches"] == len(its)
    code, text = run("--bot", "alpha", "--limit", "2")
    assert code == 0
    assert "in 2 matches" in text


def test_a_bot_must_exist_and_something_be_named() -> None:
    code, text = run("--bot", "nobody")
    assert code == 2
    assert "--bot nobody: there is no such bot" in text
    code, text = run()
    assert code == 2
    assert "Give matches, files with matches, or --bot NAME" in text
