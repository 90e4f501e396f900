"""`Notes`: bots' notes to their answers, recorded with the results and read by owners.

The notes of a seat are stored as one zstd frame of `arena.codec.notes`. A bot's notes take at most
MOST_OF_A_BOT bytes: beyond this the oldest are dropped, but the sums of their usage are kept.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, LiteralString

import zstandard
from psycopg import AsyncConnection
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.codec.notes import notes_bytes, read_notes
from arena.database.statement import Row
from arena.database.tables.bots import bots
from arena.database.tables.matches import matches
from arena.database.tables.notes import match_notes
from arena.database.transaction import fetched
from arena.match.match_id import is_match_id
from arena.match.notes import Note, summed
from arena.records import FinishedMatch

MOST_OF_A_BOT: Final = 20_000_000
"""The most stored bytes of a bot's notes: some 10,000 matches with a line a turn."""

_MOST_DROPPED: Final = 1_000
"""The most notes of a bot that are dropped at once: more than a batch of results adds."""

_ADD: LiteralString = """
WITH added AS (
    INSERT INTO match_notes (match_id, seat, bot_id, measured, input_tokens, output_tokens,
                             cost_microusd, latency_ms, data)
    SELECT match_id, seat, bot_id, measured, input_tokens, output_tokens, cost_microusd,
           latency_ms, data
    FROM unnest(%b::uuid[], %b::smallint[], %b::integer[], %b::integer[], %b::bigint[],
                %b::bigint[], %b::bigint[], %b::bigint[], %b::bytea[])
        AS given (match_id, seat, version_id, measured, input_tokens, output_tokens,
                  cost_microusd, latency_ms, data)
    JOIN versions ON versions.id = version_id
    ON CONFLICT DO NOTHING
    RETURNING bot_id, octet_length(data) AS length
)
INSERT INTO bot_notes (bot_id, bytes)
SELECT bot_id, sum(length) FROM added GROUP BY bot_id ORDER BY bot_id
ON CONFLICT (bot_id) DO UPDATE SET bytes = bot_notes.bytes + excluded.bytes
"""

_MAKE_ROOM: LiteralString = """
WITH oldest AS (
    SELECT bot_id, match_id, seat, length
    FROM bot_notes CROSS JOIN LATERAL (
        SELECT match_id, seat, length, sum(length) OVER (ORDER BY number) - length AS before
        FROM (
            SELECT match_id, seat, number, octet_length(data) AS length FROM match_notes
            WHERE match_notes.bot_id = bot_notes.bot_id AND data IS NOT NULL
            ORDER BY number LIMIT %b
        ) AS first
    ) AS counted
    WHERE bot_id IN (SELECT bot_id FROM versions WHERE id = ANY(%b::integer[]))
        AND bytes > %b AND before < bytes - %b
), dropped AS (
    UPDATE match_notes SET data = NULL FROM oldest
    WHERE match_notes.match_id = oldest.match_id AND match_notes.seat = oldest.seat
    RETURNING oldest.bot_id, oldest.length
)
UPDATE bot_notes SET bytes = bytes - gone.length
FROM (SELECT bot_id, sum(length) AS length FROM dropped GROUP BY bot_id) AS gone
WHERE bot_notes.bot_id = gone.bot_id
"""


def note_columns(found: Iterable[FinishedMatch]) -> list[list[Any]]:
    """Return the parameters for the notes of matches; empty if there are none."""
    rows = [
        (
            *(match.transcript.setup.match_id, seat, match.version_ids[seat]),
            *(len(usages), *summed(usages)),
            zstandard.compress(notes_bytes(of_seat)),
        )
        for match in found
        for seat in sorted({note.seat for note in match.notes})
        for of_seat in [[note for note in match.notes if note.seat == seat]]
        for usages in [[note.usage for note in of_seat if note.usage is not None]]
    ]
    return [list(column) for column in zip(*rows, strict=True)]


async def write(
    connection: AsyncConnection[Any], columns: Sequence[list[Any]], most: int = MOST_OF_A_BOT
) -> None:
    """Record the notes of `note_columns` in the transaction that records their matches."""
    await connection.execute(_ADD, columns)
    await connection.execute(_MAKE_ROOM, [_MOST_DROPPED, columns[2], most, most])


def notes_of(match_id: str, owner_id: int | None) -> Row:
    """Return a statement that selects the notes of a match that an owner, or anybody, may read.

    Column: data. There is a row for each seat with notes, one row with NULL if there are no notes,
    and no row if there is no such match. Dropped notes are NULL too.
    """
    readable = or_(bots.c.shares_notes, bots.c.owner_id == owner_id)
    found = (
        select(match_notes.c.match_id, match_notes.c.data)
        .join(bots)
        .where(match_notes.c.match_id == match_id, readable)
        .subquery()
    )
    return (
        select(found.c.data)
        .select_from(matches.outerjoin(found, found.c.match_id == matches.c.id))
        .where(matches.c.id == match_id)
    )


def usage_of_matches(match_ids: Collection[str]) -> Row:
    """Return a statement that selects the sums of usage of matches, by seat with notes.

    Columns: match_id, seat, bot (its name), measured (the answers), input_tokens, output_tokens,
    cost_microusd, latency_ms.
    """
    return (
        select(match_notes.c.match_id, match_notes.c.seat, bots.c.name.label("bot"))
        .add_columns(match_notes.c.measured, match_notes.c.input_tokens)
        .add_columns(match_notes.c.output_tokens, match_notes.c.cost_microusd)
        .add_columns(match_notes.c.latency_ms)
        .join(bots)
        .where(match_notes.c.match_id.in_(match_ids))
        .order_by(match_notes.c.match_id, match_notes.c.seat)
    )


class Notes:
    """The notes in the database. Every method raises StorageError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of_match(self, match_id: str, owner_id: int | None) -> list[Note] | None:
        """Return the notes of a match that an owner, or anybody, may read, by turn and seat.

        None if there is no such match.
        """
        if not is_match_id(match_id):
            return None
        rows = await fetched(self._engine, notes_of(match_id, owner_id))
        found = [note for row in rows if row.data for note in unpack_notes(row.data)]
        return sorted(found, key=lambda note: (note.turn_number, note.seat)) if rows else None


def unpack_notes(data: bytes) -> list[Note]:
    """Return the notes of one seat in a match, in the order of its turns."""
    return read_notes(zstandard.decompress(data))
