"""Referees know from the database which bots are connected to which, and where each is reached."""

import asyncio
from dataclasses import replace

import psycopg
from structlog.testing import capture_logs

from arena.database.async_engine import async_engine
from arena.database.transaction import transaction
from arena.records import Presence, VersionId
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.failover.lease import addresses
from arena.server.failover.presence import youngest_with_bots_of_one_address
from tests.waiting import until_async


def copy(version: VersionId, instance: str = "", places: int = 2) -> Presence:
    return Presence(version, instance, connected=True, places=places, seats=1, games=("bluff",))


async def test_what_a_referee_tells_of_its_bots_the_others_know_until_it_stops(
    database: str,
    referee: RefereesStore,
    versions: tuple[VersionId, ...],
    sql: psycopg.Connection,
) -> None:
    one, other, third = versions
    async with open_referees_store(database) as second:
        left, right = copy(one, "left"), copy(one, "right")
        await second.tell_presence([left, right, copy(other)], [], anew=True)
        assert await referee.presence_elsewhere([one, third]) == [left, right]
        assert await second.presence_elsewhere([one]) == []  # its own
        changed = replace(left, seats=0)
        await second.tell_presence([changed], [(one, "right")], anew=False)
        assert await referee.presence_elsewhere([one]) == [changed]
        await second.tell_presence([right], [], anew=True)
        assert await referee.presence_elsewhere([one, other]) == [right]
        # A copy at both counts once.
        await referee.tell_presence([right, copy(third)], [], anew=False)
        assert await referee.copies_connected() == 2
    assert await referee.presence_elsewhere([one]) == []
    await referee.lease.look()  # which takes over
    assert sql.execute("SELECT DISTINCT epoch FROM presence").fetchall() == [(referee.lease.epoch,)]


async def test_only_who_has_places_for_a_game_can_play_a_tournament_there(
    database: str, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    one, other, third = versions
    async with open_referees_store(database) as second:
        away = replace(copy(third), connected=False)
        await second.tell_presence([copy(one), copy(other, places=0), away], [], anew=True)
        at = second.lease.epoch
        assert await referee.tournament_bots.whereabouts("bluff", versions) == {at: {one}}
        assert await referee.tournament_bots.whereabouts("bloeff", versions) == {}


async def test_a_younger_referee_is_needed_by_bots_that_are_at_no_older_one(
    database: str, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    one, other, _ = versions
    engine, needed = async_engine(database), []
    async with open_referees_store(database) as second:
        await referee.tell_presence([copy(one), copy(other, "left")], [], anew=True)
        for more in ([], [copy(other, "right")]):
            await second.tell_presence([copy(one), *more], [], anew=True)
            async with transaction(engine) as connection:
                asked = youngest_with_bots_of_one_address(referee.lease.epoch)
                needed.append(await connection.scalar(asked))
        assert needed == [None, second.lease.epoch]
    await engine.dispose()


async def test_where_bots_reach_each_referee_is_known_from_the_database(
    database: str, referee: RefereesStore
) -> None:
    assert await addresses(database) == [None]
    await referee.lease.announce("first:1")
    assert await addresses(database) == ["first:1"]


async def test_why_a_lease_is_not_renewed_is_a_line_of_the_log_and_the_lease_is_kept(
    referee: RefereesStore, sql: psycopg.Connection
) -> None:
    sql.execute("ALTER TABLE leases RENAME TO away")
    keeping = asyncio.create_task(referee.lease.keep())
    try:
        with capture_logs() as log:
            referee.lease._news.set()
            await until_async(lambda: "lease not renewed" in [line["event"] for line in log])
        (why,) = {line["why"] for line in log if line["event"] == "lease not renewed"}
        assert why.endswith('relation "leases" does not exist')
        assert not keeping.done()
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])
        sql.execute("ALTER TABLE away RENAME TO leases")
