"""SQL statements about the ladders of events, apart from the public one; callers execute them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Delete, Insert, TextClause, Uuid, cast, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.sql.dml import ReturningUpdate

from arena.builds.hosted import FINAL_TASK
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import (
    event_ladder_blocks,
    event_ladder_secrets,
    event_ladder_transcripts,
    event_ladders,
    event_players,
)
from arena.database.tables.matches import match_seats, matches, transcripts
from arena.database.tables.uploads import QUEUE_SCHEMA
from arena.server.events.event_statements import unfinished

blocks = event_ladder_blocks.c


def ladder(event_id: int, *, locked: bool = False) -> Row:
    """Select `house`, `pace` and `enough` of the ladder of an event, if it has one.

    With `locked`, other transactions that lock it wait until this one ends.
    """
    found = event_ladders.c
    row = select(found.house, found.pace, found.enough).where(found.event_id == event_id)
    return row.with_for_update() if locked else row


def unfinished_ladders() -> Row:
    """Select `id` of the events with a ladder that are neither released nor cancelled."""
    return unfinished().join(event_ladders)


def block(event_id: int, number: int) -> Row:
    """Select `players`, `ended_at` and `seed` of a block that has begun, and lock it."""
    return (
        select(blocks.players, blocks.ended_at, event_ladder_secrets.c.seed)
        .select_from(event_ladder_blocks.join(event_ladder_secrets))
        .where(blocks.event_id == event_id, blocks.number == number)
        .with_for_update(of=event_ladder_blocks)
    )


def begin_block(
    event_id: int, number: int, playing: Sequence[int], match_ids: Sequence[str]
) -> Insert:
    """Insert a block that begins."""
    return insert(event_ladder_blocks).values(
        event_id=event_id, number=number, players=list(playing), match_ids=list(match_ids)
    )


def end_block(event_id: int, number: int, values: Mapping[str, Any]) -> ReturningUpdate[Any]:
    """End a block unless it has ended; the statement returns its number."""
    return (
        update(event_ladder_blocks)
        .where(blocks.event_id == event_id, blocks.number == number, blocks.ended_at.is_(None))
        .values(ended_at=func.now(), **values)
        .returning(blocks.number)
    )


def keep_transcripts(event_id: int, number: int, written: Sequence[bytes]) -> Insert:
    """Insert the transcripts of a block."""
    return insert(event_ladder_transcripts).values(
        event_id=event_id, number=number, transcripts=list(written)
    )


def forget_transcripts(event_id: int, until: int) -> Delete:
    """Delete the transcripts of the blocks up to a number."""
    kept = event_ladder_transcripts.c
    return delete(event_ladder_transcripts).where(kept.event_id == event_id, kept.number <= until)


def played(event_id: int, among: Collection[int]) -> Row:
    """Select the played blocks with any of these players, oldest first.

    Columns: `number`, `players`, `placings`, `ended_at`.
    """
    return (
        select(blocks.number, blocks.players, blocks.placings, blocks.ended_at)
        .where(blocks.event_id == event_id, blocks.placings.is_not(None))
        .where(blocks.players.overlap(list(among)))
        .order_by(blocks.number)
    )


def meetings(event_id: int, player: int) -> Row:
    """Select each `player` that a player has met, itself included, and in how many `blocks`."""
    other = func.unnest(blocks.players).label("player")
    met = (
        select(other)
        .where(blocks.event_id == event_id, blocks.players.contains([player]))
        .subquery()
    )
    return select(met.c.player, func.count().label("blocks")).group_by(met.c.player)


def newest_blocks(event_id: int, *, bot: str | None, before: int | None, limit: int) -> Row:
    """Select the newest played blocks; only those of `bot` and before a number, if given.

    Columns: `number`, `players`, `placings`, `match_ids`, `ended_at`, `kept` (whether their
    transcripts are).
    """
    kept = event_ladder_transcripts
    found = (
        select(blocks.number, blocks.players, blocks.placings, blocks.match_ids, blocks.ended_at)
        .add_columns(kept.c.number.is_not(None).label("kept"))
        .select_from(event_ladder_blocks.outerjoin(kept))
        .where(blocks.event_id == event_id, blocks.placings.is_not(None))
        .order_by(blocks.number.desc())
        .limit(limit)
    )
    if before is not None:
        found = found.where(blocks.number < before)
    if bot is None:
        return found
    its = (
        select(func.array_agg(event_players.c.id))
        .outerjoin(versions, versions.c.id == event_players.c.version_id)
        .outerjoin(bots, bots.c.id == versions.c.bot_id)
        .where(event_players.c.event_id == event_id)
        .where(func.coalesce(bots.c.folded, event_players.c.house) == folded(bot))
        .scalar_subquery()
    )
    return found.where(blocks.players.op("&&")(func.coalesce(its, text("'{}'::integer[]"))))


def recorded_block(block_id: str) -> Row:
    """Select the matches of a recorded block, in the order of their positions.

    Columns: `match_id`, `placings` (by seat), and `format`, `sha256` and `data` of the transcript.
    """
    kept = transcripts.c
    placings = func.array_agg(aggregate_order_by(match_seats.c.placing, match_seats.c.seat))
    return (
        select(matches.c.id.label("match_id"), placings.label("placings"))
        .add_columns(kept.format, kept.sha256, kept.data)
        .select_from(
            matches.join(match_seats, match_seats.c.match_id == matches.c.id).join(
                transcripts, transcripts.c.match_id == matches.c.id
            )
        )
        .where(matches.c.block_id == block_id)
        .group_by(matches.c.id, kept.match_id)
        .order_by(matches.c.position)
    )


def transcript(event_id: int, match_id: str) -> Row:
    """Select `transcript`: the serialised transcript of a match of an event's ladder."""
    kept = event_ladder_transcripts.c
    place = func.array_position(blocks.match_ids, cast(match_id, Uuid(as_uuid=False)))
    return (
        select(kept.transcripts[place].label("transcript"))
        .select_from(event_ladder_blocks.join(event_ladder_transcripts))
        .where(blocks.event_id == event_id, blocks.placings.is_not(None))
        .where(blocks.match_ids.contains([match_id]))
    )


def in_hand(event_id: int) -> TextClause:
    """Select `blocks`: how many blocks of an event's ladder wait in the queue or are played."""
    return text(
        f"""
        SELECT (
            SELECT count(*) FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE status = 'todo' AND task_name = '{FINAL_TASK}'
                AND args @> jsonb_build_object(
                    'event_id', CAST(:event_id AS integer), 'round_number', 0)
        ) + (
            SELECT count(*) FROM event_ladder_blocks
            WHERE event_id = :event_id AND ended_at IS NULL
        ) AS blocks
        """  # noqa: S608  our own constants
    ).bindparams(event_id=event_id)


def lost_blocks(event_id: int) -> TextClause:
    """End the blocks that have begun but have no job any more; return their `players`."""
    return text(
        f"""
        UPDATE event_ladder_blocks AS block
        SET ended_at = now(), failure = 'No worker brought it to its end.'
        WHERE event_id = :event_id AND ended_at IS NULL AND NOT EXISTS (
            SELECT FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE status IN ('todo', 'doing') AND task_name = '{FINAL_TASK}'
                AND args @> jsonb_build_object(
                    'event_id', CAST(:event_id AS integer), 'round_number', 0,
                    'block_number', block.number)
        )
        RETURNING players
        """  # noqa: S608  our own constants
    ).bindparams(event_id=event_id)


def next_numbers(event_id: int, count: int, seconds: float) -> ReturningUpdate[Any]:
    """Take `count` numbers of blocks, `seconds` apart.

    The statement returns `queued`, the last of them, and `due_at`, when that one may begin.
    """
    begun = func.now() - _seconds(seconds)
    return (
        update(event_ladders)
        .where(event_ladders.c.event_id == event_id)
        .values(
            queued=event_ladders.c.queued + count,
            due_at=func.greatest(begun, event_ladders.c.due_at) + _seconds(count * seconds),
        )
        .returning(event_ladders.c.queued, event_ladders.c.due_at)
    )


def _seconds(seconds: float) -> Any:
    return func.make_interval(0, 0, 0, 0, 0, 0, seconds)
