"""A bot checks every finished match by itself."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from arena.bot.connection import (
    keep_playing,
)
from arena.bot.conversation import CheckFailedError, Conversation
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Pauses, Scribe, play_through
from tests.bot.scripted_referee import Stream, conduct, referee


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
        (_other_result, "placing is"),
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


async def test_a_strict_bot_stops_at_the_first_match_that_does_not_check(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        _other_entropy(end)
        await stream.say(ends=[end])

    async with referee(script) as address:
        with pytest.raises(CheckFailedError, match="Match m1 does not check"):
            await asyncio.to_thread(
                keep_playing, Conversation(Scribe, strict=True), address, "secret", Pauses()
            )
