"""`PlayService`: the streams that bots play over, from who may open one to whom it belongs."""

import asyncio
from collections.abc import Callable, Collection
from typing import Final

import grpc
import structlog

from arena.records import VersionId
from arena.referee.attendances import Attendances
from arena.referee.errors import ProtocolError, internal_error
from arena.referee.gate import Authenticator, Gate
from arena.referee.lobby import Lobby
from arena.referee.play_stream import Greet, PlayStream
from arena.referee.refusals import Context
from arena.v1 import referee_pb2

HELLO_SECONDS: Final = 10.0
"""How long an open stream may take to send its hello."""

log = structlog.get_logger()


class PlayService:
    """Serves RefereeService.Play."""

    def __init__(
        self,
        authenticator: Authenticator,
        lobby: Lobby,
        gate: Gate,
        hello_seconds: float = HELLO_SECONDS,
        queued: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        """`queued` is told how long each message waited to be written."""
        self._queued = queued
        self._authenticator = authenticator
        self._gate = gate
        self._lobby = lobby
        self.attendances = Attendances(lobby.drain)
        self._hello_seconds = hello_seconds
        self._streams: set[PlayStream] = set()
        """The open ones."""
        self._greeting: Greet = self._greet
        """One for all streams."""

    async def check_tokens(self, versions: Collection[VersionId] | None = None) -> None:
        """End the streams, of these versions or of all, whose tokens are no longer valid."""
        # All at once: tokens that are looked up at the same time share a question to the database.
        async with asyncio.TaskGroup() as checks:
            for stream in self._streams:
                if versions is None or stream.registered.version_id in versions:
                    checks.create_task(self._check_token(stream))

    async def _check_token(self, stream: PlayStream) -> None:
        try:
            await self._authenticator.authenticate(stream.token)
        except ProtocolError as error:
            if error.code is not grpc.StatusCode.UNAVAILABLE:
                stream.end(error)

    async def play(self, _requests: object, context: Context) -> None:
        """Handle one stream, from its opening to its end."""
        try:
            token = bearer_token(context)
            registered = await self._gate.admit(self._authenticator, token, context.peer())
            spoke, count = self._gate.silent(registered.version_id), self._gate.byte_count()
            stream = PlayStream(context, token, registered, spoke, count, self._queued)
            self._streams.add(stream)
            try:
                await stream.converse(self._greeting, self._hello_seconds)
            finally:
                try:
                    self._left(stream)
                finally:
                    await stream.stop_writing()
        except ProtocolError as error:
            self._gate.refusals.note("stream refused", error)
            ending = error
        except Exception:
            log.exception("stream broken")
            ending = internal_error()
        else:
            return
        await self._gate.refusals.end(context, ending)

    def _left(self, stream: PlayStream) -> None:
        """A stream has ended."""
        stream.spoke()
        self._streams.discard(stream)
        try:
            stream.leave()
        finally:
            if stream.visit is not None:
                self._gate.connections.known(stream.peer, -1)
                self.attendances.left(stream.token, stream.visit.session)

    def _greet(self, stream: PlayStream, first: referee_pb2.PlayRequest) -> None:
        stream.spoke()
        if not first.HasField("hello"):
            raise ProtocolError(
                grpc.StatusCode.INVALID_ARGUMENT, "the first message must hold `hello`"
            )
        registered, hello = stream.registered, first.hello
        stream.visit = self._lobby.enter(registered, hello, stream.outbox, stream.end)
        self._gate.connections.known(stream.peer, 1)
        self.attendances.came(stream.token, stream.visit.session)


def bearer_token(context: Context) -> str:
    """The token in a call's metadata. Raises ProtocolError if there is none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            scheme, _, token = value.partition(" ")
            if scheme == "Bearer" and token.strip():
                return token.strip()
    raise ProtocolError(
        grpc.StatusCode.UNAUTHENTICATED,
        "no token was sent: send the bot's token in the call's metadata, "
        '"authorization": "Bearer <token>"',
    )
