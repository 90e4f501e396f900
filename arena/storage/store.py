"""`Store`: bots, tokens and results, with one method per use case and one transaction per method.

Every method raises DatabaseUnreachableError while the database does not answer, without any change;
trying again later may help.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.match.match_id import is_match_id
from arena.match.transcript import Entrant, Transcript
from arena.records import Block, FinishedMatch, Registered, TournamentBlock, VersionId
from arena.storage import bot_statements, recording, running, statements
from arena.storage.checks import Checks
from arena.storage.engine import async_engine
from arena.storage.errors import (
    NameRefusedError,
    RetiredError,
    TooManyVersionsError,
    UnknownBotError,
    VersionExistsError,
)
from arena.storage.lease import require
from arena.storage.luck import Lucks, measured
from arena.storage.match_search import MatchFilter, found_matches
from arena.storage.names import check_name, new_token, token_hash
from arena.storage.rows import (
    AppearanceCount,
    BotVersion,
    MatchRow,
    OpponentCount,
    match_row,
    with_time_control,
)
from arena.storage.signing import signer
from arena.storage.tournaments import Tournaments
from arena.storage.transaction import driver_of, take_long, transaction
from arena.storage.transcripts import Packed, packer, unpack

_SLICE = 25
"""Matches prepared at a time, about two milliseconds, during which bots have to wait."""


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator["Store"]:
    """A store with a pool of its own, on a database of this release's schema."""
    engine = async_engine(url)
    try:
        yield Store(engine)
    finally:
        await engine.dispose()


class Store:
    """Bots, versions, tokens and results."""

    def __init__(self, engine: AsyncEngine, epoch: int | None = None) -> None:
        """With an `epoch` results are written only while that lease is held."""
        self._engine = engine
        self._epoch = epoch
        self.tournaments = Tournaments(engine, epoch)
        self.luck = Lucks(engine)
        self.checks = Checks(engine)
        self.signer = partial(signer, engine)
        self._pack = packer()

    # Bots

    async def register(
        self,
        bot: str,
        owner: str,
        version: str = "1",
        *,
        house: bool = False,
        most_a_day: int | None = None,
    ) -> tuple[Registered, str]:
        """Register a new bot, or a new version of the owner's bot. Returns it and its token, which
        cannot be read again.

        A bot keeps the `house` of its first version. `most_a_day` are the versions that it may get
        in 24 hours. Raises NameRefusedError, VersionExistsError, RetiredError and
        TooManyVersionsError.
        """
        for kind, name in (("bot", bot), ("owner", owner), ("version", version)):
            check_name(kind, name)
        async with self._transaction() as connection:
            await connection.execute(bot_statements.add_owner(owner))
            owner_id = (await connection.execute(bot_statements.owner_named(owner))).scalar_one()
            await connection.execute(bot_statements.add_bot(bot, owner_id, house=house))
            found = (await connection.execute(bot_statements.bot_named(bot))).one()
            if found.owner_id != owner_id:
                raise NameRefusedError(
                    f"The bot {found.name} is {found.owner}'s: choose another name."
                )
            if found.retired_at is not None:
                raise RetiredError(f"The bot {found.name} is retired: choose another name.")
            if most_a_day is not None:
                lately = (await connection.execute(bot_statements.versions_today(found.id))).one()
                if lately.versions >= most_a_day:
                    raise TooManyVersionsError(found.name, lately.versions, lately.wait_seconds)
            version_id = await connection.scalar(bot_statements.add_version(found.id, version))
            if version_id is None:
                raise VersionExistsError(
                    f"{found.name} already has a version {version}: give the new one another label "
                    "with --version, or get a new token with `arena bot rotate-token`."
                )
            token = await _new_token(connection, version_id)
        entrant = Entrant(found.name, version, found.owner)
        return Registered(VersionId(version_id), entrant, found.house), token

    async def authenticate(self, token: str) -> Registered | None:
        """The version that has this token; None for an unknown token. Raises RetiredError."""
        async with self._transaction() as connection:
            statement = bot_statements.version_by_token(token_hash(token))
            found = (await connection.execute(statement)).one_or_none()
        if found is None:
            return None
        registered = registered_of(found)
        if found.retired_at is not None:
            raise RetiredError(f"{registered.entrant} is retired: register a new version.")
        return registered

    async def token_hashes(self) -> list[bytes]:
        """The hashes of all tokens."""
        return [bytes(row["sha256"]) for row in await self._rows(bot_statements.token_hashes())]

    async def rotate_token(self, bot: str, version: str | None = None) -> str:
        """A new token for a version, by default the newest in service; the old token is revoked.

        Raises UnknownBotError and RetiredError.
        """
        async with self._transaction() as connection:
            found = await _versions(connection, bot, version)
            in_service = [row for row in found if row.retired_at is None]
            if not in_service:
                raise RetiredError(f"{_bot_and(bot, version)} is retired: register a new version.")
            token = await _new_token(connection, in_service[0].id)
            await connection.execute(bot_statements.tell_tokens())
            return token

    async def retire(self, bot: str, version: str | None = None) -> None:
        """Retire a version, or the whole bot, for good. Raises UnknownBotError."""
        async with self._transaction() as connection:
            found = await _versions(connection, bot, version)
            if version is None:
                bot_row = (await connection.execute(bot_statements.bot_named(bot))).one()
                await connection.execute(bot_statements.retire_bot(bot_row.id))
            else:
                await connection.execute(bot_statements.retire_version(found[0].id))
            await connection.execute(bot_statements.tell_tokens())

    async def known(self, bot: str, owner: str) -> tuple[bool, bool]:
        """Whether there is a bot, and an owner with bots, of these names. Raises
        NameRefusedError."""
        for kind, name in (("bot", bot), ("owner", owner)):
            check_name(kind, name)
        named = await self._rows(bot_statements.bot_named(bot))
        owned = await self._rows(bot_statements.bots_of_owner(owner).limit(1))
        return bool(named), bool(owned)

    async def bots(self) -> list[BotVersion]:
        """All versions of all bots, by name and age."""
        return [BotVersion(**row) for row in await self._rows(bot_statements.bot_list())]

    # Results

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        """Record all or none; a match whose id is already recorded is left as it is.

        `kept` are the ids of those that are kept as running; from now on they are not.
        A block's matches count for the ratings once it is complete or closed. Raises
        RecordRefusedError when they contradict what is recorded.
        """
        if not matches:
            return
        different: dict[str, FinishedMatch] = {}
        for match in matches:
            different.setdefault(match.transcript.setup.match_id, match)
        waiting = list(different.values())
        batches = []
        for start in range(0, len(waiting), _SLICE):
            part = waiting[start : start + _SLICE]
            packed = [self._pack(match.written) for match in part]
            lucks = [measured(match.transcript) for match in part]
            batches.append(recording.result_columns(part, packed, lucks))
            await asyncio.sleep(0)
        blocks = {match.block.id: match.block for match in waiting}
        named = {id_: match.instances for id_, match in different.items() if match.instances}
        async with self._transaction() as connection:
            driver = await driver_of(connection)
            faults = recording.fault_columns(waiting)
            await recording.write(driver, blocks, batches, self._epoch, kept, named, faults)

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        """Record that blocks of a tournament have begun, before any of their matches."""
        await self.tournaments.open_blocks(blocks)

    async def close_block(self, block_id: str) -> None:
        """End a block that was cut short by a bot; its matches count. A void block stays void."""
        async with self._fenced() as connection:
            driver = await driver_of(connection)
            await recording.close(driver, block_id)
            await running.forget_blocks(driver, [block_id])

    async def void_block(self, block_id: str) -> None:
        """Void a block that failed on our side; its matches do not count. A closed one stays so."""
        async with self._fenced() as connection:
            await connection.execute(statements.void_block(block_id))
            await running.forget_blocks(await driver_of(connection), [block_id])

    async def refuse_block(self, block: Block) -> None:
        """Void a block of which a match was rejected, even if no match of it is recorded yet."""
        async with self._fenced() as connection:
            await connection.execute(statements.refuse_block(block))
            await running.forget_blocks(await driver_of(connection), [block.id])

    async def match_count(self) -> int:
        """How many matches are recorded."""
        return int((await self._rows(statements.match_count()))[0]["matches"])

    async def matches(
        self,
        *,
        bot: str | None = None,
        game: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[MatchRow]:
        """The newest matches; `before` is the id of the last match of the page before."""
        if before is not None and not is_match_id(before.lower()):
            return []
        page = found_matches(MatchFilter(bot=bot, game=game), before=before, limit=limit)
        return [match_row(row) for row in await self._rows(page)]

    async def match(self, match_id: str) -> MatchRow | None:
        """One match; None when there is none of that id."""
        if not is_match_id(match_id.lower()):
            return None
        rows = await self._rows(statements.match_by_id(match_id))
        return match_row(rows[0]) if rows else None

    async def transcript(self, match_id: str) -> Transcript | None:
        """What happened in a match; None when there is none of that id."""
        if not is_match_id(match_id.lower()):
            return None
        rows = await self._rows(statements.transcript(match_id))
        return unpack(Packed(**rows[0])) if rows else None

    # What ratings and pairings are computed from

    async def opponent_counts(self) -> list[OpponentCount]:
        """How often which versions met, on each ladder."""
        rows = await self._counted(statements.opponent_counts())
        return [OpponentCount(**with_time_control(row)) for row in rows]

    async def appearances(self) -> list[AppearanceCount]:
        """How often which versions played, on each ladder."""
        rows = await self._counted(statements.appearances())
        return [AppearanceCount(**with_time_control(row)) for row in rows]

    async def _rows(self, statement: statements.Row) -> list[Any]:
        async with self._transaction() as connection:
            return list((await connection.execute(statement)).mappings())

    async def _counted(self, statement: statements.Row) -> list[Any]:
        """The rows of what looks at all results."""
        async with self._transaction() as connection:
            await take_long(connection)
            return list((await connection.execute(statement)).mappings())

    @asynccontextmanager
    async def _fenced(self) -> AsyncIterator[AsyncConnection]:
        """A transaction in which a referee holds its lease."""
        async with self._transaction() as connection:
            if self._epoch is not None:
                await require(connection, self._epoch)
            yield connection

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


async def _new_token(connection: AsyncConnection, version_id: int) -> str:
    token = new_token()
    await connection.execute(bot_statements.set_token(version_id, token_hash(token)))
    return token


async def _versions(
    connection: AsyncConnection, bot: str, version: str | None
) -> Sequence[SqlRow[Any]]:
    found = (await connection.execute(bot_statements.versions_of(bot, version))).all()
    if not found:
        raise UnknownBotError(f"There is no {_bot_and(bot, version)}: see `arena bot list`.")
    return found


def _bot_and(bot: str, version: str | None) -> str:
    return f"bot {bot}" if version is None else f"version {version} of bot {bot}"


def registered_of(row: SqlRow[Any]) -> Registered:
    """The registered version in a row of bot_statements."""
    return Registered(VersionId(row.id), Entrant(row.bot, row.version, row.owner), row.house)
