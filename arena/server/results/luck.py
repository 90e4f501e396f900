"""The luck of matches in storage, measured when a match is recorded, or afterwards.

It is derived from transcripts with a table identified by its hash, so stored luck may be deleted at
any time and measured again. Recording a result never depends on it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import structlog
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.errors import TranscriptDamagedError
from arena.database.tables.matches import match_luck, matches
from arena.database.transaction import take_long, transaction
from arena.database.transcripts import Packed, unpack
from arena.executors import WorkPool
from arena.lab.luck import TableName, luck_of
from arena.match.transcript import Transcript
from arena.server.results.luck_statements import is_missing, without_luck

_AT_A_TIME = 500
"""The matches measured by one process in one transaction: some tenths of a second."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class MeasuredLuck:
    """The stored luck of a match."""

    match_id: str
    table: TableName
    seats: tuple[float, ...]
    """The luck by seat, in expected points."""


def measured(transcript: Transcript) -> MeasuredLuck | None:
    """Return the luck of a match; None for a game without a table, or if it cannot be measured."""
    try:
        luck = luck_of(transcript)
    except Exception:
        # The result matters more: it is recorded without luck, which can be measured later.
        log.exception("luck not measured", match=transcript.setup.match_id)
        return None
    if luck.table is None:
        return None
    return MeasuredLuck(transcript.setup.match_id, luck.table, luck.seats)


class Lucks:
    """The measurement of luck for matches that are recorded without it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def missing(self) -> int:
        """Return how many matches have a table for their game but no luck measured with it."""
        joined = matches.outerjoin(match_luck)
        found = select(func.count()).select_from(joined).where(is_missing())
        async with transaction(self._engine) as connection:
            await take_long(connection)
            return int((await connection.execute(found)).scalar_one())

    async def measure_missing(self, workers: WorkPool | None = None) -> AsyncIterator[bool]:
        """Measure the luck of all matches without it, in the processes of `workers` if given.

        Yields for each match whether it could be measured. If stopped, the next call continues from
        there.
        """
        last: str | None = None
        parts = 1 if workers is None else workers.count
        while True:
            async with transaction(self._engine) as connection:
                await take_long(connection)
                rows = (await connection.execute(without_luck(last, parts * _AT_A_TIME))).all()
                stored = [(row.match_id, Packed(*row[1:])) for row in rows]
                found = await _measured_by(workers, stored)
                known = [one for one in found if one is not None]
                if known:
                    ids = [one.match_id for one in known]
                    await connection.execute(
                        delete(match_luck).where(match_luck.c.match_id.in_(ids))
                    )
                    await connection.execute(_add(known))
                    # Boards may have read these matches without luck.
                    await connection.execute(select(func.advance_log_revision()))
            for one in found:
                yield one is not None
            if not rows:
                return
            last = rows[-1].match_id


_Stored: TypeAlias = Sequence[tuple[str, Packed]]
"""Match ids and transcripts."""


async def _measured_by(workers: WorkPool | None, stored: _Stored) -> list[MeasuredLuck | None]:
    if workers is None:
        return measured_again(stored)
    parts = [stored[at : at + _AT_A_TIME] for at in range(0, len(stored), _AT_A_TIME)]
    asked = [workers.executor.submit(measured_again, part) for part in parts]
    found = await asyncio.gather(*map(asyncio.wrap_future, asked))
    return list(chain.from_iterable(found))


def measured_again(stored: _Stored) -> list[MeasuredLuck | None]:
    """Return the luck of stored matches; None where it cannot be measured."""
    found: list[MeasuredLuck | None] = []
    for match_id, packed in stored:
        try:
            found.append(measured(unpack(packed)))
        except TranscriptDamagedError as error:
            log.warning("luck not measured", match=match_id, why=str(error))
            found.append(None)
    return found


def _add(found: Sequence[MeasuredLuck]) -> Insert:
    """Return a statement that adds luck; rows that a referee has stored meanwhile are kept."""
    rows = [
        {
            "match_id": one.match_id,
            "table_file": one.table.file,
            "table_sha256": bytes.fromhex(one.table.sha256),
            "luck": list(one.seats),
        }
        for one in found
    ]
    return insert(match_luck).values(rows).on_conflict_do_nothing()
