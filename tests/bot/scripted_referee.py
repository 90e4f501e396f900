"""A referee that does what a test's script says, over real gRPC."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any, TypeAlias

import grpc

from arena.bot.address import Address
from arena.codec import turns
from arena.codec.transcript import to_message, write_entrant
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.faults import DEFAULT_FAULT_LIMIT, Fault, FaultKind
from arena.match.flow import MatchRecord, OpenTurn, Refused, Reply, TimedAction, play
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.randomness import KeyedRandomness, commitment, match_key
from arena.signatures import Signer
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import (
    RefereeServiceServicer,
    add_RefereeServiceServicer_to_server,
)

BOT, OTHER = 0, 1
ENTRANTS = (Entrant("tested", "1", "us"), Entrant("other", "2", "them"))
SECRET = bytes(range(32))
OTHERS_ENTROPY = b"the other's part"


class Stream:
    """One stream of the bot under test, as the script sees it."""

    def __init__(self, requests: AsyncIterator[pb.PlayRequest], context: Any) -> None:
        self.requests = requests
        self.context = context

    async def hear(self) -> pb.PlayRequest:
        return await anext(self.requests)

    async def say(self, **members: Any) -> None:
        await self.context.write(pb.PlayResponse(**members))

    async def until_left(self) -> None:
        """Wait for the bot to leave; the end of its stream cancels the script, too."""
        async for _ in self.requests:
            pass

    async def welcome(
        self,
        *,
        signing_key: bytes = b"",
        knows_drain: bool = True,
        address: str = "",
        referees: pb.Referees | None = None,
        **members: Any,
    ) -> pb.Hello:
        """Take the hello and answer it."""
        hello = (await self.hear()).hello
        welcome = pb.Welcome(
            protocol_version=1,
            max_matches=1,
            signing_key=signing_key,
            knows_drain=knows_drain,
            address=address,
            referees=referees,
        )
        write_entrant(ENTRANTS[BOT], welcome.entrant)
        await self.say(welcome=welcome, **members)
        return hello


Script: TypeAlias = Callable[[Stream], Awaitable[None]]


async def refuse(stream: Stream) -> None:
    """The script that ends a test: the token is not accepted any more."""
    await stream.context.abort(grpc.StatusCode.UNAUTHENTICATED, "The token was retired.")


@asynccontextmanager
async def referee(*scripts: Script) -> AsyncIterator[Address]:
    """Serves the first stream by the first script, and so on; further ones are refused.

    What a script asserts in vain fails the test.
    """
    waiting = iter(scripts)
    failures: list[Exception] = []

    class Service(RefereeServiceServicer):
        async def Play(  # type: ignore[override]  # noqa: N802
            self, requests: Any, context: Any
        ) -> None:
            try:
                await next(waiting, refuse)(Stream(requests, context))
            except grpc.aio.AbortError:
                raise  # the script ends the stream with a status
            except Exception as error:
                failures.append(error)
                raise

    server = grpc.aio.server()
    add_RefereeServiceServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield Address(f"127.0.0.1:{port}")
    finally:
        await server.stop(None)
    if failures:
        raise failures[0]


def offered(match_id: str = "m1", *, named: bool = True) -> tuple[Setup, pb.Offer]:
    """A match of Bluff with two dice a seat, offered to the bot in seat 0; `named` as in a resume,
    so that it needs no `begin`."""
    setup = Setup(
        match_id=match_id,
        game="bluff",
        options=make_game("bluff", {"dice_per_player": 2, "start_mode": "seat"}).options,
        entrants=ENTRANTS,
        time_control=TimeControl(),
        fault_limit=DEFAULT_FAULT_LIMIT,
    )
    return setup, turns.offer(setup, BOT, commitment(SECRET), 1000, named=named)


class Conductor:
    """A match against a seat that always raises a little, turn by turn. The bot opens."""

    def __init__(self, setup: Setup, entropy: bytes) -> None:
        self.setup = setup
        self.opening = Opening(SECRET, (entropy, OTHERS_ENTROPY))
        key = match_key(SECRET, setup.match_id, self.opening.entropies)
        self._flow = play(setup.make_game(), 2, KeyedRandomness(key))
        self._ask = next(self._flow)
        self.others_choice = 2
        """Which of its choices the other seat takes, from 1."""
        self.record: MatchRecord | None = None
        self._refused: list[Refused] = []
        self._others()

    def turn(self, *, repeat: bool = False) -> pb.Turn:
        """The bot's open turn, with all of the match's events if `repeat`."""
        (turn,) = self._ask.turns
        unseen = 0 if repeat else turn.unseen
        asked = OpenTurn(turn.seat, turn.number, turn.view, turn.events, unseen)
        events = turns.WrittenEvents(self.setup.game)
        part = turns.turn_part(self.setup, asked, 2_000, 30_000, events)
        return pb.PlayResponse.FromString(part).turns[0]

    def answer(self, answer: pb.Answer) -> None:
        """Take the bot's answer in; malformed ones are faults."""
        try:
            self._reply(TimedAction(turns.action("bluff", answer.action)))
        except ValueError as error:
            self._reply(Fault(FaultKind.MALFORMED, reason=str(error)))
        self._others()

    def reply(self, reply: Reply) -> None:
        """Put something else in the place of the bot's answer."""
        self._reply(reply)
        self._others()

    def refusals(self) -> list[pb.Refusal]:
        """The news of the bot's faults."""
        told = enumerate(self._refused, start=1)
        return [turns.refusal(self.setup, one, faults) for faults, one in told]

    def end(self, signer: Signer | None = None) -> pb.End:
        """The news of the end."""
        assert self.record is not None
        transcript = Transcript(
            self.setup, commitment(SECRET), self.record.steps, self.record.result, self.opening
        )
        if signer is not None:
            transcript = signer.signed(transcript)
        return pb.End(match_id=self.setup.match_id, transcript=to_message(transcript))

    def _others(self) -> None:
        while self.record is None and self._ask.turns[0].seat == OTHER:
            choices = self.setup.make_game().choices(self._ask.turns[0].view)
            *_, action = islice(choices, self.others_choice)
            self._reply(TimedAction(action))

    def _reply(self, reply: Any) -> None:
        try:
            self._ask = self._flow.send([reply])
            self._refused += self._ask.refused
        except StopIteration as end:
            self.record = end.value
            self._refused += end.value.refused


async def begun(stream: Stream, match_id: str = "m1", *, greet: bool = False) -> Conductor:
    """Offer a match, with the welcome if `greet`, and begin it when the bot has joined."""
    setup, offer = offered(match_id)
    await (stream.welcome if greet else stream.say)(offers=[offer])
    return Conductor(setup, (await stream.hear()).joins[0].entropy)


async def play_on(stream: Stream, conductor: Conductor, *, asked: bool = False) -> None:
    """Play a match to its end, which is not sent. `asked`: whether the bot knows its open turn."""
    if asked:
        conductor.answer((await stream.hear()).answers[0])
    while conductor.record is None:
        await stream.say(turns=[conductor.turn()])
        conductor.answer((await stream.hear()).answers[0])


Taken: TypeAlias = Callable[[Conductor, pb.Answer], Reply | None]
"""What is put in the place of an answer; None is the answer itself."""


async def conduct(
    stream: Stream, taken: Taken = lambda _match, _answer: None, *, tell: bool = True
) -> Conductor:
    """Offer a match and play it to its end, which is not sent. `tell`: whether faults are told."""
    conductor = await begun(stream)
    while conductor.record is None:
        await stream.say(turns=[conductor.turn()])
        answer = (await stream.hear()).answers[0]
        reply = taken(conductor, answer)
        if reply is None:
            conductor.answer(answer)
            continue
        conductor.reply(reply)
        if tell:
            await stream.say(refusals=conductor.refusals())
    return conductor
