"""Remarks on versions for leaderboards: last check, benchmark, and whether the bot may play."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from arena.database.reading import Read
from arena.records import VersionId
from arena.server.accounts.bot_statements import halted
from arena.server.results.benchmarks import BenchmarkFigure, figures
from arena.server.uploads.checks import RecordedCheck, last_checks


@dataclass(frozen=True, slots=True)
class Remark:
    """The last check, the benchmark and the halts of one version."""

    check: RecordedCheck | None = None
    """Its last check against the protocol."""
    frozen: bool = False
    """Whether the operator has frozen its bot."""
    paused: bool = False
    """Whether its owner has paused its bot."""
    banned: bool = False
    """Whether the operator has banned its owner."""
    benchmark: BenchmarkFigure | None = None
    """Its benchmark figure, where the ladder is of tables of two."""


NO_REMARK: Final = Remark()
Remarks: TypeAlias = Mapping[VersionId, Remark]
"""Remarks by version; versions without any are absent."""


def remarks_of(
    read: Read, versions: Collection[VersionId], game: str, seats: Collection[int]
) -> Remarks:
    """Return the remarks on the given versions on the ladder of a game and table sizes.

    Raises StorageError.
    """
    checks = last_checks(read, versions)
    measured = figures(read, versions, game, seats)
    halts = {row.version_id: row for row in read(halted(versions))} if versions else {}
    return {
        version: Remark(
            checks.get(version),
            version in halts and halts[version].frozen,
            version in halts and halts[version].paused,
            version in halts and halts[version].banned,
            measured.get(version),
        )
        for version in checks.keys() | halts.keys() | measured.keys()
    }
