"""`arena analyse --bot` on the matches of a database."""

import asyncio
import json
from contextlib import suppress
from datetime import timedelta

import pytest
import typer
from typer.testing import CliRunner

from arena.boards.kept_analyses import edition
from arena.commands.results.analyse import analyse
from arena.commands.results.keep_analyses import analyse_missing
from arena.storage.analyses import AnalysisQuery
from arena.storage.store import open_store
from tests.dashboard.played import fill
from tests.storage.log import forget_analyses, kept_analyses

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


def test_what_is_missing_is_analysed_once_and_then_what_comes(database: str) -> None:
    asyncio.run(fill(database, blocks=2, dice_per_player=1))
    asyncio.run(fill(database, blocks=1, seats=3, dice_per_player=1))
    asyncio.run(fill(database, blocks=1, game="bloeff"))
    assert run("--missing", "--seats", "2", "--jobs", "1") == (0, "Analysed 4 matches.")
    assert run("--missing", "--jobs", "2") == (0, "Analysed 3 matches.")
    assert run("--missing") == (0, "Analysed 0 matches.")


def test_two_processes_keep_the_same_analyses_and_sums_as_one(database: str) -> None:
    asyncio.run(fill(database, blocks=6, dice_per_player=1))
    assert run("--missing", "--jobs", "1") == (0, "Analysed 12 matches.")
    one = kept_analyses(database)
    forget_analyses(database)
    assert run("--missing", "--jobs", "2") == (0, "Analysed 12 matches.")
    assert kept_analyses(database) == one


async def test_matches_that_come_are_analysed_while_it_follows(database: str) -> None:
    # The matches of the test ended long ago.
    ever = timedelta(days=10_000)
    following = asyncio.create_task(
        analyse_missing(database, seats=2, jobs=1, follow=True, lately=ever)
    )
    async with open_store(database) as store, asyncio.timeout(60):
        for seed in (1, 2, 3):
            await fill(database, blocks=1, seed=seed, dice_per_player=1)
            while await store.analyses.missing(AnalysisQuery(edition(), ("bluff",))):
                assert not following.done()
                await asyncio.sleep(0.05)
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following


@pytest.mark.parametrize("words", [("--missing", "--bot", "a"), ("a.json", "--follow")])
def test_what_makes_no_sense_together_is_refused(words: tuple[str, ...]) -> None:
    code, text = run(*words)
    assert code == 2 and "--missing" in text


def test_a_bot_must_exist_and_something_be_named() -> None:
    code, text = run("--bot", "nobody")
    assert code == 2
    assert "--bot nobody: there is no such bot" in text
    code, text = run()
    assert code == 2
    assert "Give matches, files with matches, --bot NAME, or --missing" in text
