"""Stored analyses of matches, and their sums by version.

An analysis is derived from a transcript and the values of its edition, so stored analyses may be
deleted at any time and computed again. Analyses of another edition count as missing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

import psycopg
import zstandard
from sqlalchemy import Select, Text, and_, cast, delete, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.statement import Row
from arena.database.tables.analyses import match_analyses, version_losses
from arena.database.tables.matches import matches, transcripts
from arena.database.transaction import driver_of, take_long, transaction
from arena.database.transcripts import Packed
from arena.rating.ladder_id import LadderId

_KEEP: LiteralString = """
INSERT INTO match_analyses AS kept (match_id, edition, data)
SELECT match_id, %s, data FROM unnest(%b::uuid[], %b::bytea[]) AS given (match_id, data)
ORDER BY match_id
ON CONFLICT (match_id) DO UPDATE SET edition = EXCLUDED.edition, data = EXCLUDED.data
WHERE kept.edition <> EXCLUDED.edition
RETURNING match_id
"""

_ADD: LiteralString = """
INSERT INTO version_losses AS sums (version_id, game, options, seat_count, turn_ms, bank_ms,
    edition, matches, decisions, loss, decisions_squares, loss_squares, products)
SELECT version_id, game, options, seat_count, turn_ms, bank_ms, %s,
    count(*), sum(decisions), sum(loss), sum(decisions * decisions), sum(loss * loss),
    sum(decisions * loss)
FROM (
    SELECT match_id, version_id, sum(decisions) AS decisions, sum(loss) AS loss
    FROM unnest(%b::uuid[], %b::smallint[], %b::integer[], %b::double precision[])
        AS given (match_id, seat, decisions, loss)
        JOIN match_seats USING (match_id, seat)
    WHERE match_id = ANY(%b::uuid[])
    GROUP BY match_id, version_id
    HAVING sum(decisions) > 0
) AS by_match JOIN matches ON matches.id = match_id
GROUP BY version_id, game, options, seat_count, turn_ms, bank_ms
ORDER BY version_id, game, options, seat_count, turn_ms, bank_ms
ON CONFLICT (version_id, game, options, seat_count, turn_ms, bank_ms, edition) DO UPDATE
SET matches = sums.matches + EXCLUDED.matches, decisions = sums.decisions + EXCLUDED.decisions,
    loss = sums.loss + EXCLUDED.loss,
    decisions_squares = sums.decisions_squares + EXCLUDED.decisions_squares,
    loss_squares = sums.loss_squares + EXCLUDED.loss_squares,
    products = sums.products + EXCLUDED.products
"""

_MAY_ADD: LiteralString = """
SELECT current_setting('transaction_read_only') = 'off'
    AND bool_and(has_table_privilege(name, 'INSERT') AND has_table_privilege(name, 'UPDATE'))
    AND NOT EXISTS (SELECT FROM version_losses WHERE edition <> %s)
FROM unnest(ARRAY['match_analyses', 'version_losses']) AS name
"""


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """A filter for the matches to analyse."""

    edition: str
    games: Sequence[str]
    seats: int | None = None
    """The number of seats; None for all."""
    since: datetime | None = None
    """The earliest time at which the matches ended; None for all."""


@dataclass(frozen=True, slots=True)
class Unanalysed:
    """A recorded match without an analysis."""

    match_id: str
    finished_at: datetime
    transcript: Packed


@dataclass(frozen=True, slots=True)
class FoundAnalysis:
    """A new analysis to keep."""

    match_id: str
    text: str
    """The text that `arena.lab.analysis.kept_form` wrote."""
    seats: tuple[tuple[int, float], ...]
    """The number of decisions with values, and their total cost, by seat."""


class Analyses:
    """The store of analyses, which also finds the matches that have none."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def forget_others(self, edition: str) -> None:
        """Delete the sums of other editions: their analyses will be replaced one by one."""
        async with transaction(self._engine) as connection:
            await connection.execute(
                delete(version_losses).where(version_losses.c.edition != edition)
            )

    async def missing(self, wanted: AnalysisQuery) -> int:
        """Return how many of the wanted matches have no analysis."""
        found = _missing(select(func.count(matches.c.id)), wanted)
        async with transaction(self._engine) as connection:
            await take_long(connection)
            return int((await connection.execute(found)).scalar_one())

    async def next_missing(
        self, wanted: AnalysisQuery, before: Unanalysed | None, limit: int
    ) -> list[Unanalysed]:
        """Return the newest wanted matches without an analysis, all before `before` if given."""
        columns = (transcripts.c.format, transcripts.c.sha256, transcripts.c.data)
        chosen = select(cast(matches.c.id, Text).label("match_id"), matches.c.finished_at, *columns)
        chosen = chosen.join(transcripts, transcripts.c.match_id == matches.c.id)
        place = tuple_(matches.c.finished_at, matches.c.id)
        found = _missing(chosen, wanted)
        found = found.order_by(matches.c.finished_at.desc(), matches.c.id.desc()).limit(limit)
        if before is not None:
            found = found.where(
                place < tuple_(before.finished_at, literal(before.match_id, matches.c.id.type))
            )
        async with transaction(self._engine) as connection:
            await take_long(connection)
            rows = (await connection.execute(found)).all()
        return [Unanalysed(row.match_id, row.finished_at, Packed(*row[2:])) for row in rows]

    async def keep(self, edition: str, found: Sequence[FoundAnalysis]) -> None:
        """Keep analyses and add them to the sums, except those that others have kept meanwhile."""
        async with transaction(self._engine) as connection:
            await _keep(await driver_of(connection), edition, found)

    async def add(self, edition: str, found: Sequence[FoundAnalysis]) -> None:
        """Keep analyses if this is allowed, else do nothing.

        It is allowed if this database user may write, and there are no sums of other editions,
        which only `forget_others` deletes.
        """
        async with transaction(self._engine) as connection:
            driver = await driver_of(connection)
            cursor = await driver.execute(_MAY_ADD, [edition])
            if await cursor.fetchone() == (True,):
                await _keep(driver, edition, found)


def kept_analyses(edition: str, match_ids: Collection[str]) -> Row:
    """Return a statement that selects the kept analyses of these matches.

    Columns: match_id, game, data.
    """
    of = match_analyses.c
    return (
        select(cast(of.match_id, Text).label("match_id"), matches.c.game, of.data)
        .join(matches, matches.c.id == of.match_id)
        .where(of.edition == edition, of.match_id.in_(match_ids))
    )


def unpacked(data: bytes) -> bytes:
    """Return the text that was kept."""
    return zstandard.ZstdDecompressor().decompress(data)


def losses(edition: str, ladder: LadderId) -> Row:
    """Return a statement that selects the sums of all versions at the tables of a ladder.

    Columns: version_id, and the sums of `version_losses`.
    """
    of, control = version_losses.c, ladder.time_control
    sums = (of.matches, of.decisions, of.loss, of.decisions_squares, of.loss_squares, of.products)
    return (
        # Postgres gives sums of whole numbers another type.
        select(of.version_id, *(cast(func.sum(one), one.type).label(one.name) for one in sums))
        .where(
            of.edition == edition,
            of.game == ladder.game,
            of.options == ladder.option_values,
            of.seat_count.in_(ladder.seats),
            of.turn_ms == control.turn_ms,
            of.bank_ms == control.bank_ms,
        )
        .group_by(of.version_id)
    )


def _missing(chosen: Select[Any], wanted: AnalysisQuery) -> Select[Any]:
    kept = and_(
        match_analyses.c.match_id == matches.c.id, match_analyses.c.edition == wanted.edition
    )
    found = chosen.outerjoin(match_analyses, kept).where(
        match_analyses.c.match_id.is_(None), matches.c.game.in_(wanted.games)
    )
    if wanted.seats is not None:
        found = found.where(matches.c.seat_count == wanted.seats)
    if wanted.since is not None:
        found = found.where(matches.c.finished_at >= wanted.since)
    return found


async def _keep(
    driver: psycopg.AsyncConnection[Any], edition: str, found: Sequence[FoundAnalysis]
) -> None:
    pack = zstandard.ZstdCompressor().compress
    ids = [one.match_id for one in found]
    rows = [
        (one.match_id, seat, decisions, loss)
        for one in found
        for seat, (decisions, loss) in enumerate(one.seats)
    ]
    data = [pack(one.text.encode()) for one in found]
    cursor = await driver.execute(_KEEP, [edition, ids, data])
    added = [row[0] for row in await cursor.fetchall()]
    columns = [list(column) for column in zip(*rows, strict=True)]
    await driver.execute(_ADD, [edition, *columns, added])
