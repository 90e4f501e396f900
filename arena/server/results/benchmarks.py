"""Benchmark figures of versions: measured by the operator from recorded matches, and kept."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.reading import Read
from arena.database.statement import Row
from arena.database.tables.analyses import version_benchmarks
from arena.database.tables.bots import bots, versions
from arena.database.tables.matches import match_seats, matches
from arena.database.transaction import transaction
from arena.database.transcripts import unpack
from arena.match.transcript import Transcript
from arena.records import VersionId
from arena.server.results.statements import Selection, all_matches, transcripts_of


@dataclass(frozen=True, slots=True)
class BenchmarkFigure:
    """The share that a version wins against the certified house bot, at tables of two."""

    matches: int
    share: float
    """The share of matches, 0 to 1; `low` and `high` are the ends of its 95 % interval."""
    low: float
    high: float
    measured_at: datetime


def figures(
    read: Read, of: Collection[VersionId], game: str, seats: Collection[int]
) -> Mapping[VersionId, BenchmarkFigure]:
    """Return the kept figures of versions at a ladder's tables. Raises StorageError."""
    if not of or 2 not in seats:
        return {}
    kept = version_benchmarks.c
    columns = kept.matches, kept.share, kept.low, kept.high, kept.measured_at
    found = select(kept.version_id, *columns).where(kept.version_id.in_(of), kept.game == game)
    return {VersionId(row.version_id): BenchmarkFigure(*row[1:]) for row in read(found)}


def against_house(
    read: Read, version_id: VersionId, game: str, bots: Collection[str]
) -> Iterator[Transcript]:
    """Yield the rated matches at tables of two between a version and house bots.

    Raises StorageError and TranscriptDamagedError.
    """
    return map(unpack, read(_matches_against(version_id, game, bots)))


class Benchmarks:
    """The store of figures."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(
        self,
        version_id: VersionId,
        game: str,
        *,
        matches: int,
        share: float,
        low: float,
        high: float,
    ) -> None:
        """Keep a version's figure in a game; it replaces an earlier one."""
        found = {"matches": matches, "share": share, "low": low, "high": high}
        found_now = found | {"measured_at": func.now()}
        keeping = insert(version_benchmarks).values(version_id=version_id, game=game, **found_now)
        async with transaction(self._engine) as connection:
            await connection.execute(
                keeping.on_conflict_do_update(index_elements=["version_id", "game"], set_=found_now)
            )


def _matches_against(version_id: VersionId, game: str, names: Collection[str]) -> Row:
    own = select(match_seats.c.match_id).where(match_seats.c.version_id == version_id)
    house = select(versions.c.id).join(bots).where(bots.c.house, bots.c.name.in_(names))
    other = select(match_seats.c.match_id).where(match_seats.c.version_id.in_(house))
    found = all_matches(Selection(game, seat_counts=range(2, 3), rated=True))
    return transcripts_of(found.where(matches.c.id.in_(own), matches.c.id.in_(other)))
