"""Which bots are connected to which referee, as the others know it."""

from dataclasses import replace

import psycopg

from arena.records import Presence, VersionId
from arena.server.app.referees_store import RefereesStore, open_referees_store


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
        assert await referee.tournaments.whereabouts("bluff", versions) == {at: {one}}
        assert await referee.tournaments.whereabouts("bloeff", versions) == {}
