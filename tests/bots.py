"""A scriptable raw gRPC bot, well-behaved by default, and what it shares with spectators."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

import grpc

from arena.codec import bot_side
from arena.games import make_game
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from tests.service_calls import bearing, own_channel

PATIENCE = 30.0
"""Seconds that anything may take before a test gives up."""


class Listening:
    """One stream. Everything it hears is kept in `heard`."""

    call: Any

    def __init__(self, port: int | str) -> None:
        self.heard: list[Any] = []
        self.channel = own_channel(port)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()

    async def hear(self) -> Any:
        """The next message. Raises EOFError when the stream is over."""
        async with asyncio.timeout(PATIENCE):
            message = await self.call.read()
        if message is grpc.aio.EOF:
            raise EOFError
        self.heard.append(message)
        return message

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """Wait for the stream's end; return its status. Messages until then are in `heard`."""
        try:
            while True:
                await self.hear()
        except (EOFError, grpc.aio.AioRpcError):
            async with asyncio.timeout(PATIENCE):
                return await self.call.code(), await self.call.details()


class Peer(Listening):
    """The stream of a bot."""

    def __init__(self, port: int | str, token: str | None, **hello: Any) -> None:
        """`port` may also be a gRPC target."""
        super().__init__(port)
        self.hello = {"protocol_version": 1, "games": ["bluff"], "max_matches": 2} | hello
        self.offers: dict[str, bot_side.Offered] = {}
        self.ended: list[str] = []
        self._unread: pb.PlayResponse | None = None
        metadata = bearing(token) if token is not None else ()
        self.call = RefereeServiceStub(self.channel).Play(metadata=metadata)

    async def greet(self) -> pb.Welcome:
        """Say hello. What else comes with the welcome is heard again by the next `hear`."""
        await self.say(hello=pb.Hello(**self.hello))
        self._unread = await self.hear()
        return self._unread.welcome

    async def first_words(self) -> pb.PlayResponse:
        """Say hello, and return all that comes with the welcome."""
        await self.greet()
        return await self.hear()

    async def say(self, **members: Any) -> None:
        await self.call.write(pb.PlayRequest(**members))

    async def hear(self) -> pb.PlayResponse:
        """The next message. Raises EOFError when the stream is over."""
        if self._unread is not None:
            message, self._unread = self._unread, None
            return message
        message: pb.PlayResponse = await super().hear()
        for offer in [*message.offers, *(resume.offer for resume in message.resumes)]:
            self.offers[offer.match_id] = bot_side.read_offer(offer)
        for begin in message.begins:
            offered = self.offers[begin.match_id]
            self.offers[begin.match_id] = offered.begun(bot_side.read_begin(begin))
        self.ended += [end.match_id for end in message.ends]
        return message

    async def hear_until(self, found: Callable[[pb.PlayResponse], Any]) -> pb.PlayResponse:
        """Listen, without an answer, until `found` accepts a message, and return it."""
        while not found(message := await self.hear()):
            pass
        return message

    async def join(self, message: pb.PlayResponse, entropy: bytes = b"0123456789abcdef") -> None:
        if message.offers:
            await self.say(
                joins=[pb.Join(match_id=o.match_id, entropy=entropy) for o in message.offers]
            )

    def answer(self, turn: pb.Turn) -> pb.Answer:
        """The answer to a turn: `choice` among its legal actions."""
        offer = self.offers[turn.match_id]
        view = bot_side.read_view(offer.setup.game, turn.view, offer.seat)
        action = self.choice(offer.setup.game, list(make_game(offer.setup.game).choices(view)))
        answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number)
        bot_side.write_action(offer.setup.game, action, answer.action)
        return answer

    def choice(self, _game: str, actions: list[Any]) -> Any:
        """The last action: in Bluff, that is to doubt or to bet high."""
        return actions[-1]

    async def react(self, message: pb.PlayResponse) -> None:
        """Join what is offered and answer what is asked."""
        await self.join(message)
        if message.turns:
            await self.say(answers=[self.answer(turn) for turn in message.turns])

    async def play(self, until: Callable[[], bool] = lambda: False) -> None:
        """Join and answer everything, until `until` returns True."""
        while not until():
            await self.react(await self.hear())

    async def to_first_turn(self) -> pb.Turn:
        """Join all offers until the first turn, and return it."""
        while not (message := await self.hear()).turns:
            await self.join(message)
        return message.turns[0]
