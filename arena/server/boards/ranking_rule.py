"""`RankingRule`: which versions of a ladder are ranked, by the operator's policy.

Ratings are computed from all results; a version that is not ranked keeps its rating.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy import ARRAY, Integer, func, literal, select

from arena.database.reading import Read
from arena.database.statement import Row
from arena.database.tables.matches import match_seats
from arena.rating.ladder import Ladder
from arena.rating.ranks import places
from arena.records import VersionId
from arena.server.boards.board import BoardLine


@dataclass(frozen=True, slots=True)
class RankingRule:
    """The rule; house bots are always ranked."""

    newest: int | None = None
    """The number of each bot's newest versions on the ladder that are ranked; None for all."""
    days: int | None = None
    """The number of days within which a version must have played to be ranked; None for all."""

    def holds(self, read: Read, lines: Sequence[BoardLine]) -> bool:
        """Return whether the rule would still rank the same of the lines that it was applied to.

        This may change with time alone, as versions stop playing. Raises StorageError.
        """
        if self.days is None:
            return True
        return self._old(read, lines) == {line.version_id for line in lines if not line.ranked}

    def applied(
        self, read: Read, lines: Sequence[BoardLine], rated: Ladder[VersionId]
    ) -> tuple[BoardLine, ...]:
        """Return the lines of a fit, in its order, with their places among the ranked versions.

        Raises StorageError.
        """
        old = self._old(read, lines)
        ranked = [line.version_id not in old for line in lines]
        index = {bot: at for at, bot in enumerate(rated.intervals.fit.bots)}
        order = [index[line.version_id] for line in lines]
        return tuple(
            replace(line, **asdict(place), ranked=counts)
            for line, place, counts in zip(
                lines, places(rated.intervals, order, ranked), ranked, strict=True
            )
        )

    def _old(self, read: Read, lines: Sequence[BoardLine]) -> set[VersionId]:
        old: set[VersionId] = set()
        guests = sorted((line.version_id, line.bot) for line in lines if not line.house)
        if self.newest is not None:
            seen: Counter[str] = Counter()
            for version, bot in reversed(guests):
                seen[bot] += 1
                if seen[bot] > self.newest:
                    old.add(version)
        if self.days is not None:
            left = [version for version, _ in guests if version not in old]
            old.update(row.version for row in read(idle(left, self.days)))
        return old


def idle(versions: Collection[VersionId], days: int) -> Row:
    """Select `version`: the given versions whose last match ended more than `days` days ago."""
    version = func.unnest(literal(list(versions), ARRAY(Integer))).column_valued("version")
    # An index has the last match of a version at its end.
    last = (
        select(func.max(match_seats.c.finished_at))
        .where(match_seats.c.version_id == version)
        .scalar_subquery()
    )
    return select(version).where(last < func.now() - func.make_interval(0, 0, 0, days))
