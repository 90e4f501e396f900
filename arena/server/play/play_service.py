"""`PlayService`: admits the streams that bots play over, and gives each to its session."""

import asyncio
from collections.abc import Callable, Collection
from typing import Final

import grpc
import structlog

from arena.records import Registered, VersionId
from arena.server.limits.gate import Authenticate, Gate
from arena.server.limits.guarding import bearer_token
from arena.server.limits.refusals import Context
from arena.server.limits.storage_statuses import storage_errors_to_grpc
from arena.server.play.attendances import Attendances
from arena.server.play.lobby import Lobby
from arena.server.play.play_stream import Greet, PlayStream
from arena.server.requests.errors import ProtocolError, internal_error, malformed
from arena.v1 import referee_pb2

HELLO_SECONDS: Final = 10.0
"""How long an open stream may take to send its hello."""

log = structlog.get_logger()


class PlayService:
    """Serves RefereeService.Play."""

    def __init__(
        self,
        authenticate: Authenticate,
        lobby: Lobby,
        gate: Gate,
        hello_seconds: float = HELLO_SECONDS,
        queued: Callable[[float], None] = lambda _seconds: None,
        hosted: Authenticate | None = None,
    ) -> None:
        """`queued` is called with the seconds that each message waited to be written.

        `hosted` checks the tokens of streams over the Unix socket, by default `authenticate`.
        """
        self._hosted = hosted or authenticate
        self._queued = queued
        self._authenticate = authenticate
        self._gate = gate
        self._lobby = lobby
        self.attendances = Attendances()
        self._hello_seconds = hello_seconds
        self._streams: set[PlayStream] = set()
        """The open streams, also those without a hello yet."""
        self._checks = 0
        """How many times `check_tokens` was called."""
        self._greeting: Greet = self._greet
        """One bound method, shared by all streams."""

    async def check_tokens(self, versions: Collection[VersionId] | None = None) -> None:
        """End the streams of `versions`, by default of all, whose tokens are no longer valid.

        The other streams get the current paces of their bots.
        """
        self._checks += 1
        # Concurrently: tokens that are looked up at the same time share a database query.
        async with asyncio.TaskGroup() as checks:
            for stream in self._streams:
                if versions is None or stream.registered.version_id in versions:
                    checks.create_task(self._check_token(stream))

    async def _check_token(self, stream: PlayStream) -> None:
        try:
            async with storage_errors_to_grpc():
                registered = await self._authenticate(stream.token)
        except ProtocolError as error:
            if error.code is not grpc.StatusCode.UNAVAILABLE:
                stream.end(error)
        else:
            if stream.session is not None:
                stream.session.known_as(registered)

    async def play(self, _requests: object, context: Context) -> None:
        """Handle one stream over the port, from its opening to its end."""
        await self._serve(self._authenticate, context)

    async def play_hosted(self, _requests: object, context: Context) -> None:
        """Handle one stream over the Unix socket, from its opening to its end."""
        await self._serve(self._hosted, context)

    async def _serve(self, authenticate: Authenticate, context: Context) -> None:
        try:
            token = bearer_token(context)
            with self._gate.calling(context) as peer:
                checks = self._checks
                registered = await self._gate.admit(authenticate, token, peer)
                stream = self._opened(context, token, registered)
                try:
                    if checks != self._checks:  # the token was read before a check that missed it
                        async with storage_errors_to_grpc():
                            stream.registered = await authenticate(token)
                    await stream.converse(self._greeting, self._hello_seconds)
                finally:
                    self._closed(stream)
        except ProtocolError as error:
            self._gate.refusals.note("stream refused", error)
            ending = error
        except Exception:
            log.exception("stream broken")
            ending = internal_error()
        else:
            return
        await self._gate.refusals.end(context, ending)

    def _opened(self, context: Context, token: str, registered: Registered) -> PlayStream:
        """Return a new stream, which `check_tokens` includes from now on."""
        spoke, count = self._gate.silent(registered.version_id), self._gate.byte_count()
        stream = PlayStream(*(context, self._lobby, token, registered), spoke, count, self._queued)
        self._streams.add(stream)
        return stream

    def _closed(self, stream: PlayStream) -> None:
        """Note that a stream has ended."""
        stream.spoke()
        self._streams.discard(stream)
        try:
            stream.leave()
        finally:
            try:
                if stream.session is not None:
                    self._gate.connections.known(stream.peer, -1)
                    self.attendances.left(stream.token, stream.session)
            finally:
                stream.stop_writing()

    def _greet(self, stream: PlayStream, first: referee_pb2.PlayRequest) -> None:
        stream.spoke()
        if not first.HasField("hello"):
            raise malformed("the first message must hold `hello`")
        registered, hello = stream.registered, first.hello
        stream.session = self._lobby.enter(registered, hello, stream.outbox, stream.end)
        self._gate.connections.known(stream.peer, 1)
        self.attendances.came(stream.token, stream.session)
