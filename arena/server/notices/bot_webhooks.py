"""`BotWebhooks`: the addresses to which notices of owners' bots are posted."""

from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import UnknownBotError, WebhookRefusedError
from arena.database.transaction import transaction
from arena.records import Owner
from arena.server.accounts import owner_statements
from arena.server.accounts.auditing import record
from arena.server.notices import notice_statements as statements
from arena.server.notices.webhooks import host_of, new_secret, require_public

MOST_WEBHOOKS: Final = 10
"""The most webhooks of an owner: each notice is posted to all of them."""


class BotWebhooks:
    """The owners' webhooks in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, owner: Owner, url: str, bot: str | None) -> str:
        """Deliver notices of an owner's bot, or of all, to an address from now on.

        Returns the secret that signs them. Raises UnknownBotError and WebhookRefusedError.
        """
        secret = new_secret(url)
        require_public(url)
        async with transaction(self._engine) as connection:
            await connection.execute(owner_statements.lock_owner(owner.id))
            bot_id = await _bot(connection, owner, bot)
            kept = (await connection.execute(statements.webhook_list(owner_id=owner.id))).all()
            if len(kept) >= MOST_WEBHOOKS:
                raise WebhookRefusedError(
                    f"You have {len(kept)} webhooks, and {MOST_WEBHOOKS} are allowed: remove one "
                    "first."
                )
            statement = statements.add_webhook(url, secret, owner_id=owner.id, bot_id=bot_id)
            if await connection.scalar(statement) is None:
                raise WebhookRefusedError("You have this webhook already.")
            subject = bot or owner.name
            await record(connection, owner.actor, "add webhook", subject, host_of(url))
        return secret

    async def of(self, owner: Owner) -> list[SqlRow[Any]]:
        """Return an owner's webhooks: rows of `notice_statements.webhook_list`."""
        async with transaction(self._engine) as connection:
            found = await connection.execute(statements.webhook_list(owner_id=owner.id))
            return list(found.all())

    async def remove(self, owner: Owner, url: str, bot: str | None) -> None:
        """Deliver nothing of a bot, or of all, to an address any more.

        Raises UnknownBotError and WebhookRefusedError.
        """
        async with transaction(self._engine) as connection:
            bot_id = await _bot(connection, owner, bot)
            statement = statements.remove_webhook(url, owner_id=owner.id, bot_id=bot_id)
            if await connection.scalar(statement) is None:
                raise WebhookRefusedError(
                    "You have no such webhook: `arena bot webhooks` lists yours."
                )
            subject = bot or owner.name
            await record(connection, owner.actor, "remove webhook", subject, host_of(url))


async def _bot(connection: AsyncConnection, owner: Owner, bot: str | None) -> int | None:
    """Return the id of an owner's bot; None for all. Raises UnknownBotError."""
    if bot is None:
        return None
    found: int | None = await connection.scalar(statements.owned_bot(owner.id, bot))
    if found is None:
        raise UnknownBotError(f"You have no bot {bot}: `arena bot list` shows yours.")
    return found
