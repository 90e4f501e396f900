"""SQL about which bots are connected to which referee, so that referees know each other's bots."""

from collections.abc import Collection, Sequence
from typing import Any, Final, LiteralString

from sqlalchemy import ARRAY, Delete, Integer, Select, any_, delete, distinct, func, literal, select
from sqlalchemy import tuple_ as row_of

from arena.database.tables.running import leases, presence
from arena.records import Presence, VersionId

TELL: Final[LiteralString] = """
WITH gone AS (
    DELETE FROM presence USING unnest(%b::integer[], %b::text[]) AS given (version_id, instance)
    WHERE epoch = %b::bigint AND presence.version_id = given.version_id
        AND presence.instance = given.instance
)
INSERT INTO presence (epoch, version_id, instance, connected, places, seats, games)
SELECT %b::bigint, version_id, instance, connected, places, seats, string_to_array(games, ' ')
FROM unnest(%b::integer[], %b::text[], %b::boolean[], %b::smallint[], %b::smallint[], %b::text[])
    AS given (version_id, instance, connected, places, seats, games)
ON CONFLICT (epoch, version_id, instance) DO UPDATE
SET connected = excluded.connected, places = excluded.places, seats = excluded.seats,
    games = excluded.games
"""
"""The statement that writes all changes of a referee's presence at once."""


def told(epoch: int, here: Sequence[Presence], gone: Sequence[tuple[int, str]]) -> list[Any]:
    """Return the parameters of TELL: `here` are copies with their state, `gone` those that left."""
    columns = zip(*(_row(one) for one in here), strict=True) if here else ((),) * 6
    versions, instances = [version for version, _ in gone], [instance for _, instance in gone]
    return [versions, instances, epoch, epoch, *map(list, columns)]


def _row(one: Presence) -> tuple[Any, ...]:
    state = one.connected, one.places, one.seats
    return one.version_id, one.instance, *state, " ".join(one.games)


def forget(epoch: int) -> Delete:
    """Return a statement that removes the rows of a referee."""
    return delete(presence).where(presence.c.epoch == epoch)


def elsewhere(epoch: int, versions: Collection[VersionId]) -> Select[Any]:
    """Return a statement that selects the rows of these versions at the other running referees."""
    of_these = presence.c.version_id == any_(literal(list(versions), ARRAY(Integer)))
    at_others = presence.c.epoch != epoch, leases.c.released_at.is_(None)
    return select(presence).join(leases).where(*at_others, of_these)


def with_places_elsewhere(epoch: int, game: str, versions: Collection[VersionId]) -> Select[Any]:
    """Return a statement as `elsewhere`, limited to connected copies that can join a game."""
    can = presence.c.places > 0, literal(game) == any_(presence.c.games)
    return elsewhere(epoch, versions).where(presence.c.connected, *can)


def copies_connected() -> Select[Any]:
    """Return a statement that counts the connected copies, each once. Column: copies."""
    copy = row_of(presence.c.version_id, presence.c.instance)
    return select(func.count(distinct(copy)).label("copies")).where(presence.c.connected)


def youngest_with_bots_of_one_address(senior: int) -> Select[Any]:
    """Return a statement that selects the youngest referee with bots that are at no older one.

    Column: epoch, NULL if there is none. It scans all bots of the referees but the senior: too slow
    to be run with each renewal.
    """
    older = presence.alias()
    there = (
        select(older.c.epoch)
        .where(older.c.version_id == presence.c.version_id, older.c.connected)
        .where(older.c.instance == presence.c.instance, older.c.epoch < presence.c.epoch)
    )
    youngest = select(func.max(presence.c.epoch).label("epoch"))
    return youngest.where(presence.c.connected, presence.c.epoch > senior, ~there.exists())
