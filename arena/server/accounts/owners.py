"""`Owners`: owners, their keys and bots, invites and the audit, one transaction per method."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import Row as SqlRow
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database import shift_queue
from arena.database.errors import (
    LimitReachedError,
    NameTakenError,
    NotAllowedError,
    NotFoundError,
    RequestRefusedError,
)
from arena.database.keys import code_hash, new_code, new_key, token_hash
from arena.database.names import check_name, folded, normal_name
from arena.database.rows import AuditRow, InviteRow, OwnerRow
from arena.database.statement import row_count
from arena.database.tables.bots import bots
from arena.database.tables.owners import audit, invites, owners, sign_ins
from arena.database.transaction import fetched, transaction
from arena.records import Allowance, OwnBots, OwnedVersion, Owner, OwnerId, Registered
from arena.server.accounts import (
    bot_statements,
    look_ups,
    owner_statements,
    registering,
    sign_in_statements,
    voiding,
)
from arena.server.accounts.auditing import record
from arena.server.accounts.bot_details import checked
from arena.server.accounts.bot_statements import mark
from arena.server.accounts.new_owners import new_owner

MOST_MEMBERS: Final = 20
"""The most members of a team."""
LONGEST_REASON: Final = 500
"""The greatest length of the reason for voiding a block, in characters; the audit keeps it."""
_ALL = OwnBots()


class Owners:
    """The owners of bots. Every method raises DatabaseUnreachableError, like those of Store."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    # Methods for owners

    async def sign_up(self, name: str, code: str | None) -> tuple[Owner, str]:
        """Add an owner; return it and its key, which cannot be read again.

        Uses the invite of that code, if one is required. Raises NameRefusedError and
        CredentialRefusedError, and uses no invite then.
        """
        async with transaction(self._engine) as connection:
            owner = await new_owner(connection, name, code)
            return owner, await _new_key(connection, owner.id)

    async def renew_key(self, owner: Owner) -> str:
        """Return a new key of an owner; the old key and the keys of sign-ins are revoked.

        Raises NotAllowedError, and UnknownOwnerError if the key of the call has been revoked.
        """
        _require_captain(owner)
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            key = await _new_key(connection, owner.id)
            await record(connection, owner.actor, "renew key", owner.name)
        return key

    async def by_key(self, key: str) -> Owner | None:
        """Return the owner who has this key; None for an unknown key. Raises NotAllowedError."""
        async with transaction(self._engine) as connection:
            statement = owner_statements.owner_by_key(token_hash(key))
            found = (await connection.execute(statement)).one_or_none()
            if found is not None:
                await connection.execute(sign_in_statements.use_sign_in(token_hash(key)))
        if found is None:
            return None
        if found.banned_at is not None:
            raise NotAllowedError(f"The operator has banned the owner {found.name}.")
        member = found.member or ""
        operator = found.operator_since is not None and not member
        return Owner(
            OwnerId(found.id), found.name, member, found.member_id, operator, token_hash(key)
        )

    async def add_member(self, owner: Owner, name: str) -> str:
        """Add a member to an owner's team; return the member's key, which cannot be read again.

        Raises NotAllowedError, NameRefusedError and LimitReachedError, and UnknownOwnerError if
        the key of the call has been revoked.
        """
        _require_captain(owner)
        name = normal_name("member", name)
        key = new_key()
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            members = (await connection.execute(owner_statements.members_of(owner.id))).all()
            if len(members) >= MOST_MEMBERS:
                raise LimitReachedError(f"A team has at most {MOST_MEMBERS} members.")
            tightest = owner_statements.tightest_event(owner.id)
            event = (await connection.execute(tightest)).one_or_none()
            if event is not None and len(members) + 1 >= event.most_members:
                raise LimitReachedError(
                    f"{event.name}, which you have entered, allows {event.most_members} people in "
                    f"a team, and {owner.name} has {len(members) + 1}."
                )
            statement = owner_statements.add_member(owner.id, name, token_hash(key))
            if await connection.scalar(statement) is None:
                raise NameTakenError(f"{owner.name} has a member {name} already.")
            await record(connection, owner.actor, "add member", owner.name, {"member": name})
        return key

    async def members(self, owner: Owner) -> list[SqlRow[Any]]:
        """Return the members of an owner's team: rows of `owner_statements.members_of`."""
        return list(await fetched(self._engine, owner_statements.members_of(owner.id)))

    async def remove_member(self, owner: Owner, name: str) -> None:
        """Remove a member, whose key and sign-ins end; members may remove themselves.

        Raises NotAllowedError and NotFoundError.
        """
        if folded(owner.member) != folded(name):
            _require_captain(owner)
        async with transaction(self._engine) as connection:
            gone = await connection.scalar(owner_statements.remove_member(owner.id, name))
            if gone is None:
                raise NotFoundError(
                    f"{owner.name} has no member {name}: `arena team list` shows them."
                )
            await record(connection, owner.actor, "remove member", owner.name, {"member": gone})

    async def named(self, name: str) -> Owner:
        """Return the owner of that name, in any case. Raises UnknownOwnerError."""
        async with transaction(self._engine) as connection:
            found = await look_ups.owner_named(connection, name)
        return Owner(OwnerId(found.id), found.name)

    async def key_hashes(self, most: int) -> list[bytes]:
        """Return at most `most` hashes of keys of owners and members, newest owners first."""
        rows = await fetched(self._engine, owner_statements.key_hashes(most))
        return [bytes(row.sha256) for row in rows]

    async def register(
        self, owner: Owner, bot: str, version: str, allowance: Allowance
    ) -> tuple[Registered, str]:
        """Register a new bot of the owner, or a new version of one. Return it and its token.

        Raises what `look_ups.lock_caller` and `registering.add_version` raise.
        """
        bot = normal_name("bot", bot)
        check_name("version", version)
        async with transaction(self._engine) as connection:
            # Locked, so that concurrent registrations are counted one after the other.
            await look_ups.lock_caller(connection, owner)
            registered, token = await registering.add_version(
                connection, bot, owner.id, version, house=False, allowance=allowance
            )
            await record(connection, owner.actor, "register", str(registered.entrant))
        return registered, token

    async def bots(self, owner: Owner, wanted: OwnBots = _ALL) -> list[OwnedVersion]:
        """Return versions of the owner's bots, by bot and newest first. Raises NotFoundError."""
        rows = await fetched(self._engine, owner_statements.owned_versions(owner.id, wanted))
        if wanted.bot and wanted.after is None and not rows:
            raise look_ups.not_yours(wanted.bot)
        return [OwnedVersion(**row._mapping) for row in rows]

    async def rotate(self, owner: Owner, bot: str, version: str | None) -> tuple[str, str]:
        """Return a new token for a version, by default the newest in service, and its label.

        Raises NotFoundError, RetiredError and what `look_ups.lock_caller` raises.
        """
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            own = await look_ups.own_bot(connection, owner, bot)
            token, label = await registering.rotate(connection, own.name, version)
            await record(connection, owner.actor, "rotate token", f"{own.name} {label}")
        return token, label

    async def retire(self, owner: Owner, bot: str, version: str | None) -> None:
        """Retire a version of the owner's bot, or the whole bot, for good. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            own = await look_ups.own_bot(connection, owner, bot)
            await registering.retire(connection, own.name, version)
            subject = own.name if version is None else f"{own.name} {version}"
            await record(connection, owner.actor, "retire", subject)

    async def describe(self, owner: Owner, bot: str, said: Mapping[str, str]) -> None:
        """Change the owner's details of a bot: `text`, `language` and `link`, as far as given.

        Raises NotFoundError and RequestRefusedError.
        """
        said = {field: checked(field, words) for field, words in said.items()}
        async with transaction(self._engine) as connection:
            own = await look_ups.own_bot(connection, owner, bot)
            if said:
                await connection.execute(bot_statements.set_bot(own.id, **said))
                await record(connection, owner.actor, "describe", own.name, said)

    async def pause(self, owner: Owner, bot: str, *, paused: bool = True) -> None:
        """Pause a bot of the owner, or let it play again.

        A paused bot's streams end, and it gets no shifts. Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            own = await look_ups.own_bot(connection, owner, bot)
            versions = await registering.versions_named(connection, own.name, None)
            await connection.execute(mark(bots, own.id, "paused_at", on=paused))
            await connection.execute(bot_statements.tell_tokens([row.id for row in versions]))
            if not paused:
                await connection.execute(shift_queue.queue_lock())
                await connection.execute(shift_queue.queue_play(own.id, first=True))
            await record(connection, owner.actor, "pause" if paused else "resume", own.name)

    async def share(
        self, owner: Owner, bot: str, what: Literal["decisions", "notes"], *, shared: bool
    ) -> None:
        """Set whether data sets include a bot's decisions, or whether everybody may read its notes.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            own = await look_ups.own_bot(connection, owner, bot)
            await connection.execute(bot_statements.set_bot(own.id, **{f"shares_{what}": shared}))
            action = f"{'share' if shared else 'keep'} {what}"
            await record(connection, owner.actor, action, own.name)

    async def wish_pace(self, owner: Owner, bot: str, pace: int | None) -> None:
        """Set the rated matches an hour that an owner wishes for a bot; None for no limit.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            own = await look_ups.own_bot(connection, owner, bot)
            await _set_pace(connection, own, owner.actor, pace=pace)

    # Methods for the operator

    async def owners(self, limit: int, search: str = "") -> list[OwnerRow]:
        """Return the first owners whose name begins with `search`, by name."""
        rows = await fetched(self._engine, owner_statements.owner_list(search=search, limit=limit))
        return [OwnerRow(**row._mapping) for row in rows]

    async def reset_key(self, name: str, actor: str) -> str:
        """Return a new key for an owner; the old one is revoked. Raises UnknownOwnerError."""
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            key = await _new_key(connection, owner.id)
            await record(connection, actor, "reset key", owner.name)
        return key

    async def ban(self, name: str, actor: str, *, banned: bool = True) -> None:
        """Refuse an owner and its bots, or admit them again.

        Raises UnknownOwnerError, and NotAllowedError for an operator.
        """
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            if banned and owner.operator_since is not None:
                raise NotAllowedError(
                    f"{owner.name} is an operator: take the role away first, by `arena owner "
                    "operator --undo` on the arena's machine."
                )
            await connection.execute(mark(owners, owner.id, "banned_at", on=banned))
            await connection.execute(bot_statements.tell_any_tokens())
            await record(connection, actor, "ban" if banned else "unban", owner.name)

    async def make_operator(self, name: str, actor: str, *, operator: bool = True) -> None:
        """Give an owner the role of an operator, or take it away.

        Raises UnknownOwnerError, and NotAllowedError for a banned owner.
        """
        async with transaction(self._engine) as connection:
            owner = await look_ups.owner_named(connection, name)
            if operator and owner.banned_at is not None:
                raise NotAllowedError(f"The owner {owner.name} is banned.")
            await connection.execute(mark(owners, owner.id, "operator_since", on=operator))
            action = "make operator" if operator else "make no operator"
            await record(connection, actor, action, owner.name)

    async def freeze(self, bot: str, actor: str, *, frozen: bool = True) -> None:
        """Refuse the streams of a bot, or admit them again. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            versions = await registering.versions_named(connection, bot, None)
            found = (await connection.execute(bot_statements.bot_named(bot))).one()
            await connection.execute(mark(bots, found.id, "frozen_at", on=frozen))
            await connection.execute(bot_statements.tell_tokens([row.id for row in versions]))
            await record(connection, actor, "freeze" if frozen else "unfreeze", found.name)

    async def allow_pace(self, bot: str, pace: int | None, actor: str) -> None:
        """Set the pace that the operator allows a bot; None for the policy's pace.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            await registering.versions_named(connection, bot, None)
            found = (await connection.execute(bot_statements.bot_named(bot))).one()
            await _set_pace(connection, found, actor, most_pace=pace)

    async def void_block(self, block_id: str, actor: str, reason: str) -> None:
        """Exclude the matches of a block from all ratings; repeating it changes nothing.

        Raises NotFoundError, RequestRefusedError, and WrongStateError for a block of a tournament.
        """
        if len(reason) > LONGEST_REASON or not reason.isprintable():
            raise RequestRefusedError(
                f"A reason has up to {LONGEST_REASON} characters, all of which can be shown."
            )
        async with transaction(self._engine) as connection:
            if await voiding.void_block(connection, block_id):
                details = {"reason": reason or None}
                await record(connection, actor, "void block", block_id.lower(), details)

    async def invite(self, uses: int, days: float | None, actor: str) -> str:
        """Return the code of a new invite, which cannot be read again. `uses` is at least 1."""
        code = new_code()
        until = None if days is None else datetime.now(UTC) + timedelta(days=days)
        async with transaction(self._engine) as connection:
            values = {"sha256": code_hash(code), "uses_left": uses, "made_by": actor}
            put = insert(invites).values(**values, expires_at=until)
            number = await connection.scalar(put.returning(invites.c.id))
            details = {"uses": uses, "expires_at": until and until.isoformat()}
            await record(connection, actor, "invite", str(number), details)
        return code

    async def invites(self, limit: int) -> tuple[list[InviteRow], int]:
        """Return the newest invites that can be used, newest first, and how many there are."""
        found = owner_statements.invite_list(limit)
        async with transaction(self._engine) as connection:
            rows = (await connection.execute(found)).mappings().all()
            count = await connection.scalar(row_count(found)) or 0
        return [InviteRow(**row) for row in rows], count

    async def withdraw_invite(self, number: int, actor: str) -> None:
        """End an invite. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            gone = update(invites).where(invites.c.id == number).values(uses_left=0)
            if await connection.scalar(gone.returning(invites.c.id)) is None:
                raise NotFoundError(f"There is no invite {number}: see `arena invite list`.")
            await record(connection, actor, "withdraw invite", str(number))

    async def audit(self, limit: int = 100) -> list[AuditRow]:
        """Return the changes of owners and operators, newest first."""
        newest = select(audit).order_by(audit.c.id.desc()).limit(limit)
        return [AuditRow(**row._mapping) for row in await fetched(self._engine, newest)]


def _require_captain(owner: Owner) -> None:
    if owner.member:
        raise NotAllowedError(
            f"Only the captain of {owner.name} may do that, who has the key of `arena signup`."
        )


async def _new_key(connection: AsyncConnection, owner_id: int) -> str:
    key = new_key()
    # A concurrent transaction that uses the old key either ends before this lock or is refused.
    await connection.execute(owner_statements.lock_owner(owner_id))
    await connection.execute(owner_statements.set_key(owner_id, token_hash(key)))
    await connection.execute(delete(sign_ins).where(sign_ins.c.owner_id == owner_id))
    return key


async def _set_pace(
    connection: AsyncConnection, bot: SqlRow[Any], actor: str, **pace: int | None
) -> None:
    """Set a pace of a bot; its streams are notified as if its tokens had changed."""
    versions = await registering.versions_named(connection, bot.name, None)
    await connection.execute(bot_statements.set_bot(bot.id, **pace))
    await connection.execute(bot_statements.tell_tokens([row.id for row in versions]))
    ((kind, number),) = pace.items()
    details = {kind: "max" if number is None else number}
    await record(connection, actor, "set pace", bot.name, details)
