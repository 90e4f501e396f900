"""The gRPC server: services, limits, start and graceful stop."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.addresses import host_port
from arena.errors import UserError
from arena.library_logs import bound_library_logs
from arena.server.accounts.owner_service import OwnerService
from arena.server.app.tls import TlsFiles, server_credentials
from arena.server.events.serving.event_service import EventService
from arena.server.events.serving.organiser_service import OrganiserService
from arena.server.events.serving.worker_service import WorkerService
from arena.server.ladder.challenge_service import ChallengeService
from arena.server.limits.channel_options import OPTIONS
from arena.server.limits.count_waiting import CountWaiting
from arena.server.limits.gate import Gate
from arena.server.limits.oversized_calls import RefuseOversized
from arena.server.limits.reflection import ReflectionService
from arena.server.limits.refusals import Context
from arena.server.notices.webhook_service import WebhookService
from arena.server.operating.operator_service import OperatorService
from arena.server.play.attendance_service import AttendanceService
from arena.server.play.lobby import Lobby
from arena.server.play.play_service import PlayService
from arena.server.reading.registry_service import RegistryService
from arena.server.requests.errors import ProtocolError
from arena.server.requests.malformed_calls import RefuseMalformed
from arena.server.uploads.upload_service import UploadService
from arena.server.watching.spectator_service import SpectatorService
from arena.v1 import (
    attendance_pb2,
    challenge_pb2,
    event_pb2,
    operator_pb2,
    organiser_pb2,
    owner_pb2,
    referee_pb2,
    registry_pb2,
    spectator_pb2,
    upload_pb2,
    webhook_pb2,
    worker_pb2,
)

Handlers: TypeAlias = "dict[str, grpc.RpcMethodHandler[Any, Any]]"
"""The handlers of a service, by the names of its methods."""

LIVENESS: Final = "liveness"
"""The name under which the health service reports that the process runs, ready or not."""


def _name(module: Any) -> str:
    """Return the full name of the one service of a generated module."""
    (service,) = module.DESCRIPTOR.services_by_name.values()
    return str(service.full_name)


_PLAY: Final = _name(referee_pb2)


class PortTakenError(UserError):
    """The error for an address that cannot be listened on; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of the server: one of each service of arena.v1."""

    play: PlayService
    registry: RegistryService
    owners: OwnerService
    operators: OperatorService
    challenges: ChallengeService
    spectating: SpectatorService
    attendance: AttendanceService
    uploads: UploadService
    events: EventService
    webhooks: WebhookService
    organisers: OrganiserService
    workers: WorkerService

    def handlers(self) -> dict[str, Handlers]:
        """Return the handlers of the methods, by the full name of the service."""
        return {
            _PLAY: _play_handlers(self.play.play),
            _name(registry_pb2): self.registry.handlers,
            _name(owner_pb2): self.owners.handlers,
            _name(operator_pb2): self.operators.handlers,
            _name(challenge_pb2): self.challenges.handlers,
            _name(spectator_pb2): self.spectating.handlers,
            _name(attendance_pb2): self.attendance.handlers,
            _name(upload_pb2): self.uploads.handlers,
            _name(event_pb2): self.events.handlers,
            _name(webhook_pb2): self.webhooks.handlers,
            _name(organiser_pb2): self.organisers.handlers,
            _name(worker_pb2): self.workers.handlers,
        }


class RefereeServer:
    """The gRPC server for bots. Call `listen` and `start` before use, and `stop` at the end."""

    def __init__(self, services: Services, lobby: Lobby, gate: Gate) -> None:
        self._services = services
        self._lobby = lobby
        # gRPC logs a traceback for each line of metadata that is not UTF-8.
        bound_library_logs()
        self._stopped = False
        self._by_socket: grpc.aio.Server | None = None
        self._interceptors = (CountWaiting(gate), RefuseOversized(gate), RefuseMalformed())
        self._server = grpc.aio.server(interceptors=self._interceptors, options=OPTIONS)
        handlers = services.handlers()
        self._names = tuple(handlers)
        told = ReflectionService((*self._names, health.SERVICE_NAME), gate)
        _add(self._server, handlers | {reflection.SERVICE_NAME: told.handlers})
        self._health = _PacedHealth(gate)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    def listen(
        self, host: str, port: int, tls: TlsFiles | None = None, socket: Path | None = None
    ) -> int:
        """Bind the port and return it (a free one for 0); clients that connect wait until `start`.

        Raises PortTakenError and TlsError.

        Over `socket`, a path in a directory that only this user may enter, hosted bots play with
        the tokens of their shifts. Nothing else is served there: calls without a token are limited
        by address, and a caller over a socket has no address.
        """
        if socket is not None:
            self._listen_on(socket)
        address = host_port(host, port)
        try:
            if tls is None:
                return self._server.add_insecure_port(address)
            return self._server.add_secure_port(address, server_credentials(tls))
        except RuntimeError as error:
            raise PortTakenError(
                f"cannot listen on {address}: is another program using it? "
                "Stop that program or choose another port with --port."
            ) from error

    async def start(self) -> None:
        """Start to serve."""
        for server in filter(None, (self._by_socket, self._server)):
            await server.start()
        await self._health.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)
        await self.tell_ready(True)

    async def tell_ready(self, ready: bool) -> None:
        """Set whether the health service reports all services as ready."""
        known = health_pb2.HealthCheckResponse
        for name in ("", *self._names):
            await self._health.set(name, known.SERVING if ready else known.NOT_SERVING)

    async def stop(self) -> None:
        """End all streams with a status and close. A second call does nothing."""
        if self._stopped:
            return
        self._stopped = True
        await self._health.enter_graceful_shutdown()
        self._services.challenges.close()
        self._lobby.close_all(_stopping)
        self._services.spectating.close_all(_stopping)
        await self._server.stop(grace=1.0)
        if self._by_socket is not None:
            await self._by_socket.stop(grace=0.2)

    def _listen_on(self, socket: Path) -> None:
        """Bind the Unix socket for hosted bots. Raises PortTakenError."""
        server = grpc.aio.server(interceptors=self._interceptors, options=OPTIONS)
        _add(server, {_PLAY: _play_handlers(self._services.play.play_hosted)})
        try:
            server.add_insecure_port(f"unix:{socket}")
            # For bots that run as another user: anybody who may enter the directory may connect.
            os.chmod(socket, 0o666)  # noqa: PTH101, S103  it takes no time; see above
        except (RuntimeError, OSError) as error:
            raise PortTakenError(
                f"cannot listen on the socket {socket}: choose another path with ARENA_SOCKET."
            ) from error
        self._by_socket = server


def _add(server: grpc.aio.Server, handlers: dict[str, Handlers]) -> None:
    server.add_generic_rpc_handlers(
        tuple(grpc.method_handlers_generic_handler(*one) for one in handlers.items())
    )


def _play_handlers(play: Callable[[object, Context], Awaitable[None]]) -> Handlers:
    """Return the handlers of the service for playing, made by hand.

    Malformed bytes must end the call with our message, not with the library's status, and responses
    are bytes already.
    """
    return {"Play": grpc.stream_stream_rpc_method_handler(play)}


class _PacedHealth(health.aio.HealthServicer):
    """The health service, in which a caller that asks too often waits."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    async def Check(  # noqa: N802 (gRPC's name)
        self, request: health_pb2.HealthCheckRequest, context: Context
    ) -> health_pb2.HealthCheckResponse:
        """Return the health of a service, after a delay if the caller asks too often."""
        await self._pace(context)
        return await super().Check(request, context)

    async def Watch(  # noqa: N802 (gRPC's name)
        self, _request: health_pb2.HealthCheckRequest, context: Context
    ) -> None:
        """Refuse to watch: the library keeps watchers forever, and one can silence the others."""
        await self._pace(context)
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "ask with Check instead of Watch")

    async def _pace(self, context: Context) -> None:
        """Delay a caller that asks too often; end its call if the gate raises ProtocolError."""
        try:
            await self._gate.pace(self._gate.caller(context))
        except ProtocolError as error:
            await self._gate.refusals.end(context, error)


class LoopTimer:
    """The event loop's clock as a Timer (see play.ports)."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.now = self._loop.time
        self.call_at = self._loop.call_at


def _stopping() -> ProtocolError:
    """Return the error with which streams end when the referee stops."""
    return ProtocolError(
        grpc.StatusCode.UNAVAILABLE,
        "the referee is stopping; come back, running matches will go on",
    )
