"""`Webhooks` and `BotWebhooks`: the addresses to which notices are posted."""

import base64
import secrets
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.errors import RequestRefusedError
from arena.database.transaction import fetched, transaction
from arena.records import Owner
from arena.server.accounts import look_ups
from arena.server.accounts.auditing import record
from arena.server.notices import notice_statements as statements
from arena.server.notices.posting import is_public

_LONGEST_ADDRESS: Final = 1_000
_SECRET_BYTES: Final = 24
MOST_OF_ORGANISERS: Final = 10
"""The most webhooks that the organisers of an event may add to it."""
MOST_WEBHOOKS: Final = 10
"""The most webhooks of an owner: each notice is posted to all of them."""


class Webhooks:
    """The webhooks of events in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(
        self, event_id: int, event: str, url: str, actor: str, *, public_only: bool = False
    ) -> str:
        """Deliver an event's notices to an address from now on; return the secret that signs them.

        With `public_only` the address must be on the public internet. Raises RequestRefusedError.
        """
        secret = _new_secret(url)
        if public_only:
            _require_public(url)
        async with transaction(self._engine) as connection:
            if public_only:
                await connection.execute(statements.lock_event(event_id))
                kept = statements.webhook_list(event_id=event_id, public_only=True)
                if len((await connection.execute(kept)).all()) >= MOST_OF_ORGANISERS:
                    raise RequestRefusedError(
                        f"{event} has {MOST_OF_ORGANISERS} webhooks of its organisers, the most "
                        "allowed: remove one first."
                    )
            statement = statements.add_webhook(
                url, secret, event_id=event_id, public_only=public_only
            )
            if await connection.scalar(statement) is None:
                raise RequestRefusedError(f"{event} has this webhook already.")
            await record(connection, actor, "add webhook", event, _host_of(url))
        return secret

    async def of_event(self, event_id: int, *, public_only: bool = False) -> list[SqlRow[Any]]:
        """Return an event's webhooks: rows of `notice_statements.webhook_list`."""
        listed = statements.webhook_list(event_id=event_id, public_only=public_only)
        return list(await fetched(self._engine, listed))

    async def remove(
        self, event_id: int, event: str, url: str, actor: str, *, public_only: bool = False
    ) -> None:
        """Stop delivering an event's notices to an address. Raises RequestRefusedError."""
        async with transaction(self._engine) as connection:
            statement = statements.remove_webhook(url, event_id=event_id, public_only=public_only)
            if await connection.scalar(statement) is None:
                raise RequestRefusedError(f"{event} has no such webhook.")
            await record(connection, actor, "remove webhook", event, _host_of(url))


class BotWebhooks:
    """The webhooks of owners in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, owner: Owner, url: str, bot: str | None) -> str:
        """Deliver notices of an owner's bot, or of all, to an address from now on.

        Returns the secret that signs them. Raises NotFoundError, RequestRefusedError and what
        `look_ups.lock_caller` raises.
        """
        secret = _new_secret(url)
        _require_public(url)
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            bot_id = await _bot(connection, owner, bot)
            kept = (await connection.execute(statements.webhook_list(owner_id=owner.id))).all()
            if len(kept) >= MOST_WEBHOOKS:
                raise RequestRefusedError(
                    f"You have {len(kept)} webhooks, and {MOST_WEBHOOKS} are allowed: remove one "
                    "first."
                )
            statement = statements.add_webhook(url, secret, owner_id=owner.id, bot_id=bot_id)
            if await connection.scalar(statement) is None:
                raise RequestRefusedError("You have this webhook already.")
            subject = bot or owner.name
            await record(connection, owner.actor, "add webhook", subject, _host_of(url))
        return secret

    async def of(self, owner: Owner) -> list[SqlRow[Any]]:
        """Return an owner's webhooks: rows of `notice_statements.webhook_list`."""
        return list(await fetched(self._engine, statements.webhook_list(owner_id=owner.id)))

    async def remove(self, owner: Owner, url: str, bot: str | None) -> None:
        """Stop delivering notices of an owner's bot, or of all, to an address.

        Raises NotFoundError and RequestRefusedError.
        """
        async with transaction(self._engine) as connection:
            bot_id = await _bot(connection, owner, bot)
            statement = statements.remove_webhook(url, owner_id=owner.id, bot_id=bot_id)
            if await connection.scalar(statement) is None:
                raise RequestRefusedError(
                    "You have no such webhook: `arena bot webhooks` lists yours."
                )
            subject = bot or owner.name
            await record(connection, owner.actor, "remove webhook", subject, _host_of(url))


async def _bot(connection: AsyncConnection, owner: Owner, bot: str | None) -> int | None:
    """Return the id of an owner's bot; None for all. Raises NotFoundError."""
    return None if bot is None else (await look_ups.own_bot(connection, owner, bot)).id


def _new_secret(url: str) -> str:
    """Return a new secret of a webhook. Raises RequestRefusedError if its address is invalid."""
    if not _is_address(url):
        raise RequestRefusedError("A webhook has an address such as https://example.org/hook.")
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def _require_public(url: str) -> None:
    """Raise RequestRefusedError if an address has a private IP address or "localhost" as host.

    Other names are looked up when something is posted.
    """
    host = urlsplit(url).hostname or ""
    try:
        private = not is_public(str(ip_address(host)))
    except ValueError:
        private = host == "localhost" or host.endswith(".localhost")
    if private:
        raise RequestRefusedError(
            f"{host} is not on the public internet: these notices go only to public addresses."
        )


def _host_of(url: str) -> dict[str, str | None]:
    """Return the audit's details of an address: its host, but not its path, often a secret."""
    return {"host": urlsplit(url).hostname}


def _is_address(url: str) -> bool:
    if len(url) > _LONGEST_ADDRESS or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        place = urlsplit(url)
        return place.scheme in ("http", "https") and bool(place.hostname) and place.port != 0
    except ValueError:  # the port or an IPv6 address is invalid
        return False
