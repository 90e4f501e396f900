"""`ScriptedReferee`: a gRPC referee whose side of each stream is played by a scenario.

Exception
└── UnmetError     the bot did not do what a scenario expects; says what was seen instead
    └── GoneError  the bot closed or cut its stream
UserError
└── ListenError    the referee's address cannot be used
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio

from arena.codec.transcript import write_entrant
from arena.errors import UserError
from arena.games import GAMES
from arena.library_logs import bound_library_logs
from arena.local.programs.attentive_timer import AttentiveTimer
from arena.local.programs.program import CONNECT_SECONDS, BotProgram, open_socket
from arena.match.transcript import PROTOCOL_VERSION, Entrant
from arena.signatures import Signer, new_private_key
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceServicer, add_RefereeServiceServicer_to_server

ANSWER_SECONDS: Final = 5.0
"""The time that a bot may take for anything that is asked of it."""
_LOOK_SECONDS: Final = 0.02
_LONGEST_LOOK_SECONDS: Final = 0.5
"""The longest wait between looks at a timer, which ignores gaps longer than LONGEST_GAP (1 s)."""
BOT: Final = Entrant("checked", "1", "local")


class UnmetError(Exception):
    """The bot did something else than a scenario expects."""


class GoneError(UnmetError):
    """The bot closed or cut its stream although something was expected of it."""


class ListenError(UserError):
    """The address on which the referee is to listen cannot be used."""


class BotStream:
    """One stream of the bot."""

    def __init__(self, context: Any, token: str, now: Callable[[], float]) -> None:
        self._context = context
        self._now = now
        self.token = token
        """The metadata `authorization` that the bot sent."""
        self.hello = pb.Hello()
        self.awaited = ""
        """The message that is waited for, in words; "" if there is none."""
        self._heard: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
        self.closed = False
        """Whether the bot has closed or lost its side."""
        self.ending: asyncio.Future[tuple[grpc.StatusCode, str] | None]
        self.ending = asyncio.get_running_loop().create_future()

    @property
    def over(self) -> bool:
        """Whether either side has ended the stream."""
        return self.closed or self.ending.done()

    async def read(self) -> None:
        """Queue the bot's messages until it closes its side."""
        with suppress(grpc.aio.UsageError, grpc.aio.InternalError):
            while (message := await self._context.read()) is not grpc.aio.EOF:
                self._heard.put_nowait(message)
        self.closed = True
        self._heard.put_nowait(None)

    async def hear(self, what: str, seconds: float = ANSWER_SECONDS) -> pb.PlayRequest:
        """Return the next message. Raises UnmetError, which names `what` was expected."""
        self.awaited = what
        message = await self.perhaps_hear(seconds)
        if message is None:
            if self.closed:
                raise GoneError(f"instead of {what}: it closed the stream")
            raise UnmetError(f"instead of {what}: nothing came within {seconds:g} s")
        self.awaited = ""
        return message

    async def perhaps_hear(self, seconds: float) -> pb.PlayRequest | None:
        """Return the next message; None if none comes within `seconds`."""
        until = self._now() + seconds
        while (left := until - self._now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LONGEST_LOOK_SECONDS)):
                    return await self._heard.get()
        return None

    async def say(self, *more: pb.PlayResponse, **members: Any) -> None:
        """Send one message, merged from `members` and `more`. Raises GoneError if the bot left."""
        message = pb.PlayResponse(**members)
        for one in more:
            message.MergeFrom(one)
        try:
            await self._context.write(message)
        except (grpc.aio.UsageError, grpc.aio.InternalError, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and not self.closed:
                raise
            raise GoneError("it cut the stream") from error

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, why: str = "") -> None:
        """End the stream."""
        if not self.ending.done():
            self.ending.set_result(None if code is grpc.StatusCode.OK else (code, why))


class ScriptedReferee(ABC):
    """A referee that serves one bot as the scenarios direct."""

    program: BotProgram | None = None
    """The bot, if it was started here."""
    log: Path | None = None
    """The output of the program."""
    connect_seconds: float = CONNECT_SECONDS
    """The time that the bot may take to open a stream."""

    def __init__(self, token: str, address: str = "127.0.0.1:0") -> None:
        self.signer = Signer(new_private_key())
        self.token = token
        self.address = address
        """The address to listen on; a free port replaces port 0 once the referee listens."""
        self._streams: asyncio.Queue[BotStream] = asyncio.Queue()
        self._opened: list[BotStream] = []
        """Streams that may still be open."""

    @abstractmethod
    def start(self) -> None:
        """Make the bot open a new stream; earlier streams are not used any more."""

    def end_streams(self) -> None:
        """End all streams, so that the bot reconnects for the next scenario."""
        while not self._streams.empty():
            self._streams.get_nowait()
        for stream in self._opened:
            stream.end(grpc.StatusCode.UNAVAILABLE, "the next scenario begins; come back")
        self._opened.clear()

    @property
    def awaited(self) -> str:
        """The message that the newest stream waits for, in words; "" if there is none."""
        return self._opened[-1].awaited if self._opened else ""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serve until the block ends. Raises ListenError."""
        streams, opened, now = self._streams, self._opened, self.now
        self._timer = AttentiveTimer()

        class Service(RefereeServiceServicer):
            async def Play(  # type: ignore[override]  # noqa: N802
                self, _requests: Any, context: Any
            ) -> None:
                metadata = dict(context.invocation_metadata() or ())
                stream = BotStream(context, str(metadata.get("authorization", "")), now)
                opened.append(stream)
                with suppress(grpc.aio.InternalError):
                    await context.send_initial_metadata(())
                reader = asyncio.create_task(stream.read())
                streams.put_nowait(stream)
                try:
                    status = await stream.ending
                finally:
                    reader.cancel()
                if status is not None:
                    await context.abort(*status)

        bound_library_logs()
        server = grpc.aio.server()
        add_RefereeServiceServicer_to_server(Service(), server)
        try:
            port = server.add_insecure_port(self.address)
        except RuntimeError as error:
            raise ListenError(f"Nothing can listen on {self.address}: is it in use?") from error
        if not self.address.startswith("unix:"):
            self.address = f"{self.address.rpartition(':')[0]}:{port}"
        await server.start()
        open_socket(self.address)
        try:
            yield
        finally:
            for stream in opened:
                stream.end()
            await server.stop(None)

    def now(self) -> float:
        """Return the time on the timer by which waits for the bot are limited, in seconds."""
        return (self._timer if self.program is None else self.program.timer).now()

    async def stream(self) -> BotStream:
        """Return the next stream that the bot opens, before its hello. Raises UnmetError."""
        stream = await self.perhaps_stream(self.connect_seconds)
        if stream is not None:
            return stream
        if self.program is not None and not self.program.running:
            raise UnmetError(f"it {self.program.how_it_ended()}, before it opened a stream")
        raise UnmetError(f"it opened no stream within {self.connect_seconds:g} s")

    async def perhaps_stream(self, seconds: float) -> BotStream | None:
        """Return the next stream that the bot opens; None if it opens none within `seconds`."""
        until = self.now() + seconds
        while self.now() < until:
            if not self._streams.empty():
                return self._streams.get_nowait()
            if self.program is not None and not self.program.running:
                return None
            await asyncio.sleep(_LOOK_SECONDS)
        return None

    async def fate(self) -> str:
        """Return how a program that left its stream ended; "" if it runs or was not started here.

        Most such programs crashed, and print why only after their stream is closed. So the program
        gets ANSWER_SECONDS to end before the scenario kills it.
        """
        if self.program is not None:
            await self.perhaps_stream(ANSWER_SECONDS)
        if self.program is None or self.program.running:
            return ""
        return f": it {self.program.how_it_ended()}"

    async def greeted(self, stream: BotStream | None = None, *, leaving: bool = False) -> BotStream:
        """Return the next stream after its hello, without a welcome.

        Only a bot that is `leaving` may ask for no match (`max_matches` -1). Raises UnmetError for
        a wrong hello.
        """
        stream = stream or await self.stream()
        if stream.token != f"Bearer {self.token}":
            raise UnmetError(
                "the metadata `authorization` is not `Bearer ` and the token of ARENA_TOKEN"
            )
        first = await stream.hear("hello")
        alone = pb.PlayRequest(hello=first.hello)
        if not first.HasField("hello") or first.ByteSize() != alone.ByteSize():
            raise UnmetError("the first message is not `hello` alone")
        hello = first.hello
        if hello.protocol_version != PROTOCOL_VERSION:
            raise UnmetError(f"hello.protocol_version is {hello.protocol_version}, not 1")
        if not set(hello.games) & GAMES.keys():
            raise UnmetError(f"hello.games is {list(hello.games)}: none of {', '.join(GAMES)}")
        none = hello.max_matches == -1
        if none and not leaving:
            raise UnmetError(
                "hello.max_matches is -1 (no matches): in a check it must be at least 1"
            )
        if not (none or 0 <= hello.max_matches <= 64):
            raise UnmetError(f"hello.max_matches is {hello.max_matches}, not 1 to 64")
        stream.hello = hello
        return stream

    async def welcomed(self, **members: Any) -> BotStream:
        """Return the next stream after its hello and a welcome, sent together with `members`."""
        stream = await self.greeted()
        await stream.say(welcome=self.welcome(stream.hello), **members)
        return stream

    async def begin(self) -> BotStream:
        """Start the program, and welcome its first stream."""
        self.start()
        return await self.welcomed()

    def welcome(self, hello: pb.Hello) -> pb.Welcome:
        """Return the answer to a hello."""
        welcome = pb.Welcome(
            protocol_version=PROTOCOL_VERSION,
            max_matches=max(1, hello.max_matches),
            games=sorted(set(hello.games) & GAMES.keys()),
            signing_key=self.signer.public_key,
            knows_drain=True,
        )
        write_entrant(BOT, welcome.entrant)
        return welcome
