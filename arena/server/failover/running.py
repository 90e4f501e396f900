"""Running matches in the database: kept while they are played, read by the referee that continues.

Every decision is written, so a group is one statement, with one array for each column. The
statement is idempotent.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, LiteralString

import structlog
from psycopg import AsyncConnection
from sqlalchemy import ARRAY, ColumnElement, Row, Select, Uuid, any_, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection as SqlConnection

from arena.codec.kept import SeatReply, head_bytes, read_head, read_replies, reply_bytes
from arena.codec.notes import notes_bytes, read_notes
from arena.database.rows import registered_of
from arena.database.tables.matches import matches
from arena.database.tables.running import running_blocks, running_matches, running_replies
from arena.games import Options, OptionsError, UnknownGameError, make_game
from arena.match.clock import TimeControl
from arena.match.notes import Note
from arena.records import Block, BlockKind
from arena.server.accounts import bot_statements
from arena.server.play.kept_blocks import (
    BegunMatch,
    KeptBlock,
    KeptMatch,
    Place,
    RunningBlock,
    Unkept,
)

log = structlog.get_logger()

_KEEP: LiteralString = """
WITH lease AS MATERIALIZED (SELECT require_lease(%b::bigint)),
new_blocks AS (
    INSERT INTO running_blocks (epoch, id, kind, size, rated, engaged, game, options, places,
                                turn_ms, bank_ms)
    SELECT %b::bigint, given.*
    FROM unnest(%b::uuid[], %b::text[], %b::smallint[], %b::boolean[], %b::boolean[], %b::text[],
                %b::jsonb[], %b::jsonb[], %b::integer[], %b::integer[]) AS given
    ON CONFLICT DO NOTHING
), new_matches AS (
    INSERT INTO running_matches (id, block_id, position, started_at, head)
    SELECT * FROM unnest(%b::uuid[], %b::uuid[], %b::smallint[], %b::timestamptz[], %b::bytea[])
    ON CONFLICT DO NOTHING
), new_replies AS (
    INSERT INTO running_replies (match_id, first, replies, notes)
    SELECT * FROM unnest(%b::uuid[], %b::integer[], %b::bytea[], %b::bytea[])
    ON CONFLICT DO NOTHING
), over AS (
    SELECT unnest(%b::uuid[]) AS id
), old_replies AS (
    DELETE FROM running_replies USING running_matches, over
    WHERE match_id = running_matches.id AND block_id = over.id
), old_matches AS (
    DELETE FROM running_matches USING over WHERE block_id = over.id
), old_blocks AS (
    DELETE FROM running_blocks USING over WHERE running_blocks.id = over.id
)
SELECT FROM lease
"""
"""The statement that keeps a group; one statement for each table would cost several times more."""

_FORGET_REPLIES: LiteralString = "DELETE FROM running_replies WHERE match_id = ANY(%b::uuid[])"
_FORGET_MATCHES: LiteralString = "DELETE FROM running_matches WHERE id = ANY(%b::uuid[])"
_FORGET_REPLIES_OF_BLOCKS: LiteralString = """
DELETE FROM running_replies USING running_matches
WHERE match_id = running_matches.id AND block_id = ANY(%b::uuid[])
"""
_FORGET_MATCHES_OF_BLOCKS: LiteralString = (
    "DELETE FROM running_matches WHERE block_id = ANY(%b::uuid[])"
)
_FORGET_BLOCKS: LiteralString = "DELETE FROM running_blocks WHERE id = ANY(%b::uuid[])"
_FORGET_ORPHANS: LiteralString = """
DELETE FROM running_replies
WHERE NOT EXISTS (SELECT FROM running_matches WHERE running_matches.id = match_id)
"""
# Arrays let the planner look up few matches among many, whatever its statistics.
_RECORDED: LiteralString = """
SELECT coalesce(array_agg(id), '{}') FROM matches
WHERE id = ANY(ARRAY(SELECT id FROM running_matches))
"""


async def keep(connection: AsyncConnection[Any], epoch: int, unkept: Unkept) -> None:
    """Write a group, under the lease `epoch`."""
    replies = [
        (
            new.match_id,
            new.first,
            reply_bytes(new.game, new.replies),
            notes_bytes(new.notes) if new.notes else None,
        )
        for new in unkept.replies
    ]
    parameters = [
        *(epoch, epoch),
        *_columns(10, map(_block_row, unkept.blocks)),
        *_columns(5, map(_match_row, unkept.begun)),
        *_columns(4, replies),
        list(unkept.over),
    ]
    await connection.execute(_KEEP, parameters)


async def forget_matches(connection: AsyncConnection[Any], match_ids: Sequence[str]) -> None:
    """Remove running matches in the transaction that records them."""
    await connection.execute(_FORGET_REPLIES, [list(match_ids)])
    await connection.execute(_FORGET_MATCHES, [list(match_ids)])


async def forget_orphans(connection: AsyncConnection[Any]) -> None:
    """Remove replies of matches that are not kept.

    Only an error of ours leaves any: there is no foreign key, because checking it would cost more
    than the row.
    """
    await connection.execute(_FORGET_ORPHANS)


async def forget_recorded(connection: AsyncConnection[Any]) -> None:
    """Remove kept matches that were recorded by a referee that did not know they were kept."""
    row = await (await connection.execute(_RECORDED)).fetchone()
    assert row is not None
    await forget_matches(connection, row[0])


async def forget_blocks(connection: AsyncConnection[Any], block_ids: Sequence[str]) -> None:
    """Remove blocks that are over, with all of their kept matches."""
    for statement in (_FORGET_REPLIES_OF_BLOCKS, _FORGET_MATCHES_OF_BLOCKS, _FORGET_BLOCKS):
        await connection.execute(statement, [list(block_ids)])


async def read(connection: SqlConnection, block_ids: Collection[str]) -> list[KeptBlock]:
    """Return the given blocks, without those that are not kept or need a newer release."""
    rows = (await connection.execute(_blocks(block_ids))).all()
    found = [(row, options) for row in rows if (options := _options(row)) is not None]
    block_ids = [row.id for row, _ in found]
    playing = {version for row, _ in found for version, _ in row.places}
    versions = await connection.execute(bot_statements.versions_by_id(playing))
    registered = {row.id: registered_of(row) for row in versions}
    begun: dict[str, list[KeptMatch]] = {}
    given: dict[str, list[Row[Any]]] = {}
    for row in await connection.execute(_replies_of(block_ids)):
        given.setdefault(row.match_id, []).append(row)
    for row in await connection.execute(_matches_of(block_ids)):
        try:
            setup, opening = read_head(row.head)
            replies, notes = _unbroken(setup.game, given.get(row.id, ()))
        except Exception:
            # One match must not prevent the arena from starting.
            log.exception("kept match cannot be read; its block goes on without it", match=row.id)
            continue
        match = BegunMatch(setup, opening, row.block_id, row.position, row.started_at)
        begun.setdefault(row.block_id, []).append(KeptMatch(match, replies, notes))
    recorded: dict[str, set[int]] = {}
    of_blocks = select(matches.c.block_id, matches.c.position).where(
        matches.c.block_id.in_(block_ids)
    )
    for row in await connection.execute(of_blocks):
        recorded.setdefault(row.block_id, set()).add(row.position)
    return [
        KeptBlock(
            RunningBlock(
                Block(row.id, BlockKind(row.kind), row.size, row.rated),
                tuple(Place(registered[version], instance) for version, instance in row.places),
                row.game,
                options,
                row.engaged,
                TimeControl(row.turn_ms, row.bank_ms),
            ),
            frozenset(recorded.get(row.id, ())),
            tuple(begun.get(row.id, ())),
        )
        for row, options in found
    ]


def _options(block: Row[Any]) -> Options | None:
    """Return the block's options, or None if only a newer release knows them.

    Such a block stays unchanged, for a referee of that release.
    """
    try:
        options: Options = make_game(block.game, block.options).options
    except (UnknownGameError, OptionsError) as error:
        log.error("a block is left to a referee of a newer release", block=block.id, why=str(error))
        return None
    return options


def _unbroken(
    game: str, groups: Iterable[Row[Any]]
) -> tuple[tuple[SeatReply, ...], tuple[Note, ...]]:
    """Return the replies up to the first missing group, and the notes sent with them.

    The bots are asked again for later replies.
    """
    replies: list[SeatReply] = []
    notes: list[Note] = []
    for group in groups:
        if group.first != len(replies):
            break
        replies += read_replies(game, group.replies)
        notes += read_notes(group.notes or b"")
    return tuple(replies), tuple(notes)


def _blocks(block_ids: Collection[str]) -> Select[Any]:
    return (
        select(running_blocks)
        .where(_among(running_blocks.c.id, block_ids))
        .order_by(running_blocks.c.id)
    )


def _among(column: ColumnElement[str], block_ids: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a column is among these ids, with one parameter for all."""
    return column == any_(literal(list(block_ids), ARRAY(Uuid(as_uuid=False))))


def _matches_of(block_ids: Collection[str]) -> Select[Any]:
    """Return a statement that selects these blocks' matches, in the order of their positions."""
    return (
        select(running_matches)
        .where(_among(running_matches.c.block_id, block_ids))
        .order_by(running_matches.c.position)
    )


def _replies_of(block_ids: Collection[str]) -> Select[Any]:
    """Return a statement that selects the replies in these blocks, in the order given."""
    return (
        select(running_replies)
        .join(running_matches, running_replies.c.match_id == running_matches.c.id)
        .where(_among(running_matches.c.block_id, block_ids))
        .order_by(running_replies.c.match_id, running_replies.c.first)
    )


def _columns(count: int, rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    found = [list(column) for column in zip(*rows, strict=True)]
    return found or [[] for _ in range(count)]


def _block_row(running: RunningBlock) -> tuple[Any, ...]:
    block = running.block
    places = [[place.registered.version_id, place.instance] for place in running.places]
    return (
        *(block.id, block.kind.value, block.size, block.rated, running.engaged, running.game),
        *(json.dumps(running.options.changed()), json.dumps(places)),
        *(running.time_control.turn_ms, running.time_control.bank_ms),
    )


def _match_row(begun: BegunMatch) -> tuple[Any, ...]:
    head = head_bytes(begun.setup, begun.opening)
    return begun.setup.match_id, begun.block_id, begun.position, begun.started_at, head
