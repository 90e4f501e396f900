"""The referees of the two ways in which a bot is checked.

Its program is started here for every scenario, or runs already and connects.
"""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from arena.conformance.scripted_referee import BotStream, ScriptedReferee
from arena.local.programs.program import BotProgram


class StartingReferee(ScriptedReferee):
    """Starts the bot's program."""

    def __init__(self, command: Sequence[str], log: Path, address: str = "127.0.0.1:0") -> None:
        super().__init__(secrets.token_urlsafe(24), address)
        self._command = command
        self.log: Path = log

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serve, and kill the program at the end."""
        async with super().listening():
            try:
                yield
            finally:
                self.kill()

    def start(self) -> None:
        """Start the program, or kill it and start it again."""
        self.kill()
        self.program = BotProgram("the bot", self._command, self.address, self.token, self.log)

    def kill(self) -> None:
        """End the program, if it runs."""
        if self.program is not None:
            self.program.kill()


class _KeptStream(ScriptedReferee):
    """A bot's stream that is kept for further scenarios as long as it lasts.

    Each time that a stream ends soon, bots come back later.
    """

    _stream: BotStream | None = None
    """The one that was welcomed last."""

    async def welcomed(self, **members: Any) -> BotStream:
        self._stream = await super().welcomed(**members)
        return self._stream

    async def begin(self) -> BotStream:
        """Go on with the stream that was welcomed last, if it is open."""
        stream = self._stream
        if stream is not None and not stream.over:
            return stream
        return await super().begin()


class KeepingReferee(_KeptStream, StartingReferee):
    """A referee that starts the bot's program and keeps it for further scenarios.

    Most of what a check takes are starts.
    """

    def start(self) -> None:
        """Start the program; if it runs, end its streams, so that it comes back."""
        if self._runs:
            self.end_streams()
        else:
            super().start()

    async def begin(self) -> BotStream:
        """Go on with the stream that was welcomed last, if it is open and its program runs."""
        if not self._runs:
            self._stream = None
        return await super().begin()

    @property
    def _runs(self) -> bool:
        return self.program is not None and self.program.running


class AwaitingReferee(_KeptStream):
    """Waits for a bot that somebody else starts, which stays for all scenarios."""

    async def arrival(self, seconds: float) -> bool:
        """Whether the bot opens a stream within so many seconds."""
        return await self.perhaps_stream(seconds) is not None

    def start(self) -> None:
        """End all streams, so that the bot comes back."""
        self.end_streams()
