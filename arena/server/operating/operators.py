"""`Operators`: owners and their bots as operators see them, with one transaction per method."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database.transaction import transaction
from arena.match.match_id import is_match_id
from arena.server.accounts.owners import Owners
from arena.server.operating import operator_statements as statements
from arena.server.operating.operator_statements import OwnersWith

MOST_IDENTICAL: Final = 20
"""The most other owners with the same build that are listed."""


@dataclass(frozen=True, slots=True)
class BotOverview:
    """A bot of an owner."""

    row: SqlRow[Any]
    """A row of `operator_statements.bots_of`."""
    identical_to: tuple[str, ...]
    """Other owners who have uploaded the same build."""


@dataclass(frozen=True, slots=True)
class OwnerOverview:
    """An owner with its bots."""

    row: SqlRow[Any]
    """A row of `operator_statements.owner_page`."""
    bots: Sequence[BotOverview]


class Operators:
    """What operators see. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine, owners: Owners) -> None:
        self._engine = engine
        self._owners = owners

    async def owners(
        self, prefix: str, kind: OwnersWith, invite: int, after: str, limit: int
    ) -> list[OwnerOverview]:
        """Return owners by name, beginning after the folded name `after`."""
        async with transaction(self._engine) as connection:
            page = statements.owner_page(prefix, kind, invite, after, limit)
            found = (await connection.execute(page)).all()
            ids = [row.id for row in found]
            bots = (await connection.execute(statements.bots_of(ids))).all() if ids else []
            hashes = {row.sha256 for row in bots if row.sha256 is not None}
            same = (await connection.execute(statements.owners_of_builds(hashes))).all()
        uploaded = defaultdict(list)
        for row in same:
            uploaded[row.sha256].append(row)
        of_owner = defaultdict(list)
        for row in bots:
            others = [one.owner for one in uploaded[row.sha256] if one.owner_id != row.owner_id]
            of_owner[row.owner_id].append(BotOverview(row, tuple(others[:MOST_IDENTICAL])))
        return [OwnerOverview(row, of_owner[row.id]) for row in found]

    async def void(self, block_or_match_id: str, actor: str, reason: str) -> None:
        """Exclude the matches of a block from all ratings, by its id or that of one of its matches.

        Raises NotFoundError, and WrongStateError for a block of a tournament.
        """
        block_id = block_or_match_id.strip().lower()
        if is_match_id(block_id):
            async with transaction(self._engine) as connection:
                found = await connection.scalar(statements.block_of(block_id))
            block_id = found or block_id
        await self._owners.void_block(block_id, actor, reason)
