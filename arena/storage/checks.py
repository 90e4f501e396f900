"""`Checks`: what came of checking bots' programs against the protocol, in storage."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import Insert, distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.records import CheckOrigin, CheckOutcome, VersionId
from arena.storage.reading import Read
from arena.storage.statements import Row
from arena.storage.tables import conformance_checks
from arena.storage.transaction import transaction


@dataclass(frozen=True, slots=True)
class RecordedCheck:
    """The last check of a version."""

    outcome: CheckOutcome
    origin: CheckOrigin
    recorded_at: datetime


class Checks:
    """Records checks."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(
        self, version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome
    ) -> None:
        """Record a check in place of the version's earlier one of this origin. Raises
        DatabaseUnreachableError and RecordRefusedError."""
        async with transaction(self._engine) as connection:
            await connection.execute(_set_check(version_id, origin, outcome))

    async def last(self, versions: Collection[VersionId]) -> dict[VersionId, RecordedCheck]:
        """The last check of each of these versions that has one. Raises
        DatabaseUnreachableError."""
        async with transaction(self._engine) as connection:
            return _recorded((await connection.execute(_last_checks(versions))).all())


def last_checks(read: Read, versions: Collection[VersionId]) -> dict[VersionId, RecordedCheck]:
    """The last check of each of these versions that has one."""
    return _recorded(read(_last_checks(versions)) if versions else ())


def _recorded(rows: Sequence[Any]) -> dict[VersionId, RecordedCheck]:
    return {
        VersionId(row.version_id): RecordedCheck(
            CheckOutcome(row.edition, row.met, tuple(row.failed), tuple(row.skipped)),
            CheckOrigin(row.origin),
            row.recorded_at,
        )
        for row in rows
    }


def _set_check(version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome) -> Insert:
    found = {
        "edition": outcome.edition,
        "met": outcome.met,
        "failed": list(outcome.failed),
        "skipped": list(outcome.skipped),
        "recorded_at": func.now(),
    }
    return (
        insert(conformance_checks)
        .values(version_id=version_id, origin=origin.value, **found)
        .on_conflict_do_update(
            index_elements=[conformance_checks.c.version_id, conformance_checks.c.origin],
            set_=found,
        )
    )


def _last_checks(versions: Collection[VersionId]) -> Row:
    """All columns of the newest check of each of these versions."""
    return (
        select(conformance_checks)
        .ext(distinct_on(conformance_checks.c.version_id))
        .where(conformance_checks.c.version_id.in_(versions))
        .order_by(conformance_checks.c.version_id, conformance_checks.c.recorded_at.desc())
    )
