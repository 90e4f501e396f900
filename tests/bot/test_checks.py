"""A bot checks every finished match by itself."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from arena.bot.connection import (
    keep_playing,
)
from arena.bot.conversation import CheckFailedError, Conversation
from arena.bot.referees import Referees
from arena.games.bluff import Bet, Face
from arena.match.faults import Fault, FaultKind
from arena.match.flow import Reply, TimedAction
from arena.signatures import Signer
from arena.v1 import referee_pb2 as pb
from arena.v1 import transcript_pb2
from tests.bot.scribe import Pauses, Scribe, play_through
from tests.bot.scripted_referee import (
    Conductor,
    Stream,
    Taken,
    begun,
    conduct,
    offered,
    play_on,
    referee,
)


def _other_dice(end: pb.End) -> None:
    roll = next(step.draw.bluff.roll for step in end.transcript.steps if step.draw.bluff.roll.dice)
    faces = roll.dice[0].faces
    other = [[1, 2], [2, 3]]
    faces[:] = other[list(faces) == other[0]]  # type: ignore[assignment]


def _other_entropy(end: pb.End) -> None:
    end.transcript.entropies[0] = b"not what was sent"


def _other_secret(end: pb.End) -> None:
    end.transcript.secret = bytes(32)


def _other_result(end: pb.End) -> None:
    end.transcript.result.placing.reverse()


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (_other_dice, "the dealer drew"),
        (_other_entropy, "not dealt with the entropy this bot sent"),
        (_other_secret, "secret does not match the commitment"),
        (_other_result, "result.placings[0] is"),
    ],
)
async def test_a_match_that_was_tampered_with_is_noticed(
    scribes: list[Scribe],
    caplog: pytest.LogCaptureFixture,
    tamper: Callable[[pb.End], None],
    sentence: str,
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        tamper(end)
        await stream.say(ends=[end])

    conversation, _ = await play_through(script)
    assert conversation.tally.failed_checks == 1
    assert [record.levelno for record in caplog.records if sentence in record.message] == [
        logging.ERROR
    ]


async def test_a_strict_bot_stops_at_the_first_match_whose_verification_fails(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        _other_entropy(end)
        await stream.say(ends=[end])

    async with referee(script) as address:
        with pytest.raises(CheckFailedError, match="Match m1: verification failed"):
            await asyncio.to_thread(
                keep_playing,
                Referees(Conversation(Scribe, strict=True)),
                address,
                "secret",
                Pauses(),
            )


def _instead(reply: Reply) -> Taken:
    """Puts something in the place of the bot's first answer."""
    replies = iter([reply])
    return lambda _match, _answer: next(replies, None)


@pytest.mark.parametrize(
    ("reply", "tell", "sentence"),
    [
        (
            TimedAction(Bet(2, Face.TWO)),
            True,
            'step 2: {"face":2,"quantity":2,"type":"bet"} is recorded, but this bot answered '
            '{"face":1,"quantity":1,"type":"bet"}',
        ),
        (Fault(FaultKind.LATE, 9), False, "step 2: this bot was not told of its fault"),
    ],
    ids=["another answer", "a fault"],
)
async def test_an_answer_that_the_referee_forged_is_noticed(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture, reply: Reply, tell: bool, sentence: str
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await conduct(stream, _instead(reply), tell=tell)
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(script)
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 1)
    assert f"Match m1: verification failed: {sentence}" in caplog.text


async def test_a_fault_that_the_bot_was_told_of_is_in_order(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await conduct(stream, _instead(Fault(FaultKind.LATE, 9)))
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(script)
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)


async def test_another_fault_than_the_one_that_was_told_is_noticed(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await conduct(stream, _instead(Fault(FaultKind.LATE, 9)))
        end = conductor.end()
        for step in end.transcript.steps:
            step.fault = step.fault and transcript_pb2.FAULT_KIND_ILLEGAL
        await stream.say(ends=[end])

    conversation, _ = await play_through(script)
    assert conversation.tally.failed_checks == 1
    assert "step 2: the fault is not the one this bot was told of" in caplog.text


async def test_a_turn_that_the_bot_was_never_asked_is_noticed(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
        conductor.reply(TimedAction(Bet(1, Face.ONE)))
        await play_on(stream, conductor)
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(script)
    assert conversation.tally.failed_checks == 1
    assert "step 2: this bot did not answer, but an answer is recorded" in caplog.text


async def test_after_a_lost_stream_faults_may_be_new_but_answers_are_still_compared(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    matches: list[Conductor] = []

    async def cut(stream: Stream) -> None:
        await stream.welcome()
        matches.append(await begun(stream))
        await stream.say(turns=[matches[0].turn()])
        await stream.hear()
        # The answer is lost with the stream, and so is the news of the fault.
        matches[0].reply(Fault(FaultKind.LATE, 9))

    async def resumed(stream: Stream) -> None:
        await stream.welcome(resumes=[pb.Resume(offer=offered()[1])])
        while matches[0].record is None:
            await stream.say(turns=[matches[0].turn(repeat=True)])
            matches[0].answer((await stream.hear()).answers[0])
        await stream.say(ends=[matches[0].end()])

    conversation, _ = await play_through(cut, resumed)
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)


async def test_faults_may_be_new_in_a_match_that_ended_while_the_bot_was_away(
    scribes: list[Scribe],
) -> None:
    matches: list[Conductor] = []

    async def cut(stream: Stream) -> None:
        await stream.welcome()
        matches.append(await begun(stream))
        await stream.say(turns=[matches[0].turn()])
        matches[0].answer((await stream.hear()).answers[0])

    async def over(stream: Stream) -> None:
        while matches[0].record is None:
            matches[0].reply(Fault(FaultKind.ABSENT))
        await stream.welcome()
        await stream.say(ends=[matches[0].end()])

    conversation, _ = await play_through(cut, over)
    assert scribes[0].ended is not None
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)


async def told_late(stream: Stream, entropies: list[bytes]) -> None:
    """Begin a match, and tell the bot that its first answer was late."""
    await stream.welcome()
    conductor = await begun(stream)
    entropies.append(conductor.opening.entropies[0])
    await stream.say(turns=[conductor.turn()])
    await stream.hear()
    conductor.reply(Fault(FaultKind.LATE, 9))
    await stream.say(refusals=conductor.refusals())


async def test_a_fault_that_a_killed_referee_lost_is_forgotten_when_its_turn_is_asked_again(
    scribes: list[Scribe],
) -> None:
    entropies: list[bytes] = []

    async def restarted(stream: Stream) -> None:
        conductor = Conductor(offered()[0], entropies[0])
        resume = pb.Resume(offer=offered()[1], entropy=entropies[0])
        await stream.welcome(resumes=[resume], turns=[conductor.turn(repeat=True)])
        await play_on(stream, conductor, asked=True)
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(partial(told_late, entropies=entropies), restarted)
    assert scribes[0].ended is not None
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)


async def test_a_fault_that_a_killed_referee_lost_may_be_another_where_its_turn_is_not_asked_again(
    scribes: list[Scribe],
) -> None:
    entropies: list[bytes] = []

    async def over(stream: Stream) -> None:
        conductor = Conductor(offered()[0], entropies[0])
        while conductor.record is None:
            conductor.reply(Fault(FaultKind.ABSENT))
        await stream.welcome()
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(partial(told_late, entropies=entropies), over)
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)


OURS, OTHERS = Signer(bytes(32)), Signer(bytes(range(32)))


@pytest.mark.parametrize(
    ("signer", "milliseconds", "sentence"),
    [
        (OURS, 0, None),
        (OTHERS, 0, "signature.key: found 03a107"),
        (None, 0, "signature is missing"),
        (OURS, 77, "signature: the key did not sign this transcript"),
    ],
    ids=["signed", "by another key", "unsigned", "altered"],
)
async def test_the_signature_is_checked_against_the_key_of_the_welcome(
    scribes: list[Scribe],
    caplog: pytest.LogCaptureFixture,
    signer: Signer | None,
    milliseconds: int,
    sentence: str | None,
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome(signing_key=OURS.public_key)
        end = (await conduct(stream)).end(signer)
        for step in end.transcript.steps:
            step.milliseconds += milliseconds * step.HasField("action")
        await stream.say(ends=[end])

    conversation, _ = await play_through(script)
    assert conversation.tally.finished == 1
    assert conversation.tally.failed_checks == (sentence is not None)
    assert (sentence or "") in caplog.text


def test_the_plain_sdk_does_without_cryptography() -> None:
    program = (
        "import sys; sys.modules['cryptography'] = None; import arena.bot.conversation as c;"
        "from arena.bot.checks import check_signature; print(check_signature)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("None", "")
