"""What the SDK tells a bot besides its turns: faults, and matches that come to nothing."""

import asyncio
import threading
from typing import ClassVar

import pytest

from arena.bot import AnyAction, NoAnswerError, Refusal, Turn
from arena.bot.address import Address
from arena.bot.connection import RefusedError, keep_playing
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees
from arena.codec.transcript import FAULT_KINDS
from arena.match.faults import FaultKind
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Pauses, Scribe, play_through
from tests.bot.scripted_referee import Conductor, Stream, begun, offered, referee, refuse


class Told(Scribe):
    """Has no answer, and keeps what it is told."""

    refusals: ClassVar[list[Refusal]] = []
    reasons: ClassVar[list[str]] = []

    def act(self, turn: Turn) -> AnyAction:
        raise NoAnswerError("It has none.")

    def turn_refused(self, refusal: Refusal) -> None:
        self.refusals.append(refusal)

    def match_called_off(self, reason: str) -> None:
        self.reasons.append(reason)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(FaultKind.MALFORMED, "It has none."), (FaultKind.LATE, "There is no action.")],
)
async def test_a_bot_is_told_of_its_faults_and_why_it_had_no_answer(
    kind: FaultKind, reason: str
) -> None:
    Told.refusals.clear()

    told = Refusal(1, kind, reason, "A bet.", 1)

    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
        await stream.say(turns=[conductor.turn()])
        await stream.hear()
        refusal = pb.Refusal(
            match_id="m1", turn_number=1, reason="There is no action.", legal="A bet.", faults=1
        )
        refusal.kind = FAULT_KINDS[told.kind]
        await stream.say(refusals=[refusal])

    await play_through(script, bot=Told)
    assert Told.refusals == [told]


async def test_a_bot_is_told_of_a_match_that_is_called_off_after_it_began() -> None:
    Told.reasons.clear()

    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
        await stream.say(turns=[conductor.turn()])
        await stream.hear()
        await stream.say(withdrawals=[pb.Withdrawal(match_id="m1", reason="A bot left.")])

    await play_through(script, bot=Told)
    assert Told.reasons == ["A bot left."]


async def test_bots_act_in_a_thread_for_each_referee_but_never_two_at_once(
    scribes: list[Scribe],
) -> None:
    joined, answered = asyncio.Barrier(2), asyncio.Barrier(2)
    acting, overlap = threading.Lock(), threading.Event()
    threads: set[int] = set()

    class Thinker(Scribe):
        def act(self, turn: Turn) -> AnyAction:
            threads.add(threading.get_ident())
            if acting.acquire(blocking=False):
                overlap.wait(0.3)  # meanwhile the turn of the other referee arrives
                acting.release()
            else:
                overlap.set()
            return super().act(turn)

    async def ask(stream: Stream, own: Address, match_id: str) -> None:
        await stream.welcome(address=own.target, referees=told)
        setup, offer = offered(match_id)
        await stream.say(offers=[offer])
        while not (joins := (await stream.hear()).joins):
            pass  # it tells its places, too
        await joined.wait()
        await stream.say(turns=[Conductor(setup, joins[0].entropy).turn()])
        while not (await stream.hear()).answers:
            pass
        await answered.wait()
        if own is one:
            await refuse(stream)
        await stream.until_left()

    async with (
        referee(lambda stream: ask(stream, one, "m1")) as one,
        referee(lambda stream: ask(stream, other, "m2")) as other,
    ):
        told = pb.Referees(addresses=[one.target, other.target])
        with pytest.raises(RefusedError):
            await asyncio.to_thread(
                keep_playing, Referees(Conversation(Thinker)), one, "secret", Pauses()
            )
    assert len(threads) == 2
    assert not overlap.is_set()
