"""`running_arena`: assembles a referee on one database, with its ladder and tournaments."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from typing import Final

import structlog

from arena.codec.transcript import to_bytes
from arena.database.channels import (
    EVENTS_CHANNEL,
    NOTICES_CHANNEL,
    TOKENS_CHANNEL,
    TOURNAMENTS_CHANNEL,
)
from arena.database.errors import StorageError
from arena.database.listening import notifications
from arena.database.reading import open_reader
from arena.randomness import SECRET_BYTES
from arena.records import Allowance, VersionId
from arena.server.accounts.identity_provider import IdentityProvider
from arena.server.accounts.owner_service import OwnerService, SignUpRules
from arena.server.accounts.registration import Registration
from arena.server.app.arena import Arena
from arena.server.app.metrics import Metrics, metrics_served
from arena.server.app.pairing_history import pairing_history
from arena.server.app.presence import Presences
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.referees_store import open_referees_store
from arena.server.app.server import LoopTimer, RefereeServer, Services
from arena.server.app.spools import Spools
from arena.server.app.takeover import Takeover
from arena.server.app.tokens import Tokens
from arena.server.boards.checkpoint_keeper import CheckpointKeeper
from arena.server.events.ladders.connected_ladders import ConnectedLadders
from arena.server.events.serving.event_service import EventService
from arena.server.events.serving.keeper import EventKeeper
from arena.server.events.serving.organiser_service import OrganiserService
from arena.server.events.serving.worker_service import WorkerService
from arena.server.failover.loop_load import LoopLoad
from arena.server.failover.readiness import Readiness
from arena.server.failover.result_writer import ResultWriter
from arena.server.failover.spreading import Spreading
from arena.server.ladder.agenda import Agendas
from arena.server.ladder.challenge_service import ChallengeService
from arena.server.ladder.director import Director
from arena.server.limits.connections import Connections
from arena.server.limits.gate import MOST_KNOWN, Gate
from arena.server.notices.webhook_service import WebhookService
from arena.server.operating.operator_service import OperatorService
from arena.server.play.attendance_service import AttendanceService
from arena.server.play.compiled import CompiledRules, installed_games
from arena.server.play.lobby import Lobby
from arena.server.play.missed_ends import MissedEnds
from arena.server.play.play_service import PlayService
from arena.server.reading.calls import ReadingCalls
from arena.server.reading.process import ReadingProcess, ReadingThread, ReadingWorker
from arena.server.reading.reading_queue import ReadingQueue
from arena.server.reading.registry_service import RegistryService
from arena.server.tournaments.conductor import Conductor
from arena.server.uploads.hosted_shifts import HostedShifts
from arena.server.uploads.upload_service import UploadService
from arena.server.watching.spectator_service import SpectatorService
from arena.server.watching.spectators import Spectators
from arena.v1.spectator_pb2 import GetActivityResponse

GATHER_SECONDS: Final = 0.05
"""The time that a result waits to be written together with others.

A transaction alone costs as much as dozens of matches in it. The bots' next match does not wait for
the write.
"""
LOOK_AFTER_SECONDS: Final = 15.0
"""The interval between searches for hosted bots whose shift was lost, or that may play again."""

_FAILING: Final = "it repeatedly misses or forfeits matches, and is left out for a while each time."

log = structlog.get_logger()


@asynccontextmanager
async def running_arena(database_url: str, settings: RefereeSettings) -> AsyncIterator[Arena]:
    """Run a referee that listens and plays until the `async with` block ends; then it hands over.

    The database must be migrated. Other referees may run on it: the spool of a stopped referee is
    recorded, and its blocks and matches are continued. Raises PortTakenError, TlsError and the
    errors of arena.database; LeaseTakenError as soon as another referee has taken over.
    """
    limits = settings.limits
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_referees_store(database_url))
        lease = store.lease
        read = stack.enter_context(open_reader(database_url))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        renewing = tasks.create_task(lease.keep())
        signer = await store.signer()
        folder = settings.spool_directory
        spools = None if folder is None else Spools(folder, signer.public_key)
        spool = None if spools is None else spools.of(lease.epoch)
        metrics = Metrics()
        writer = ResultWriter(store, gather_seconds=GATHER_SECONDS, spool=spool, meter=metrics)
        readiness = Readiness(writer)
        history = await pairing_history(store)
        timer = LoopTimer()
        compiled = CompiledRules(timer.now, installed_games() if settings.compiled else {})
        director = Director(
            settings.table_types,
            history.counts,
            writer,
            timer,
            lambda: secrets.token_bytes(SECRET_BYTES),
            lambda transcript: to_bytes(signer.signed(transcript)),
            settings.terms,
            strengths=history.strengths,
            compiled=compiled,
        )
        conductor = Conductor(
            store=store.tournaments,
            bots=store.tournament_bots,
            writer=writer,
            schedule=director.schedule,
            here=director.playing,
        )
        connected_ladders = ConnectedLadders(store.connected_blocks, writer, director.schedule)
        director.agenda = Agendas(conductor, connected_ladders)
        director.on_failing = partial(store.failing_bots.fails, why=_FAILING)
        missed_ends = MissedEnds(store)
        lobby = Lobby(director, signer.public_key, missed_ends, compiled)
        presences = Presences(store, lobby)
        lease.matches = lambda: director.running
        lease.load = load = LoopLoad()
        lease.spreading = Spreading(settings.spread_load)
        takeover = Takeover(store, spools, writer, director, conductor, lobby, missed_ends, metrics)
        await takeover.run_once()
        issuer = settings.identity_provider
        tokens = Tokens(store)
        allowance = Allowance(
            limits.bots_per_owner, limits.versions_per_day, limits.owner_versions_per_day
        )
        rules = SignUpRules(
            settings.sign_up, allowance, None if issuer is None else IdentityProvider(*issuer)
        )
        known = await store.token_hashes(MOST_KNOWN)
        gate = Gate(limits, metrics, time.monotonic, known, settings.dashboard_secret)
        play = PlayService(
            *(tokens.player, lobby, gate, settings.hello_seconds, metrics.queued),
            hosted=tokens.hosted_player,
        )
        conductor.staffing.shifts = play.attendances
        worker: ReadingWorker = (
            ReadingProcess(database_url)
            if settings.read_beside
            else ReadingThread(ReadingCalls(read))
        )
        stack.callback(worker.close)
        reading = ReadingQueue(worker, limits, time.monotonic)
        spectators = Spectators(director.showable_matches, timer, settings.spectator_delay, limits)
        director.audience = spectators
        began = timer.now()

        async def activity() -> GetActivityResponse:
            return GetActivityResponse(
                connected_bots=await presences.copies(),
                running_matches=director.running + lease.matches_elsewhere,
                recorded_matches=writer.recorded,
                running_seconds=int(timer.now() - began),
            )

        services = Services(
            play=play,
            registry=RegistryService(
                *(tokens, Registration(store.owners, allowance), store.checks.record),
                *(signer.public_key, reading, gate),
            ),
            owners=OwnerService(
                *(tokens, store.owners, store.sign_ins, store.messages, rules, gate),
                *(presences.of, store.checks.in_words, store.builds.refused, store.notes.of_match),
            ),
            operators=OperatorService(tokens, store.operators, store.owners, store.messages, gate),
            challenges=ChallengeService(
                tokens.authenticate, tokens, store.challenge, director.challenges, gate
            ),
            spectating=SpectatorService(spectators, gate, timer, activity),
            attendance=AttendanceService(tokens.player, play.attendances, gate),
            uploads=UploadService(
                tokens, store.builds, store.shift_logs, settings.hosting, allowance, gate
            ),
            webhooks=WebhookService(tokens, store.bot_webhooks, gate),
            events=EventService(tokens, store.events, store.event_views, store.builds, gate),
            organisers=OrganiserService(tokens, store, gate),
            # All addresses, but only if this referee has one of its own.
            workers=WorkerService(
                *(store.workers, store.shifts, store.finals, store.ladders, store.signer),
                *(settings.hosting, gate),
                lambda: lease.addresses if lease.address else (),
            ),
        )
        server = RefereeServer(services, lobby, gate)
        work = [
            writer.run(),
            missed_ends.run(),
            conductor.run(notifications(database_url, [TOURNAMENTS_CHANNEL])),
            readiness.tell(server.tell_ready),
            _check_tokens(play, database_url, readiness.connected),
            gate.connections.watch(),
            takeover.run(),
            history.follow(),
            conductor.search(),
            presences.run(),
            EventKeeper(store.finals, store.ladders, store.event_notices, store.record).run(
                notifications(database_url, [EVENTS_CHANNEL])
            ),
            connected_ladders.run(notifications(database_url, [EVENTS_CHANNEL])),
            store.failing_bots.run(),
            store.deliveries.run(notifications(database_url, [NOTICES_CHANNEL])),
            lease.listen(database_url),
            store.retention.keep(),
        ]
        if settings.read_beside:
            work.append(CheckpointKeeper(database_url, read).run())
        if settings.hosting is not None:
            work.append(_look_after(store.shifts))
        running = [renewing, *map(tasks.create_task, work)]
        try:
            socket = settings.socket
            bound = server.listen(settings.host, settings.port, settings.tls, socket)
            gate.connections.port = bound
            own = settings.public_addresses(bound)
            lease.on_referees = lambda: lobby.tell_referees(
                lease.addresses, lease.address, lease.spreading.in_use
            )
            # Before the first bot connects, as it is sent this referee's address.
            await lease.announce(*own)
            await server.start()
            gate.connections.socket = None if socket is None else str(socket)
            if settings.metrics_address is not None:
                _watch(metrics, writer, lobby, director, gate.connections, load)
                number = own.index(lease.address) + 1 if own else None
                stack.enter_context(
                    metrics_served(
                        metrics, lambda: readiness.why_not, *settings.metrics_address, number
                    )
                )
            arena = Arena(store, read, bound, writer, lobby, director, server, missed_ends, gate)
            yield arena
            await arena.hand_over()
        finally:
            await server.stop()
            await reading.close()
            for task in running:
                task.cancel()


def _watch(
    metrics: Metrics,
    writer: ResultWriter,
    lobby: Lobby,
    director: Director,
    connections: Connections,
    load: LoopLoad,
) -> None:
    """Register the figures that are read from the referee's parts when metrics are collected."""
    watch = metrics.watch
    watch("arena_connected_bots", "Streams of bots", lambda: lobby.connected)
    watch("arena_matches_running", "Matches offered or played", lambda: director.running)
    watch(
        "arena_load",
        "Share of the last seconds in which the event loop was busy",
        lambda: load.latest,
    )
    watch("arena_results_waiting", "Results not recorded yet", lambda: writer.waiting)
    text = "Results not recorded yet that are kept in the spool"
    watch("arena_results_spooled", text, lambda: writer.spooled)
    text = "Connections cut because they were too many or took too much"
    metrics.watch_total("arena_connections_cut", text, lambda: connections.cuts)


async def _check_tokens(
    play: PlayService, database_url: str, there: Callable[[bool], None]
) -> None:
    """Check the tokens of connected bots whenever the database announces a change."""
    listening = notifications(database_url, [TOKENS_CHANNEL], there)
    async with aclosing(listening) as changes:
        async for told in changes:
            # A notification without a version id may concern any version.
            named = all(map(str.isdecimal, told))
            await play.check_tokens({VersionId(int(id_)) for id_ in told} if named else None)


async def _look_after(shifts: HostedShifts) -> None:
    while True:
        try:
            await shifts.look_after()
        except StorageError as error:
            log.error("hosted bots not looked after", why=str(error))
        await asyncio.sleep(LOOK_AFTER_SECONDS)
