"""`Retention`: removes transcripts of old matches, and old notices, by the policy.

A match's fault messages, kept analysis and notes are removed with its transcript. Results stay, and
so does everything of tournaments and events. `transcript_removals` has a row for each run; the
latest `until` in it is where the next run begins, so that no run looks at old matches again.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import structlog
from sqlalchemy import ColumnElement, exists, func, literal, select, text, true, tuple_, update
from sqlalchemy import Row as SqlRow
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.advisory_locks import AdvisoryLock
from arena.database.errors import StorageError
from arena.database.tables.matches import matches, transcript_removals
from arena.database.tables.policy import policy
from arena.database.tables.tournaments import tournament_blocks
from arena.database.transaction import transaction
from arena.server.notices.notice_statements import forget_notices

STEP_MATCHES: Final = 500
"""The matches of one transaction, which takes some tens of milliseconds."""
LOOK_SECONDS: Final = 3600.0
"""The interval between runs."""
WORK_SHARE: Final = 0.1
"""The share of the time in which a run works, so that it does not slow down play."""

_LOCK = """
SELECT FROM bot_notes
WHERE bot_id IN (SELECT bot_id FROM match_notes WHERE match_id = ANY(CAST(:ids AS uuid[])))
ORDER BY bot_id
FOR UPDATE
"""
"""Locks the sums of bots before their notes, as recording does; otherwise both may deadlock."""

_REMOVE = """
WITH gone AS (
    DELETE FROM transcripts WHERE match_id = ANY(CAST(:ids AS uuid[])) RETURNING octet_length(data)
), faults AS (
    DELETE FROM match_faults WHERE match_id = ANY(CAST(:ids AS uuid[]))
), analyses AS (
    DELETE FROM match_analyses WHERE match_id = ANY(CAST(:ids AS uuid[]))
    RETURNING octet_length(data)
), notes AS (
    DELETE FROM match_notes WHERE match_id = ANY(CAST(:ids AS uuid[]))
    RETURNING bot_id, coalesce(octet_length(data), 0) AS length
), less AS (
    UPDATE bot_notes SET bytes = bytes - gone.length
    FROM (SELECT bot_id, sum(length) AS length FROM notes GROUP BY bot_id) AS gone
    WHERE bot_notes.bot_id = gone.bot_id
)
SELECT (SELECT count(*) FROM gone) AS matches, (
    SELECT coalesce(sum(octet_length), 0)
    FROM (
        SELECT * FROM gone UNION ALL SELECT * FROM analyses
        UNION ALL SELECT length FROM notes
    ) AS freed
) AS bytes
"""

log = structlog.get_logger()


@dataclass(slots=True)
class Removed:
    """What a run has removed so far."""

    matches: int = 0
    bytes: int = 0
    """The size of the transcripts and analyses, as they were stored."""
    removal: int | None = None
    """The id of its row in `transcript_removals`."""
    done: datetime | None = None
    """The time of a match's end up to which earlier runs came."""
    after: tuple[datetime, Any] | None = None
    """The end and id of the last match that this run looked at."""


class Retention:
    """The removal of transcripts and notices. Its methods raise StorageError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self, look_seconds: float = LOOK_SECONDS) -> None:
        """Remove what is not kept any more, every `look_seconds`, until cancelled."""
        while True:
            try:
                removed = await self.run()
            except StorageError as error:
                log.warning("transcripts not removed", why=str(error))
            else:
                if removed.matches:
                    log.info("transcripts removed", matches=removed.matches, bytes=removed.bytes)
            try:
                await self.forget_notices()
            except StorageError as error:
                log.warning("notices not removed", why=str(error))
            await asyncio.sleep(look_seconds)

    async def run(self, step_matches: int = STEP_MATCHES) -> Removed:
        """Remove transcripts that are not kept any more, in steps; return what was removed."""
        removed = Removed()
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            if not await self._step(removed, step_matches):
                return removed
            await asyncio.sleep((clock() - began) * (1 / WORK_SHARE - 1))

    async def forget_notices(self) -> int:
        """Remove the notices that are not kept any more, with their deliveries; return how many."""
        async with transaction(self._engine) as connection:
            if not await _is_first(connection):
                return 0
            return len((await connection.execute(forget_notices())).all())

    async def _step(self, removed: Removed, most: int) -> bool:
        """Remove the transcripts of at most `most` matches; return whether more may follow."""
        async with transaction(self._engine) as connection:
            if not await _is_first(connection):
                return False
            found = await _next(connection, removed, most)
            if not found:
                return False
            ids = [str(row.id) for row in found if not row.of_tournament]
            await connection.execute(text(_LOCK), {"ids": ids})
            gone = (await connection.execute(text(_REMOVE), {"ids": ids})).one()
            removed.after = (found[-1].finished_at, found[-1].id)
            removed.matches += gone.matches
            removed.bytes += int(gone.bytes)
            if removed.done is None or removed.done < removed.after[0] or gone.matches:
                await _note(connection, removed)
        return len(found) == most


async def _is_first(connection: AsyncConnection) -> bool:
    """Take the lock for removing until the end of the transaction; return whether it was free."""
    lock = func.pg_try_advisory_xact_lock(AdvisoryLock.REMOVING_TRANSCRIPTS.value)
    return bool(await connection.scalar(select(lock)))


async def _next(connection: AsyncConnection, removed: Removed, most: int) -> list[SqlRow[Any]]:
    """Return the next matches that are too old for their transcripts to be kept, oldest first."""
    days = await connection.scalar(select(policy.c.transcript_days))
    if days is None:
        return []
    since: ColumnElement[bool] = true()
    if removed.after is not None:
        ended, match_id = removed.after
        last = tuple_(literal(ended), literal(match_id, matches.c.id.type))
        since = tuple_(matches.c.finished_at, matches.c.id) > last
    else:
        removed.done = await connection.scalar(select(func.max(transcript_removals.c.until)))
        if removed.done is not None:
            since = matches.c.finished_at >= removed.done
    of_one = exists().where(tournament_blocks.c.block_id == matches.c.block_id)
    old = (
        select(matches.c.id, matches.c.finished_at, of_one.label("of_tournament"))
        .where(since, matches.c.finished_at < func.now() - func.make_interval(0, 0, 0, days))
        .order_by(matches.c.finished_at, matches.c.id)
        .limit(most)
    )
    return list((await connection.execute(old)).all())


async def _note(connection: AsyncConnection, removed: Removed) -> None:
    assert removed.after is not None
    told = {"until": removed.after[0], "matches": removed.matches, "bytes": removed.bytes}
    if removed.removal is None:
        statement = insert(transcript_removals).values(told).returning(transcript_removals.c.id)
        removed.removal = await connection.scalar(statement)
    else:
        await connection.execute(
            update(transcript_removals)
            .where(transcript_removals.c.id == removed.removal)
            .values(told)
        )
