"""Puts the parts together: one referee on one database, running its ladder and tournaments."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.hosting.director import Director, Terms
from arena.hosting.journal import Journal
from arena.randomness import SECRET_BYTES
from arena.records import KeptBlock
from arena.referee.lobby import Lobby
from arena.referee.missed_ends import MissedEnds
from arena.referee.play_service import HELLO_SECONDS, PlayService
from arena.referee.registry_service import RegistryService
from arena.referee.server import LoopTimer, RefereeServer
from arena.registry import StoredRegistry
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.storage.listening import notifications
from arena.storage.reading import Read, open_reader
from arena.storage.store import Store, open_referees_store
from arena.storage.tables import TOKENS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.tournament.conductor import Conductor

STOP_GRACE_SECONDS: Final = 5.0
"""How long running blocks may take to end when the referee stops; a block lasts fractions of it."""
GATHER_SECONDS: Final = 0.05
"""How long a result waits for others to be written with: a transaction costs as much as dozens of
matches in it, and the bots' next match does not wait for it."""
SETTLE_SECONDS: Final = 10.0
"""How long the last results may take to be recorded when the referee stops."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Arena:
    """A running referee."""

    store: Store
    read: Read
    port: int
    journal: Journal
    lobby: Lobby
    director: Director
    server: RefereeServer
    missed_ends: MissedEnds

    @property
    def recorded(self) -> int:
        """Matches recorded since the start."""
        return self.journal.recorded

    @property
    def connected(self) -> int:
        """Bots connected now."""
        return self.lobby.connected

    def when_recorded(self, matches: int, call: Callable[[], None]) -> None:
        """Call as soon as so many matches are recorded; once or more often."""

        def look() -> None:
            if self.recorded >= matches:
                call()

        self.journal.listeners.append(look)

    async def wind_down(self) -> None:
        """Begin no further block, and give the running ones a moment to end."""
        idle = asyncio.Event()
        self.director.on_idle = idle.set
        self.director.wind_down()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_GRACE_SECONDS):
                await idle.wait()

    async def hand_over(self) -> None:
        """Stop all matches where they are, and keep them for the next referee."""
        self.director.suspend()
        # First while the streams are open, so that bots are told of what has just ended.
        await self._settle()
        await self.server.stop()
        await self._settle()

    async def _settle(self) -> None:
        try:
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.journal.settled()
                await self.missed_ends.settled()
        except TimeoutError:
            # Nobody was told that these had ended: they are played on from what was kept.
            log.error("results not recorded: the database fails", matches=self.journal.waiting)


@asynccontextmanager
async def running_arena(
    database_url: str,
    host: str,
    port: int,
    ladders: Sequence[TableType],
    registration_key: str,
    terms: Terms | None = None,
    hello_seconds: float = HELLO_SECONDS,
) -> AsyncIterator[Arena]:
    """A referee that listens and plays until the block is left; then it hands its matches over.

    The database must be migrated. What an earlier referee left is played on. Raises PortTakenError
    and the errors of arena.storage, LeaseTakenError as soon as another referee has taken over.
    """
    async with AsyncExitStack() as stack:
        store, lease = await stack.enter_async_context(open_referees_store(database_url))
        read = stack.enter_context(open_reader(database_url))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        keeping = tasks.create_task(lease.keep())
        signer = await store.signer()
        journal = Journal(store, gather_seconds=GATHER_SECONDS)
        director = Director(
            ladders,
            await meeting_counts(store),
            journal,
            LoopTimer(),
            lambda: secrets.token_bytes(SECRET_BYTES),
            lambda transcript: to_bytes(signer.signed(transcript)),
            terms or Terms(),
        )
        conductor = Conductor(store.tournaments, journal, director.schedule)
        director.agenda = conductor
        missed_ends = MissedEnds(store)
        await missed_ends.load()
        lobby = Lobby(director, signer.public_key, missed_ends)
        await conductor.take_up()
        _adopt(await store.kept(), director, lobby)
        registry = StoredRegistry(store, read, registration_key, signer.public_key)
        play = PlayService(registry, lobby, hello_seconds)
        server = RefereeServer(play, RegistryService(registry), lobby)
        writing = tasks.create_task(journal.run())
        telling = tasks.create_task(missed_ends.run())
        changes = notifications(database_url, [TOURNAMENTS_CHANNEL])
        conducting = tasks.create_task(conductor.run(changes))
        checking = tasks.create_task(_check_tokens(play, database_url))
        try:
            bound = await server.start(host, port)
            arena = Arena(store, read, bound, journal, lobby, director, server, missed_ends)
            yield arena
            await arena.hand_over()
        finally:
            await server.stop()
            for task in (writing, telling, conducting, checking, keeping):
                task.cancel()


def _adopt(left: Sequence[KeptBlock], director: Director, lobby: Lobby) -> None:
    """Go on with what an earlier referee left."""
    # Blocks of tournaments of which no match runs are the conductor's to begin.
    blocks = [kept for kept in left if kept.matches or not kept.running.engaged]
    for kept in blocks:
        places = kept.running.places
        director.adopt(kept, [lobby.expect(one.registered, one.instance) for one in places])
    if blocks:
        matches = sum(len(kept.matches) for kept in blocks)
        log.info("going on where a referee stopped", blocks=len(blocks), matches=matches)


async def _check_tokens(play: PlayService, database_url: str) -> None:
    async with aclosing(notifications(database_url, [TOKENS_CHANNEL])) as changes:
        async for _ in changes:
            await play.check_tokens()


async def meeting_counts(store: Store) -> MeetingCounts:
    """Who has played and met how often, from the log of results."""
    counts = MeetingCounts()
    for seen in await store.appearances():
        ladder = TableType(seen.game, make_game(seen.game, seen.options).options, seen.seat_count)
        counts.add_matches(ladder, seen.version_id, seen.matches)
    for met in await store.opponent_counts():
        ladder = TableType(met.game, make_game(met.game, met.options).options, met.seat_count)
        counts.add_meetings(ladder, met.one, met.other, met.matches)
    return counts
