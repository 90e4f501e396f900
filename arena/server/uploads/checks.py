"""Reading the recorded results of checking bots' programs against the protocol."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on

from arena.database.reading import Read
from arena.database.statement import Row
from arena.database.tables.bots import conformance_checks
from arena.records import CheckOrigin, CheckOutcome, VersionId


@dataclass(frozen=True, slots=True)
class RecordedCheck:
    """The last check of a version."""

    outcome: CheckOutcome
    origin: CheckOrigin
    recorded_at: datetime


def last_checks(read: Read, versions: Collection[VersionId]) -> dict[VersionId, RecordedCheck]:
    """Return the last check of each of these versions that has one."""
    return recorded(read(last_checks_of(versions)) if versions else ())


def recorded(rows: Sequence[Any]) -> dict[VersionId, RecordedCheck]:
    """Return the rows of `last_checks_of` as checks by version."""
    return {
        VersionId(row.version_id): RecordedCheck(
            CheckOutcome(row.edition, row.met, tuple(row.failed), tuple(row.skipped)),
            CheckOrigin(row.origin),
            row.recorded_at,
        )
        for row in rows
    }


def last_checks_of(versions: Collection[VersionId]) -> Row:
    """Select all columns of the newest check of each of these versions."""
    return (
        select(conformance_checks)
        .ext(distinct_on(conformance_checks.c.version_id))
        .where(conformance_checks.c.version_id.in_(versions))
        .order_by(conformance_checks.c.version_id, conformance_checks.c.recorded_at.desc())
    )
