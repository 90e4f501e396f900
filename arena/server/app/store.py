"""`Store`: bots, tokens and results, with one method per use case and one transaction per method.

Every method raises DatabaseUnreachableError while the database does not answer, without any change;
a later retry may succeed.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.async_engine import async_engine
from arena.database.batched_lookup import BatchedLookup
from arena.database.errors import NotAllowedError, RetiredError
from arena.database.keys import SHIFT_PREFIX, token_hash
from arena.database.names import check_name, normal_name
from arena.database.rows import (
    BotVersion,
    PlacedOnLadder,
    recorded_challenge,
    registered_of,
    with_time_control,
)
from arena.database.statement import Row
from arena.database.transaction import driver_of, fetched, take_long, transaction
from arena.database.transcripts import Packed, packer, unpack
from arena.match.match_id import is_match_id
from arena.match.transcript import Transcript
from arena.records import Block, FinishedMatch, RecordedChallenge, Registered, TournamentBlock
from arena.server.accounts import bot_statements, registering
from arena.server.accounts.auditing import record
from arena.server.accounts.messages import Messages
from arena.server.accounts.owners import Owners
from arena.server.accounts.policies import Policies
from arena.server.accounts.sign_ins import SignIns
from arena.server.events.event_notices import EventNotices
from arena.server.events.finals.archives import Archives
from arena.server.events.finals.finals import Finals
from arena.server.events.ladders.connected_blocks import ConnectedBlocks
from arena.server.events.ladders.ladders import EventLadders
from arena.server.events.organisers import Organisers
from arena.server.events.rosters import Rosters
from arena.server.events.serving.event_views import EventViews
from arena.server.events.serving.events import Events
from arena.server.events.serving.grading import Grading
from arena.server.failover import running
from arena.server.failover.lease import fenced
from arena.server.ladder import pairing_statements
from arena.server.notices.deliveries import Deliveries
from arena.server.notices.failing_bots import FailingBots
from arena.server.notices.webhooks import BotWebhooks, Webhooks
from arena.server.operating.operators import Operators
from arena.server.results import recording, statements
from arena.server.results.analyses import Analyses
from arena.server.results.benchmarks import Benchmarks
from arena.server.results.luck import Lucks, measured
from arena.server.results.match_search import transcripts_of_matches
from arena.server.results.notes import Notes, note_columns
from arena.server.results.retention import Retention
from arena.server.results.signing import signer
from arena.server.tournaments.tournament_bots import TournamentBots
from arena.server.tournaments.tournaments import Tournaments
from arena.server.uploads.checks import Checks
from arena.server.uploads.hosted_builds import HostedBuilds
from arena.server.uploads.hosted_shifts import HostedShifts
from arena.server.uploads.shift_logs import ShiftLogs
from arena.server.uploads.workers import Workers

_SLICE = 25
"""The number of matches prepared at a time.

This takes about two milliseconds, during which bots have to wait.
"""


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator["Store"]:
    """Open a store with a pool of its own, on a database of this release's schema."""
    engine = async_engine(url)
    try:
        yield Store(engine)
    finally:
        await engine.dispose()


class Store:
    """Bots, versions, tokens and results."""

    def __init__(self, engine: AsyncEngine, epoch: int | None = None) -> None:
        """Use `engine`; with an `epoch`, results are written only while that lease is held."""
        self._engine = engine
        self._epoch = epoch
        self.tournaments = Tournaments(engine, epoch)
        self.tournament_bots = TournamentBots(engine, epoch)
        self.events = Events(engine)
        self.event_views = EventViews(engine, self.tournaments)
        self.finals = Finals(engine)
        self.archives = Archives(engine)
        self.ladders = EventLadders(engine)
        self.connected_blocks = ConnectedBlocks(engine)
        self.rosters = Rosters(engine)
        self.organisers = Organisers(engine)
        self.grading = Grading(engine, self.tournaments)
        self.event_notices = EventNotices(engine)
        self.webhooks = Webhooks(engine)
        self.bot_webhooks = BotWebhooks(engine)
        self.failing_bots = FailingBots(engine)
        self.deliveries = Deliveries(engine)
        self.owners = Owners(engine)
        self.messages = Messages(engine)
        self.operators = Operators(engine, self.owners)
        self.policies = Policies(engine)
        self.builds = HostedBuilds(engine)
        self.shifts = HostedShifts(engine)
        self.shift_logs = ShiftLogs(engine)
        self.workers = Workers(engine)
        self.sign_ins = SignIns(engine)
        self.luck = Lucks(engine)
        self.notes = Notes(engine)
        self.retention = Retention(engine)
        self.analyses = Analyses(engine)
        self.benchmarks = Benchmarks(engine)
        self.checks = Checks(engine)
        self.signer = partial(signer, engine)
        self._pack = packer()
        self._by_token = BatchedLookup(self._versions_by_token)

    # Bots

    async def register(
        self,
        bot: str,
        owner: str,
        version: str = "1",
        *,
        house: bool = False,
        actor: str | None = None,
    ) -> tuple[Registered, str]:
        """Register a new bot, or a new version of the owner's bot, without limits.

        Only the operator may do so. Returns the version and its token, which cannot be read again.
        The audit names the `actor`.

        A bot keeps the `house` of its first version. Raises NameRefusedError, NameTakenError and
        RetiredError.
        """
        bot, owner = normal_name("bot", bot), normal_name("owner", owner)
        check_name("version", version)
        async with transaction(self._engine) as connection:
            owner_id = await registering.ensure_owner(connection, owner)
            made = await registering.add_version(
                connection, bot, owner_id, version, house=house, allowance=None
            )
            await _record(connection, actor, "register", str(made[0].entrant))
        return made

    async def authenticate(self, token: str) -> Registered | None:
        """Return the version that has this token, or plays with it in a running shift.

        Returns None for an unknown token. Raises NotAllowedError and RetiredError.
        """
        if token.startswith(SHIFT_PREFIX):
            found = await self.shifts.by_token(token)
        else:
            found = await self._by_token.get(token_hash(token))
        if found is None:
            return None
        registered = registered_of(found)
        if found.retired_at is not None:
            raise RetiredError(f"{registered.entrant} is retired: register a new version.")
        if found.banned_at is not None:
            raise NotAllowedError(f"The operator has banned the owner {registered.entrant.owner}.")
        if found.frozen_at is not None:
            raise NotAllowedError(f"The operator has frozen the bot {registered.entrant.bot}.")
        if found.paused_at is not None:
            raise NotAllowedError(
                f"Its owner has paused the bot {registered.entrant.bot}: `arena bot resume "
                f"{registered.entrant.bot}` lets it play; if you run it yourself, start it then."
            )
        return registered

    async def _versions_by_token(self, sha256s: Sequence[bytes]) -> dict[bytes, SqlRow[Any]]:
        """Return the rows of the versions that have these tokens, by the token's hash."""
        found = await fetched(self._engine, bot_statements.versions_by_token(sha256s))
        return {row.sha256: row for row in found}

    async def token_hashes(self, most: int) -> list[bytes]:
        """Return at most `most` hashes of workers' tokens, owners' keys and bots' tokens.

        If there are more, the bots' oldest are left out. The bots' tokens come first, oldest first.
        """
        others = await self.workers.token_hashes() + await self.owners.key_hashes(most)
        rows = await self.rows(bot_statements.token_hashes(max(0, most - len(others))))
        return [*others, *(bytes(row["sha256"]) for row in rows)][:most][::-1]

    async def rotate_token(
        self, bot: str, version: str | None = None, *, actor: str | None = None
    ) -> tuple[str, str]:
        """Replace the token of a version, by default of the newest in service.

        Returns the new token and the version's label. The audit names the `actor`.

        Raises NotFoundError and RetiredError.
        """
        async with transaction(self._engine) as connection:
            token, label = await registering.rotate(connection, bot, version)
            await _record(connection, actor, "rotate token", f"{bot} {label}")
        return token, label

    async def retire(
        self, bot: str, version: str | None = None, *, actor: str | None = None
    ) -> None:
        """Retire a version, or the whole bot, for good. The audit names the `actor`.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            await registering.retire(connection, bot, version)
            subject = bot if version is None else f"{bot} {version}"
            await _record(connection, actor, "retire", subject)

    async def bots(self, named: Collection[str] | None = None) -> list[BotVersion]:
        """Return all versions of all bots, or of the bots with these names, by name and age."""
        return [BotVersion(**row) for row in await self.rows(bot_statements.bot_list(named=named))]

    async def find_bots(self, search: str, limit: int) -> list[BotVersion]:
        """Return the first `limit` versions of the bots that match a search.

        A bot matches if its name begins with `search` or its owner has that name. The order is that
        of `bots`.
        """
        found = bot_statements.found_versions(search, limit)
        return [BotVersion(**row) for row in await self.rows(found)]

    # Results

    async def record(self, matches: Sequence[FinishedMatch], kept: Collection[str] = ()) -> None:
        """Record all matches or none; a match whose id is already recorded is left as it is.

        `kept` are the ids of those whose running state is stored; it is removed. A block's matches
        count for the ratings once the block is complete or closed. Raises RecordRefusedError if the
        matches contradict what is recorded.
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
        async with transaction(self._engine) as connection:
            driver = await driver_of(connection)
            told = recording.fault_columns(waiting), note_columns(waiting)
            await recording.write(driver, blocks, batches, self._epoch, kept, named, *told)

    async def open_blocks(self, blocks: Sequence[TournamentBlock]) -> None:
        """Record that blocks of a tournament have begun, before any of their matches."""
        await self.tournaments.open_blocks(blocks)

    async def close_block(self, block_id: str) -> None:
        """End a block that a bot cut short; its matches count. A void block stays void."""
        async with fenced(self._engine, self._epoch) as connection:
            driver = await driver_of(connection)
            await recording.close(driver, block_id)
            await running.forget_blocks(driver, [block_id])

    async def void_block(self, block_id: str) -> None:
        """Void a block that the arena failed to finish; it does not count. A closed one stays."""
        async with fenced(self._engine, self._epoch) as connection:
            await connection.execute(statements.void_block(block_id))
            await running.forget_blocks(await driver_of(connection), [block_id])

    async def refuse_block(self, block: Block) -> None:
        """Void a block with a rejected match, even if no match of it is recorded yet."""
        async with fenced(self._engine, self._epoch) as connection:
            await connection.execute(statements.refuse_block(block))
            await running.forget_blocks(await driver_of(connection), [block.id])

    async def challenge(self, challenge_id: str) -> RecordedChallenge | None:
        """Return what is recorded of the challenge with this UUID; None if it has no match."""
        rows = await self.rows(statements.matches_of_challenge(challenge_id))
        return recorded_challenge(rows) if rows else None

    async def transcript(self, match_id: str) -> Transcript | None:
        """Return the transcript of a match; None if there is none with that id."""
        if not is_match_id(match_id.lower()):
            return None
        rows = await self.rows(transcripts_of_matches([match_id]))
        packed = [Packed(row["format"], row["sha256"], row["data"]) for row in rows]
        return unpack(packed[0]) if packed else None

    # Data from which ratings and pairings are computed

    async def newest_placings(self) -> list[PlacedOnLadder]:
        """Return the placings of the newest matches, by ladder."""
        async with transaction(self._engine) as connection:
            await take_long(connection)
            rows = (await connection.execute(pairing_statements.newest_placings())).mappings()
            return [PlacedOnLadder(**with_time_control(dict(row))) for row in rows]

    async def rows(self, statement: Row) -> list[Any]:
        """Return the rows of a statement in a transaction of its own."""
        return [row._mapping for row in await fetched(self._engine, statement)]


async def _record(
    connection: AsyncConnection, actor: str | None, action: str, subject: str
) -> None:
    """Record an operator's change in the audit; without an `actor`, record nothing.

    Changes by the arena itself have no actor.
    """
    if actor is not None:
        await record(connection, actor, action, subject)
