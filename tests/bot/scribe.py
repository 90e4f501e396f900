"""The bot that the SDK's tests let play, and the way they do."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, ClassVar

import pytest

from arena.bot import AnyAction, Bot, Match, Turn
from arena.bot.connection import RefusedError, keep_playing
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees
from arena.match.transcript import Transcript
from tests.bot.scripted_referee import Stream, referee


class Scribe(Bot):
    """Plays the first choice (a doubt if it may) and writes everything down."""

    made: ClassVar[list["Scribe"]] = []

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.match: Any = None
        self.turns: list[Turn] = []
        self.ended: Transcript | None = None
        self.made.append(self)

    def match_started(self, match: Match) -> None:
        self.match = match

    def act(self, turn: Turn) -> AnyAction:
        self.turns.append(turn)
        return next(turn.choices())

    def match_ended(self, transcript: Transcript) -> None:
        self.ended = transcript


class Pauses:
    """Stands in for time.sleep: no waiting, but every pause noted."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def play_through(
    *scripts: Callable[[Stream], Awaitable[None]],
    bot: type[Bot] = Scribe,
    strict: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Conversation, Pauses]:
    """Let the bot play through the scripts; the stream after the last is refused."""
    conversation, pauses = Conversation(bot, strict=strict), Pauses()
    async with referee(*scripts) as address:
        with pytest.raises(RefusedError, match=r"refused the token: The token was retired\."):
            await asyncio.to_thread(
                keep_playing, Referees(conversation), address, "secret", pauses, clock
            )
    return conversation, pauses
