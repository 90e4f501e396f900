"""`Checks`: records what came of checking bots' programs against the protocol."""

from collections.abc import Collection

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.tables.bots import conformance_checks
from arena.database.transaction import fetched, transaction
from arena.records import CheckOrigin, CheckOutcome, VersionId
from arena.server.uploads.check_words import check_in_words
from arena.server.uploads.checks import last_checks_of, recorded


class Checks:
    """Records checks."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(
        self, version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome
    ) -> None:
        """Record a check in place of the version's earlier one of this origin.

        Raises DatabaseUnreachableError and RecordRefusedError.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(set_check(version_id, origin, outcome))

    async def in_words(self, versions: Collection[VersionId]) -> dict[VersionId, str]:
        """Return the last check of each of these versions that has one, in a sentence.

        Raises DatabaseUnreachableError.
        """
        found = recorded(await fetched(self._engine, last_checks_of(versions)))
        return {version: check_in_words(check) for version, check in found.items()}


def set_check(version_id: VersionId, origin: CheckOrigin, outcome: CheckOutcome) -> Insert:
    """Record a check in place of the version's earlier one of this origin."""
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
