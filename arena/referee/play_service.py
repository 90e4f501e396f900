"""`PlayService`: the streams that bots play over, each with one task to read and one to write."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from time import monotonic
from typing import Any, Final

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from arena.records import Registered, VersionId
from arena.referee.attendances import Attendances
from arena.referee.errors import ProtocolError
from arena.referee.gate import Authenticator, Gate
from arena.referee.lobby import Lobby, Visit
from arena.referee.outbox import Outbox
from arena.referee.refusals import Context
from arena.v1 import referee_pb2

HELLO_SECONDS: Final = 10.0
"""How long an open stream may take to send its hello."""
GOODBYE_SECONDS: Final = 0.05
"""How long the end of a bot's stream waits for grpc to report that the connection was lost."""

log = structlog.get_logger()

Handler = Callable[[referee_pb2.PlayRequest], None]


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
        self._tokens: dict[_Stream, tuple[VersionId, str]] = {}
        """The versions and tokens of the open streams."""
        self._hello_seconds = hello_seconds

    async def check_tokens(self, versions: Collection[VersionId] | None = None) -> None:
        """End the streams, of these versions or of all, whose tokens are no longer valid."""
        # All at once: tokens that are looked up at the same time share a question to the database.
        async with asyncio.TaskGroup() as checks:
            for stream, (version, token) in self._tokens.items():
                if versions is None or version in versions:
                    checks.create_task(self._check_token(stream, token))

    async def _check_token(self, stream: "_Stream", token: str) -> None:
        try:
            await self._authenticator.authenticate(token)
        except ProtocolError as error:
            if error.code is not grpc.StatusCode.UNAVAILABLE:
                stream.end(error)

    async def play(self, _requests: object, context: Context) -> None:
        """Handle one stream, from its opening to its end."""
        try:
            token = bearer_token(context)
            registered = await self._gate.admit(self._authenticator, token, context.peer())
            with self._gate.silent(registered.version_id) as spoke:
                await self._converse(registered, token, context, spoke)
        except ProtocolError as error:
            self._gate.refusals.note("stream refused", error)
            ending = error
        except Exception:
            log.exception("stream broken")
            ending = _our_mistake()
        else:
            return
        await self._gate.refusals.end(context, ending)

    async def _converse(
        self, registered: Registered, token: str, context: Context, spoke: Callable[[], None]
    ) -> None:
        stream = _Stream(context, self._hello_seconds, self._gate.byte_count(), self._queued)
        peer = context.peer()

        def greet(first: referee_pb2.PlayRequest) -> Handler:
            spoke()
            handle = self._greet(registered, stream, first)
            self._gate.connections.known(peer, 1)
            assert stream.visit is not None
            self.attendances.came(token, stream.visit.session)
            return handle

        self._tokens[stream] = registered.version_id, token
        try:
            # grpc.aio sends the initial metadata with the first message, and marks them as sent
            # once that is written. A writer cancelled before that makes it send them again with the
            # status: grpc refuses both, and the bot waits forever.
            with suppress(grpc.aio.InternalError):  # the bot is gone; grpc will cancel the call
                await context.send_initial_metadata(())
            async with asyncio.TaskGroup() as tasks:
                reader = tasks.create_task(stream.read(greet))
                writer = tasks.create_task(stream.write())
                try:
                    ending = await stream.ending
                finally:
                    # Also when the call is cancelled because the bot is gone.
                    stream.leave()
                    reader.cancel()
                    writer.cancel()
        finally:
            del self._tokens[stream]
            if stream.visit is not None:
                self._gate.connections.known(peer, -1)
                self.attendances.left(token, stream.visit.session)
        if ending is not None:
            raise ending

    def _greet(
        self, registered: Registered, stream: "_Stream", first: referee_pb2.PlayRequest
    ) -> Handler:
        if not first.HasField("hello"):
            raise ProtocolError(
                grpc.StatusCode.INVALID_ARGUMENT, "the first message must hold `hello`"
            )
        stream.visit = self._lobby.enter(registered, first.hello, stream.outbox, stream.end)
        return stream.visit.session.handle


class _Stream:
    """One call: its outbox, and the future of how it ends (None: the bot closed it)."""

    __slots__ = ("_context", "_count", "_hello_timer", "_queued", "ending", "outbox", "visit")

    def __init__(
        self,
        context: Context,
        hello_seconds: float,
        count: Callable[[int], None],
        queued: Callable[[float], None],
    ) -> None:
        self._context = context
        self._count = count
        self._queued = queued
        self.outbox = Outbox(self._overflow)
        self.visit: Visit | None = None
        """Set once the hello was accepted."""
        loop = asyncio.get_running_loop()
        self.ending: asyncio.Future[ProtocolError | None] = loop.create_future()
        # A timer, not a timeout around the read: cancelling a read breaks all further reads.
        self._hello_timer: asyncio.TimerHandle | None = loop.call_later(
            hello_seconds, lambda: self.end(_no_hello())
        )

    def end(self, error: ProtocolError | None) -> None:
        """End the call; only the first reason counts."""
        self._greeted()
        if not self.ending.done():
            self.ending.set_result(error)

    def _greeted(self) -> None:
        """The hello is not waited for any more."""
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None

    def _overflow(self) -> None:
        self.end(_too_slow())

    def leave(self) -> None:
        """Clean up after the call: the bot closed it, the referee ended it, or it was cut."""
        if self.visit is not None:
            ending = self.ending
            polite = ending.done() and not ending.cancelled() and ending.result() is None
            self.visit.leave(goodbye=polite)

    async def read(self, greet: Callable[[referee_pb2.PlayRequest], Handler]) -> None:
        """Handle messages until the bot closes the stream or breaks the protocol."""
        receive: Callable[[], Awaitable[Any]] = self._context.read
        handle: Handler | None = None
        try:
            while (data := await receive()) is not grpc.aio.EOF:
                self._count(len(data))
                # No variable holds the message, and so its memory, while the next is waited for.
                if handle is None:
                    self._greeted()
                    handle = greet(_parsed(data))
                else:
                    handle(_parsed(data))
        except ProtocolError as error:
            self.end(error)
        except Exception:
            log.exception("stream broken")
            self.end(_our_mistake())
        else:
            if self.visit is not None:
                self.visit.offer_nothing_more()
            # A lost connection looks as if the bot closed the stream, until grpc cancels the call
            # a moment later.
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self.end, None)

    async def write(self) -> None:
        """Send everything that waits, in as few messages as possible."""
        while True:
            message = await self.outbox.take()
            try:
                if message:
                    await self._context.write(message)
                    self._queued(monotonic() - self.outbox.taken_begun)
            except grpc.aio.InternalError:
                # The bot is gone; grpc is about to cancel the call.
                return
            if self.outbox.done:
                self.end(None)
                return


def _parsed(data: bytes) -> referee_pb2.PlayRequest:
    try:
        return referee_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise ProtocolError(
            grpc.StatusCode.INVALID_ARGUMENT, "these bytes are not an arena.v1.PlayRequest"
        ) from None


# A new error each time: one that is raised again and again keeps all its tracebacks.
def _no_hello() -> ProtocolError:
    return ProtocolError(grpc.StatusCode.DEADLINE_EXCEEDED, "no `hello` was sent in time")


def _too_slow() -> ProtocolError:
    return ProtocolError(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent"
    )


def _our_mistake() -> ProtocolError:
    return ProtocolError(grpc.StatusCode.INTERNAL, "the referee made a mistake")


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
