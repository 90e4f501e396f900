"""`running_arena`: assembles a referee on one database, with its ladder and tournaments."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from arena.boards.checkpoint_keeper import CheckpointKeeper
from arena.builds.hosted import HostingTerms
from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.hosting.director import Director
from arena.hosting.journal import Journal
from arena.hosting.terms import Terms
from arena.hosting_registry import StoredBuilds
from arena.metrics import Metrics, metrics_served
from arena.randomness import SECRET_BYTES
from arena.readiness import Readiness
from arena.reading.calls import ReadingCalls
from arena.reading.worker import ReadingProcess, ReadingThread, ReadingWorker
from arena.records import KeptBlock, SignUp
from arena.referee.attendance_service import AttendanceService
from arena.referee.challenge_service import ChallengeService
from arena.referee.gate import Gate
from arena.referee.identity_provider import IdentityProvider
from arena.referee.limits import Limits
from arena.referee.lobby import Lobby
from arena.referee.missed_ends import MissedEnds
from arena.referee.owner_service import OwnerService
from arena.referee.play_service import HELLO_SECONDS, PlayService
from arena.referee.reading_queue import ReadingQueue
from arena.referee.registry_service import RegistryService
from arena.referee.server import LoopTimer, RefereeServer
from arena.referee.spectator_service import Activity, SpectatorService
from arena.referee.spectators import Spectators
from arena.referee.tls import TlsFiles
from arena.referee.upload_service import UploadService
from arena.referee.worker_service import WorkerService
from arena.registry import StoredRegistry
from arena.scheduling.ladder import MeetingCounts, TableType
from arena.scheduling.strengths import Strengths
from arena.storage.errors import StorageError
from arena.storage.hosted_shifts import HostedShifts
from arena.storage.listening import notifications
from arena.storage.reading import Reader, open_reader
from arena.storage.referees_store import RefereesStore, open_referees_store
from arena.storage.rows import PlacedMatch
from arena.storage.spools import Spools, record_spooled
from arena.storage.store import Store
from arena.storage.tables import TOKENS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.tournament.conductor import Conductor

STOP_GRACE_SECONDS: Final = 5.0
"""How long running blocks may take to end when the referee stops; a block is much shorter."""
GATHER_SECONDS: Final = 0.05
"""How long a result waits to be written together with others: a transaction costs as much as dozens
of matches in it, and the bots' next match does not wait for it."""
SETTLE_SECONDS: Final = 10.0
"""How long the last results may take to be recorded when the referee stops."""
LOOK_AFTER_SECONDS: Final = 15.0
"""How often hosted bots are looked for whose shift was lost, or that may play again."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Arena:
    """A running referee."""

    store: RefereesStore
    read: Reader
    port: int
    journal: Journal
    lobby: Lobby
    director: Director
    server: RefereeServer
    missed_ends: MissedEnds
    gate: Gate

    @property
    def recorded(self) -> int:
        """Matches recorded since the start."""
        return self.journal.recorded

    @property
    def connected(self) -> int:
        """How many bots are connected."""
        return self.lobby.connected

    def when_recorded(self, matches: int, call: Callable[[], None]) -> None:
        """Call when this many matches are recorded; once or more often."""

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
        # First while the streams are open, so that bots are sent the ends of the last matches.
        await self._settle()
        await self.server.stop()
        await self._settle()
        if self.journal.waiting:
            # Nobody was told that these had ended: the next referee records those that are spooled,
            # and continues the others.
            log.error(
                "results not recorded: the database fails; the next start records the spooled ones",
                waiting=self.journal.waiting,
                spooled=self.journal.spooled,
            )

    async def _settle(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.journal.settled()
                await self.missed_ends.settled()


@asynccontextmanager
async def running_arena(
    database_url: str,
    host: str,
    port: int,
    table_types: Sequence[TableType],
    terms: Terms | None = None,
    hello_seconds: float = HELLO_SECONDS,
    spool_directory: Path | None = None,
    metrics_address: tuple[str, int] | None = None,
    limits: Limits = Limits(),
    read_beside: bool = False,
    tls: TlsFiles | None = None,
    spectator_delay: float = 0.0,
    sign_up: SignUp = SignUp.INVITE,
    socket: Path | None = None,
    hosting: HostingTerms | None = None,
    dashboard_secret: str | None = None,
    identity_provider: tuple[str, str] | None = None,
) -> AsyncIterator[Arena]:
    """A referee that listens and plays until the `async with` block ends; then it hands over.

    The database must be migrated. What an earlier referee spooled in `spool_directory` is recorded
    first; the blocks and matches that it left are continued. With `read_beside` a process of its
    own answers reading calls, else a thread, and another writes the boards' checkpoints.
    Spectators see matches `spectator_delay` seconds later. `sign_up` says who may become an owner,
    `hosting` what owners may upload, if anything. Bots also play over `socket`, if there is one.
    Dashboards that know the `dashboard_secret` are believed for which visitor they call.
    `identity_provider` is the issuer of the ID tokens by which owners sign in, and the arena's
    client id there. Raises PortTakenError, TlsError and the errors of arena.storage;
    LeaseTakenError as soon as another referee has taken over.
    """
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_referees_store(database_url))
        lease = store.lease
        read = stack.enter_context(open_reader(database_url))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        renewing = tasks.create_task(lease.keep())
        signer = await store.signer()
        spool = None
        if spool_directory is not None:
            spools = Spools(spool_directory, signer.public_key)
            await record_spooled(spools, lease.inherited, store)
            spool = spools.of(lease.epoch)
        await lease.settle()
        metrics = Metrics()
        journal = Journal(store, gather_seconds=GATHER_SECONDS, spool=spool, meter=metrics)
        readiness = Readiness(journal)
        counts, known = await earlier_play(store)
        director = Director(
            table_types,
            counts,
            journal,
            LoopTimer(),
            lambda: secrets.token_bytes(SECRET_BYTES),
            lambda transcript: to_bytes(signer.signed(transcript)),
            terms or Terms(),
            strengths=known,
        )
        conductor = Conductor(store.tournaments, journal, director.schedule)
        director.agenda = conductor
        missed_ends = MissedEnds(store)
        await missed_ends.load()
        lobby = Lobby(director, signer.public_key, missed_ends)
        await conductor.take_up()
        metrics.resumed(_adopt(await store.kept(), director, lobby))
        registry = StoredRegistry(
            *(store, signer.public_key, sign_up, limits),
            None if identity_provider is None else IdentityProvider(*identity_provider),
        )
        gate = Gate(limits, metrics, time.monotonic, await store.token_hashes(), dashboard_secret)
        builds = StoredBuilds(store, hosting, registry.allowance)
        play = PlayService(registry.players, lobby, gate, hello_seconds, metrics.queued)
        worker: ReadingWorker = (
            ReadingProcess(database_url) if read_beside else ReadingThread(ReadingCalls(read))
        )
        stack.callback(worker.close)
        reading = ReadingQueue(worker, limits, time.monotonic)
        timer = LoopTimer()
        spectators = Spectators(director.showable_matches, timer, spectator_delay, limits)
        director.audience = spectators
        server = RefereeServer(
            play,
            RegistryService(registry, reading, gate),
            OwnerService(registry, gate, lobby.presence),
            ChallengeService(registry, director.challenges, gate),
            SpectatorService(spectators, gate, timer, _activity(journal, lobby, director, timer)),
            AttendanceService(registry.players, play.attendances, gate),
            UploadService(registry, builds, gate),
            WorkerService(builds, gate),
            lobby,
            gate,
        )
        writing = tasks.create_task(journal.run())
        telling = tasks.create_task(missed_ends.run())
        changes = notifications(database_url, [TOURNAMENTS_CHANNEL])
        conducting = tasks.create_task(conductor.run(changes))
        showing = tasks.create_task(readiness.tell(server.tell_ready))
        checking = tasks.create_task(_check_tokens(play, database_url, readiness.connected))
        guarding = tasks.create_task(gate.connections.watch())
        keeper = CheckpointKeeper(database_url, read)
        running = [
            *(writing, telling, conducting, showing, checking, guarding, renewing),
            *([tasks.create_task(keeper.run())] if read_beside else []),
        ]
        looking_after = tasks.create_task(_look_after(store.shifts, hosting is not None))
        try:
            bound = await server.start(host, port, tls, socket)
            gate.connections.port = bound
            gate.connections.socket = None if socket is None else str(socket)
            if metrics_address is not None:
                _watch(metrics, journal, lobby, director)
                cuts = gate.connections
                metrics.watch("arena_connections_cut", "Since the start", lambda: cuts.cuts)
                stack.enter_context(
                    metrics_served(metrics, lambda: readiness.why_not, *metrics_address)
                )
            arena = Arena(store, read, bound, journal, lobby, director, server, missed_ends, gate)
            yield arena
            await arena.hand_over()
        finally:
            await server.stop()
            await reading.close()
            for task in running:
                task.cancel()
            looking_after.cancel()


def _adopt(left: Sequence[KeptBlock], director: Director, lobby: Lobby) -> int:
    """Continue what an earlier referee left. Returns the number of matches."""
    for kept in left:
        if kept.matches or not kept.running.engaged:
            places = kept.running.places
            director.adopt(kept, [lobby.expect(one.registered, one.instance) for one in places])
        else:
            # Its tournament has it played on when all of its bots are there.
            director.remember(kept.running)
    matches = sum(len(kept.matches) for kept in left)
    if left:
        log.info("going on where a referee stopped", blocks=len(left), matches=matches)
    return matches


def _activity(
    journal: Journal, lobby: Lobby, director: Director, timer: LoopTimer
) -> Callable[[], Activity]:
    began = timer.now()
    return lambda: Activity(
        lobby.connected, director.running, journal.recorded, timer.now() - began
    )


def _watch(metrics: Metrics, journal: Journal, lobby: Lobby, director: Director) -> None:
    watch = metrics.watch
    watch("arena_connected_bots", "Streams of bots", lambda: lobby.connected)
    watch("arena_matches_running", "Matches offered or played", lambda: director.running)
    watch("arena_results_waiting", "Results not recorded yet", lambda: journal.waiting)
    watch("arena_results_spooled", "Those of them in the spool", lambda: journal.spooled)


async def _check_tokens(
    play: PlayService, database_url: str, there: Callable[[bool], None]
) -> None:
    listening = notifications(database_url, [TOKENS_CHANNEL], there)
    async with aclosing(listening) as changes:
        async for _ in changes:
            await play.check_tokens()


async def _look_after(shifts: HostedShifts, hosting: bool) -> None:
    """Look after hosted bots from time to time."""
    while hosting:
        try:
            await shifts.look_after()
        except StorageError as error:
            log.error("hosted bots not looked after", why=str(error))
        await asyncio.sleep(LOOK_AFTER_SECONDS)


async def earlier_play(store: Store) -> tuple[MeetingCounts, Strengths]:
    """How often versions played and met in the newest stored results, and what these say of their
    strengths."""
    counts, known = MeetingCounts(), Strengths()
    types: dict[str, TableType] = {}
    for match in await store.newest_placings():
        named = f"{match.game} {match.options} {match.seat_count} {match.time_control}"
        table_type = types.get(named) or types.setdefault(named, _table_type(match))
        counts.add(table_type, match.versions)
        known.learn(table_type, match.versions, match.placings)
    return counts, known


def _table_type(match: PlacedMatch) -> TableType:
    options = make_game(match.game, match.options).options
    return TableType(match.game, options, match.seat_count, match.time_control)
