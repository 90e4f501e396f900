"""The referees of the two ways in which a bot is checked: its program is started here for every
scenario, or runs already and connects."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from arena.conformance.scripted_referee import ScriptedReferee
from arena.home.programs.program import BotProgram


class StartingReferee(ScriptedReferee):
    """Starts the bot's program."""

    def __init__(self, command: Sequence[str], log: Path, address: str = "127.0.0.1:0") -> None:
        super().__init__(secrets.token_urlsafe(24), address)
        self._command = command
        self.log: Path = log

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serves, and at the end kills the program."""
        async with super().listening():
            try:
                yield
            finally:
                self._kill()

    def start(self) -> None:
        """Start the program, or kill it and start it again."""
        self._kill()
        self.program = BotProgram("the bot", self._command, self.address, self.token, self.log)

    def _kill(self) -> None:
        if self.program is not None:
            self.program.kill()


class AwaitingReferee(ScriptedReferee):
    """Waits for a bot that somebody else starts, which stays for all scenarios."""

    async def arrival(self, seconds: float) -> bool:
        """Whether the bot opens a stream within so many seconds."""
        return await self.perhaps_stream(seconds) is not None

    def start(self) -> None:
        """End all streams, so that the bot comes back for the next scenario."""
        while not self._streams.empty():
            self._streams.get_nowait()
        for stream in self._opened:
            stream.end(grpc.StatusCode.UNAVAILABLE, "the next scenario begins; come back")
        self._opened.clear()
