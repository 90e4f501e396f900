"""`Paces`: how many rated matches an hour single bots may begin, one transaction per method.

Connected bots learn of a change as of a token that has ended.
"""

from typing import Any

from sqlalchemy import Row, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import UnknownBotError
from arena.database.tables.bots import bots
from arena.database.transaction import transaction
from arena.records import Owner
from arena.server.accounts import bot_statements, registering
from arena.server.accounts.auditing import record


class Paces:
    """The paces of bots; None is any number. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def wish(self, owner: Owner, bot: str, pace: int | None) -> None:
        """Set the pace that an owner wishes for a bot. Raises UnknownBotError."""
        async with transaction(self._engine) as connection:
            found = (await connection.execute(bot_statements.bot_named(bot))).one_or_none()
            if found is None or found.owner_id != owner.id:
                raise UnknownBotError(f"You have no bot {bot}: `arena bot list` shows yours.")
            await _set(connection, found, owner.actor, pace=pace)

    async def allow(self, bot: str, pace: int | None, actor: str) -> None:
        """Set the pace that the operator allows a bot; None for that of the policy.

        Raises UnknownBotError.
        """
        async with transaction(self._engine) as connection:
            await registering.versions_named(connection, bot, None)
            found = (await connection.execute(bot_statements.bot_named(bot))).one()
            await _set(connection, found, actor, most_pace=pace)


async def _set(connection: AsyncConnection, bot: Row[Any], actor: str, **pace: int | None) -> None:
    versions = await registering.versions_named(connection, bot.name, None)
    await connection.execute(update(bots).where(bots.c.id == bot.id).values(pace))
    await connection.execute(bot_statements.tell_tokens([row.id for row in versions]))
    ((kind, number),) = pace.items()
    details = {kind: "max" if number is None else number}
    await record(connection, actor, "set pace", bot.name, details)
