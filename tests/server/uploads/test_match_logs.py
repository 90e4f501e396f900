"""What a hosted bot printed in one match: the part of its shift's log from that time."""

from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms, Worker
from arena.database.errors import NotFoundError, WrongStateError
from arena.records import Allowance, FinishedMatch, Owner, VersionId
from arena.server.app.store import Store
from tests.jobs import job_in_hand
from tests.recorded_results import NOON, finished

LOG = "0.200 starts\n3.000 a\n9.800 b\n10.200 c\n16.000 d\n59.000 e\n"


@pytest.fixture
async def version(store: Store, owner: Owner, worker: Worker, database: str) -> VersionId:
    """Of a bot that was uploaded and accepted."""
    build = read_build("mine.py", b"pass")
    await store.builds.upload(owner, "mine", "", build, HostingTerms(), Allowance(50, 50, 50))
    (version,) = [one.id for one in await store.bots() if one.bot == "mine"]
    with job_in_hand(database, version_id=version):
        begun = await store.shifts.begin_check(worker, version)
        assert begun is not None
        await store.shifts.end(worker, begun.id, "", "", accepted=True)
    return version


async def shift(
    store: Store,
    worker: Worker,
    sql: psycopg.Connection,
    database: str,
    *,
    ended: bool = True,
    began: float = 0,
) -> None:
    """A shift of a minute, which began so many seconds after noon."""
    with job_in_hand(database, bot_id=1):
        begun = await store.shifts.begin_play(worker, 1, HostingTerms())
    assert begun is not None
    at = NOON + timedelta(seconds=began)
    sql.execute("UPDATE shifts SET began_at = %s WHERE id = %s", (at, begun.id))
    if ended:
        await store.shifts.end(worker, begun.id, "It played.", LOG, accepted=None)
        over = at + timedelta(minutes=1)
        sql.execute("UPDATE shifts SET ended_at = %s WHERE id = %s", (over, begun.id))


def match(version: VersionId, opponent: VersionId, start: float, end: float) -> FinishedMatch:
    """A match between two times, in seconds after noon."""
    times = [NOON + timedelta(seconds=one) for one in (start, end)]
    return replace(finished([version, opponent]), started_at=times[0], finished_at=times[1])


@pytest.fixture
async def opponent(store: Store) -> VersionId:
    return (await store.register("other", "somebody"))[0].version_id


def id_of(played: FinishedMatch) -> str:
    return played.transcript.setup.match_id


async def test_the_log_of_a_match_is_what_was_printed_from_its_start_to_its_end(
    store: Store,
    owner: Owner,
    worker: Worker,
    version: VersionId,
    opponent: VersionId,
    sql: psycopg.Connection,
    database: str,
) -> None:
    await shift(store, worker, sql, database, began=-100)
    await shift(store, worker, sql, database)
    played = match(version, opponent, 10, 15)
    await store.record([played, match(version, opponent, 20, 30)])
    found = await store.shift_logs.match_log(owner, "Mine", id_of(played).upper())
    # And a moment before and after.
    assert found.log == "9.800 b\n10.200 c\n"
    assert (found.version, found.shift_began_at, found.other_matches) == ("1", NOON, 0)
    assert (found.started_at, found.finished_at) == (played.started_at, played.finished_at)


async def test_it_is_said_how_many_other_matches_were_played_in_that_time(
    store: Store,
    owner: Owner,
    worker: Worker,
    version: VersionId,
    opponent: VersionId,
    sql: psycopg.Connection,
    database: str,
) -> None:
    await shift(store, worker, sql, database)
    played = match(version, opponent, 10, 15)
    beside = [(5, 9), (5, 11), (11, 12), (14, 58), (9, 59), (16, 17)]
    await store.record([played, *(match(version, opponent, *one) for one in beside)])
    assert (await store.shift_logs.match_log(owner, "mine", id_of(played))).other_matches == 4


async def test_why_there_is_no_log_is_said(
    store: Store,
    owner: Owner,
    worker: Worker,
    version: VersionId,
    opponent: VersionId,
    sql: psycopg.Connection,
    database: str,
) -> None:
    before, running = match(version, opponent, -60, -50), match(version, opponent, 10, 15)
    theirs = match(opponent, (await store.register("third", "x"))[0].version_id, 10, 15)
    await store.record([before, running, theirs])
    await shift(store, worker, sql, database, ended=False)
    with pytest.raises(WrongStateError, match="no log of this match: those of the last 10 shifts"):
        await store.shift_logs.match_log(owner, "mine", id_of(before))
    with pytest.raises(WrongStateError, match="The shift of this match still runs"):
        await store.shift_logs.match_log(owner, "mine", id_of(running))
    for bot, match_id in (("mine", id_of(theirs)), ("other", id_of(theirs)), ("mine", "%")):
        with pytest.raises(NotFoundError, match=f"You have no bot {bot} that played a match"):
            await store.shift_logs.match_log(owner, bot, match_id)
