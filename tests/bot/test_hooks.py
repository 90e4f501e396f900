"""What the SDK tells a bot besides its turns: faults, and matches that come to nothing."""

from typing import ClassVar

import pytest

from arena.bot import AnyAction, NoAnswerError, Refusal, Turn
from arena.codec.transcript import FAULT_KINDS
from arena.match.faults import FaultKind
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Scribe, play_through
from tests.bot.scripted_referee import Conductor, Stream, offered


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
        setup, offer = offered()
        await stream.say(offers=[offer])
        conductor = Conductor(setup, (await stream.hear()).joins[0].entropy)
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
        setup, offer = offered()
        await stream.say(offers=[offer])
        conductor = Conductor(setup, (await stream.hear()).joins[0].entropy)
        await stream.say(turns=[conductor.turn()])
        await stream.hear()
        await stream.say(withdrawals=[pb.Withdrawal(match_id="m1", reason="A bot left.")])

    await play_through(script, bot=Told)
    assert Told.reasons == ["A bot left."]
