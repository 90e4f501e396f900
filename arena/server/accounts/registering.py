"""Steps of registering owners, bots and versions, inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row as SqlRow
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database.errors import (
    LimitReachedError,
    NameTakenError,
    NotFoundError,
    RetiredError,
    TooManyVersionsError,
)
from arena.database.keys import new_token, token_hash
from arena.database.names import skeleton
from arena.database.tables.bots import bots, versions
from arena.database.tables.owners import owners
from arena.match.transcript import Entrant
from arena.records import Allowance, Registered, VersionId
from arena.server.accounts import bot_statements, owner_statements


async def ensure_owner(connection: AsyncConnection, name: str) -> int:
    """Return the id of the owner of that name, who is added if there is none.

    Raises NameTakenError for a name that looks like another owner's.
    """
    added = await connection.scalar(owner_statements.add_owner(name))
    if added is not None:
        return int(added)
    found = (await connection.execute(owner_statements.owner_named(name))).one_or_none()
    if found is None:
        raise await alike(connection, name)
    return int(found.id)


async def alike(connection: AsyncConnection, name: str) -> NameTakenError:
    """Return the error for an owner's name that looks like another owner's."""
    like = owners.c.skeleton == skeleton(name)
    other = await connection.scalar(select(owners.c.name).where(like))
    return NameTakenError(f"The name {name} looks like that of the owner {other}: choose another.")


async def add_version(
    connection: AsyncConnection,
    bot: str,
    owner_id: int,
    version: str,
    *,
    house: bool,
    allowance: Allowance | None,
    uploaded: bool = False,
) -> tuple[Registered, str]:
    """Add a new bot, or a new version of the owner's bot. Return it and its token.

    An `uploaded` version does not count toward the daily limits of versions: uploads have limits of
    their own. Raises NameTakenError, RetiredError, LimitReachedError and TooManyVersionsError.
    """
    found = await _bot_of(connection, bot, owner_id, house=house, allowance=allowance)
    if allowance is not None and not uploaded:
        await _require_allowed(connection, found, allowance)
    version_id = await connection.scalar(bot_statements.add_version(found.id, version))
    if version_id is None:
        raise NameTakenError(
            f"the bot {found.name} already has a version {version}: give the new one another label "
            "with --version, or get a new token with `arena bot rotate`."
        )
    entrant = Entrant(found.name, version, found.owner)
    registered = Registered(VersionId(version_id), entrant, found.house)
    return registered, await set_new_token(connection, version_id)


async def _bot_of(
    connection: AsyncConnection,
    bot: str,
    owner_id: int,
    *,
    house: bool,
    allowance: Allowance | None,
) -> SqlRow[Any]:
    """Return the owner's bot of that name, which is added if there is none."""
    found = (await connection.execute(bot_statements.bot_named(bot))).one_or_none()
    if found is None:
        if not house:
            other = await connection.scalar(bot_statements.house_bot_read_as(bot))
            if other is not None:
                raise _looks_like(bot, other)
        if allowance is not None:
            await _require_room(connection, owner_id, allowance)
        values = {"owner_id": owner_id, "house": house} | bot_statements.name_columns(bot)
        await connection.execute(insert(bots).values(values).on_conflict_do_nothing())
        found = (await connection.execute(bot_statements.bot_named(bot))).one_or_none()
    if found is None:
        other = (await connection.execute(bot_statements.bot_like(bot))).one()
        raise _looks_like(bot, other.name)
    if found.owner_id != owner_id:
        raise NameTakenError(f"The bot {found.name} is {found.owner}'s: choose another name.")
    if found.retired_at is not None:
        raise RetiredError(f"The bot {found.name} is retired: choose another name.")
    return found


def _looks_like(bot: str, other: str) -> NameTakenError:
    return NameTakenError(f"The name {bot} looks like that of the bot {other}: choose another one.")


async def _require_room(connection: AsyncConnection, owner_id: int, allowance: Allowance) -> None:
    has = await connection.scalar(owner_statements.bots_in_service(owner_id)) or 0
    if has >= allowance.bots:
        raise LimitReachedError(
            f"You have {has} bots, and an owner may have {allowance.bots}: retire one first, or "
            "register a new version of one."
        )


async def _require_allowed(
    connection: AsyncConnection, bot: SqlRow[Any], allowance: Allowance
) -> None:
    for whose, are_these, most in (
        (bot.name, bots.c.id == bot.id, allowance.bot_versions_a_day),
        ("your bots", bots.c.owner_id == bot.owner_id, allowance.owner_versions_a_day),
    ):
        lately = (await connection.execute(bot_statements.versions_today(are_these))).one()
        if lately.versions >= most:
            raise TooManyVersionsError(whose, lately.versions, lately.wait_seconds)


async def set_new_token(connection: AsyncConnection, version_id: int) -> str:
    """Return a new token for a version, which replaces an older one."""
    token = new_token()
    await connection.execute(bot_statements.set_token(version_id, token_hash(token)))
    return token


async def versions_named(
    connection: AsyncConnection, bot: str, version: str | None
) -> Sequence[SqlRow[Any]]:
    """Return the versions of a bot, newest first, or the one with that label.

    Raises NotFoundError.
    """
    found = (await connection.execute(bot_statements.versions_of(bot, version))).all()
    if not found:
        raise NotFoundError(
            f"There is no {bot_and(bot, version)}: see `arena bot list --operator`."
        )
    return found


async def rotate(connection: AsyncConnection, bot: str, version: str | None) -> tuple[str, str]:
    """Return a new token for a version, by default the newest in service, and the version's label.

    Raises NotFoundError and RetiredError.
    """
    found = await versions_named(connection, bot, version)
    in_service = [row for row in found if row.retired_at is None]
    if not in_service:
        raise RetiredError(f"{bot_and(bot, version)} is retired: register a new version.")
    token = await set_new_token(connection, in_service[0].id)
    await connection.execute(bot_statements.tell_tokens([in_service[0].id]))
    return token, in_service[0].version


async def retire(connection: AsyncConnection, bot: str, version: str | None) -> None:
    """Retire a version, or the whole bot, for good. Raises NotFoundError."""
    found = await versions_named(connection, bot, version)
    if version is None:
        bot_row = (await connection.execute(bot_statements.bot_named(bot))).one()
        await connection.execute(bot_statements.mark(bots, bot_row.id, "retired_at"))
    else:
        await connection.execute(bot_statements.mark(versions, found[0].id, "retired_at"))
    retired = found if version is None else found[:1]
    await connection.execute(bot_statements.tell_tokens([row.id for row in retired]))


def bot_and(bot: str, version: str | None) -> str:
    """Return the bot, or its version, in words."""
    return f"bot {bot}" if version is None else f"version {version} of bot {bot}"
