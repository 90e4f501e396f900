"""Results of checking bots against the protocol: recording them, reading them, in words."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import Insert, distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.reading import Read
from arena.database.statement import Row
from arena.database.tables.bots import conformance_checks
from arena.database.transaction import fetched, transaction
from arena.records import EDITION, CheckOrigin, CheckOutcome, VersionId

_BY: Final = {CheckOrigin.AUTHOR: "its author", CheckOrigin.ARENA: "the arena"}

_WHY_NOT: Final = {CheckOrigin.ARENA: {"drain": "nobody asks a hosted bot to leave"}}
"""The reasons why scenarios are never tried, by origin of the check and by scenario."""


@dataclass(frozen=True, slots=True)
class RecordedCheck:
    """The last check of a version."""

    outcome: CheckOutcome
    origin: CheckOrigin
    recorded_at: datetime


def last_checks(read: Read, versions: Collection[VersionId]) -> dict[VersionId, RecordedCheck]:
    """Return the last checks of the given versions; a version without a check is left out."""
    return _recorded(read(_last_checks_of(versions)) if versions else ())


def _recorded(rows: Sequence[Any]) -> dict[VersionId, RecordedCheck]:
    return {
        VersionId(row.version_id): RecordedCheck(
            CheckOutcome(row.edition, row.met, tuple(row.failed), tuple(row.skipped)),
            CheckOrigin(row.origin),
            row.recorded_at,
        )
        for row in rows
    }


def _last_checks_of(versions: Collection[VersionId]) -> Row:
    """Select all columns of the newest check of each of these versions."""
    return (
        select(conformance_checks)
        .ext(distinct_on(conformance_checks.c.version_id))
        .where(conformance_checks.c.version_id.in_(versions))
        .order_by(conformance_checks.c.version_id, conformance_checks.c.recorded_at.desc())
    )


class Checks:
    """Records checks."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(
        self, version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome
    ) -> None:
        """Record a check; it replaces the version's earlier one of this origin.

        Raises DatabaseUnreachableError and RecordRefusedError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(set_check(version_id, origin, outcome))

    async def in_words(self, versions: Collection[VersionId]) -> dict[VersionId, str]:
        """Return a sentence on the last check of each given version that has one.

        Raises DatabaseUnreachableError.
        """
        found = _recorded(await fetched(self._engine, _last_checks_of(versions)))
        return {version: check_in_words(check) for version, check in found.items()}


def set_check(version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome) -> Insert:
    """Record a check; it replaces the version's earlier one of this origin."""
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


def check_in_words(check: RecordedCheck) -> str:
    """Return a sentence on who checked the version, when, and with what result."""
    outcome = check.outcome
    tried = outcome.met + len(outcome.failed)
    earlier = " of an earlier edition" if outcome.edition < EDITION else ""
    words = (
        f"Checked by {_BY[check.origin]} on {check.recorded_at:%Y-%m-%d}: "
        f"{outcome.met} of {tried} scenarios{earlier} met"
    )
    if outcome.failed:
        words += f"; failed: {', '.join(outcome.failed)}"
    if outcome.skipped:
        why_not = _WHY_NOT.get(check.origin, {})
        skipped = (
            f"{name} ({why_not[name]})" if name in why_not else name for name in outcome.skipped
        )
        words += f"; not tried: {', '.join(skipped)}"
    return f"{words}."


def check_json(check: RecordedCheck) -> dict[str, Any]:
    """Return the check as a JSON object."""
    return {
        "origin": check.origin.value,
        "recorded_at": check.recorded_at.isoformat(),
        **asdict(check.outcome),
    }


def check_mark(check: RecordedCheck) -> str:
    """Return the check's result in one or two words."""
    return f"{len(check.outcome.failed)} failed" if check.outcome.failed else "checked"
