"""Remarks on versions for leaderboards: the last check, and whether the bot may play now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from arena.database.reading import Read
from arena.records import VersionId
from arena.server.accounts.bot_statements import halted
from arena.server.uploads.checks import RecordedCheck, last_checks


@dataclass(frozen=True, slots=True)
class Remark:
    """The last check and the halts of one version."""

    check: RecordedCheck | None = None
    """Its last check against the protocol."""
    frozen: bool = False
    """Whether the operator has frozen its bot."""
    paused: bool = False
    """Whether its owner has paused its bot."""


NO_REMARK: Final = Remark()
Remarks: TypeAlias = Mapping[VersionId, Remark]
"""Remarks by version; versions without any are absent."""


def remarks_of(read: Read, versions: Collection[VersionId]) -> Remarks:
    """Return the remarks on the given versions. Raises StorageError."""
    checks = last_checks(read, versions)
    halts = {row.version_id: row for row in read(halted(versions))} if versions else {}
    return {
        version: Remark(
            checks.get(version),
            version in halts and halts[version].frozen,
            version in halts and halts[version].paused,
        )
        for version in checks.keys() | halts.keys()
    }
