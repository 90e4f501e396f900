"""`arena analyse` on the matches of a database."""

import asyncio
import json
from contextlib import suppress
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import make_url
from structlog.testing import capture_logs

from arena.commands.results.keep_analyses import analyse_missing
from arena.games import GAMES
from arena.lab.analysis import analyse as analysis
from arena.lab.analysis import kept_form
from arena.match.transcript import Transcript
from arena.server.app.store import open_store
from arena.server.results.analyses import AnalysisQuery, FoundAnalysis
from arena.server.results.kept_analyses import edition
from tests.commands.running import arena
from tests.dashboard.played import fill
from tests.databases import administrator, execute, plain
from tests.ladder_log import forget_analyses, kept_analyses


@pytest.fixture(autouse=True)
def _database(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)


def run(*words: str) -> tuple[int, str]:
    done = arena("analyse", *words)
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.slow
def test_the_newest_matches_of_a_bot_are_summed_up(database: str) -> None:
    played = asyncio.run(fill(database, blocks=4, dice_per_player=1))
    its = [m for m in played if "alpha" in [e.bot for e in m.transcript.setup.entrants]]
    code, text = run("--bot", "alpha", "--json")
    assert code == 0
    assert json.loads(text)["matches"] == len(its)
    code, text = run("--bot", "alpha", "--limit", "2")
    assert code == 0
    assert "in 2 matches" in text


@pytest.mark.slow
def test_what_is_missing_is_analysed_once_and_then_what_comes(database: str) -> None:
    asyncio.run(fill(database, blocks=2, dice_per_player=1))
    asyncio.run(fill(database, blocks=1, seats=3, dice_per_player=1))
    asyncio.run(fill(database, blocks=1, game="bloeff"))
    assert run("--missing", "--seats", "2", "--jobs", "1") == (0, "Analysed 4 matches.")
    assert run("--missing", "--jobs", "2") == (0, "Analysed 3 matches.")
    assert run("--missing") == (0, "Analysed 0 matches.")


@pytest.mark.slow
def test_two_processes_keep_the_same_analyses_and_sums_as_one(database: str) -> None:
    asyncio.run(fill(database, blocks=6, dice_per_player=1))
    assert run("--missing", "--jobs", "1") == (0, "Analysed 12 matches.")
    one = kept_analyses(database)
    forget_analyses(database)
    assert run("--missing", "--jobs", "2") == (0, "Analysed 12 matches.")
    assert kept_analyses(database) == one


@pytest.mark.slow
async def test_matches_that_come_are_analysed_while_it_follows(database: str) -> None:
    (damaged, *_) = await fill(database, blocks=1, seed=9, dice_per_player=1)
    match_id = damaged.transcript.setup.match_id
    execute(database, "ALTER TABLE transcripts DISABLE TRIGGER USER")
    execute(database, f"UPDATE transcripts SET data = 'x' WHERE match_id = '{match_id}'")
    # The matches of the test ended long ago.
    ever = timedelta(days=10_000)
    following = asyncio.create_task(
        analyse_missing(database, seats=2, jobs=1, follow=True, overlap=ever)
    )
    with capture_logs() as log:
        async with open_store(database) as store, asyncio.timeout(60):
            for seed in (1, 2, 3):
                await fill(database, blocks=1, seed=seed, dice_per_player=1)
                while await store.analyses.missing(AnalysisQuery(edition(), ("bluff",))) > 1:
                    assert not following.done()
                    await asyncio.sleep(0.05)
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
    # Only the first look tried it.
    assert [one["match"] for one in log if one["event"] == "match not analysed"] == [match_id]


async def _keep_with_a_win_of_an_eighth(database: str, match: Transcript) -> None:
    """Keep an analysis that nobody would compute, so that it is seen where it is read."""
    notation = GAMES["bluff"].notation
    rows = json.loads(kept_form.to_json(analysis(match).decisions, notation))
    text = json.dumps([[*row[:7], 0.125, row[8]] for row in rows])
    kept = FoundAnalysis(match.setup.match_id, text, ((1, 0.0), (1, 0.0)))
    async with open_store(database) as store:
        await store.analyses.keep(edition(), [kept])


@pytest.mark.slow
def test_what_is_kept_is_read_and_not_computed(database: str) -> None:
    (*_, match) = asyncio.run(fill(database, blocks=1, dice_per_player=1))
    asyncio.run(_keep_with_a_win_of_an_eighth(database, match.transcript))
    bot = match.transcript.setup.entrants[0].bot
    code, text = run(match.transcript.setup.match_id.upper())
    assert code == 0
    assert text.count(" 12.5% ") == len(analysis(match.transcript).decisions)
    code, text = run("--bot", bot.upper(), "--limit", "1", "--json")
    assert code == 0
    assert json.loads(text)["loss"] == 0


def test_all_values_of_a_kept_match_are_still_printed(database: str) -> None:
    (match, *_) = asyncio.run(fill(database, blocks=1, dice_per_player=1))
    assert run("--missing", "--jobs", "1")[0] == 0
    code, text = run(match.transcript.setup.match_id, "--json")
    assert code == 0
    assert len(json.loads(text)["decisions"][0]["values"]) == 12


def test_what_was_computed_is_kept(database: str) -> None:
    match, *others = asyncio.run(fill(database, blocks=2, dice_per_player=1))
    assert run(match.transcript.setup.match_id)[0] == 0
    assert _missing(database) == len(others)
    bot = match.transcript.setup.entrants[0].bot
    assert run("--bot", bot)[0] == 0
    assert _missing(database) == sum(
        bot not in [one.bot for one in other.transcript.setup.entrants] for other in others
    )


def test_nothing_is_kept_beside_analyses_of_another_edition(database: str) -> None:
    """Or else its sums would go on to count a match that was replaced."""
    match, other, *_ = asyncio.run(fill(database, blocks=1, dice_per_player=1))

    async def keep_another() -> None:
        async with open_store(database) as store:
            kept = FoundAnalysis(other.transcript.setup.match_id, "[]", ((1, 0.5), (1, 0.0)))
            await store.analyses.keep("another", [kept])

    asyncio.run(keep_another())
    assert run(match.transcript.setup.match_id)[0] == 0
    assert _missing(database) == 2


@pytest.mark.parametrize("who", ["a user who may only read", "a database that is only read"])
def test_who_may_only_read_sees_analyses_and_keeps_none(
    database: str, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    match, *_ = asyncio.run(fill(database, blocks=1, dice_per_player=1))
    place = make_url(database)
    if who == "a user who may only read":
        execute(administrator(database), "DROP ROLE IF EXISTS visitor")
        execute(administrator(database), "CREATE ROLE visitor LOGIN PASSWORD 'visits'")
        execute(administrator(database), "GRANT arena_reader, pg_read_all_data TO visitor")
        place = place.set(username="visitor", password="visits")
    else:
        execute(database, f"ALTER DATABASE {place.database} SET default_transaction_read_only = on")
    monkeypatch.setenv("ARENA_DATABASE_URL", place.render_as_string(hide_password=False))
    code, text = run(match.transcript.setup.match_id)
    assert code == 0, text
    assert "mean loss" in text
    assert run("--bot", match.transcript.setup.entrants[0].bot)[0] == 0
    with psycopg.connect(plain(database)) as connection:
        (kept,) = connection.execute("SELECT count(*) FROM match_analyses").fetchone() or ()
    assert kept == 0


def test_a_match_that_is_not_there_is_named() -> None:
    code, text = run("12345678-1234-4234-8234-123456789012")
    assert code == 2
    assert "There is no match 12345678-1234-4234-8234-123456789012" in text


def _missing(database: str) -> int:
    async def count() -> int:
        async with open_store(database) as store:
            return await store.analyses.missing(AnalysisQuery(edition(), ("bluff",)))

    return asyncio.run(count())


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
