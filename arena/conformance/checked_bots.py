"""The referees that get a bot to check: they start its program, or wait for a bot that connects."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from arena.conformance.scripted_referee import BotStream, ScriptedReferee
from arena.local.programs.program import BotProgram


class StartingReferee(ScriptedReferee):
    """A referee that starts the bot's program anew for every scenario."""

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
    """A referee that keeps the bot's stream for further scenarios while it is open.

    Bots back off: each time that a stream ends early, they wait longer before they reconnect.
    """

    _stream: BotStream | None = None
    """The stream that was welcomed last."""

    async def welcomed(self, **members: Any) -> BotStream:
        self._stream = await super().welcomed(**members)
        return self._stream

    async def begin(self) -> BotStream:
        """Continue with the stream that was welcomed last, if it is open; else start anew."""
        stream = self._stream
        if stream is not None and not stream.over:
            return stream
        return await super().begin()


class KeepingReferee(_KeptStream, StartingReferee):
    """A referee that starts the bot's program and keeps it for further scenarios.

    Starting programs takes most of a check's time.
    """

    def start(self) -> None:
        """Start the program; if it already runs, end its streams, so that it reconnects."""
        if self._runs:
            self.end_streams()
        else:
            super().start()

    async def begin(self) -> BotStream:
        """Continue with the stream welcomed last, if it is open and its program runs."""
        if not self._runs:
            self._stream = None
        return await super().begin()

    @property
    def _runs(self) -> bool:
        return self.program is not None and self.program.running


class AwaitingReferee(_KeptStream):
    """A referee that waits for a bot started elsewhere, which stays for all scenarios."""

    async def arrival(self, seconds: float) -> bool:
        """Return whether the bot opens a stream within `seconds`."""
        return await self.perhaps_stream(seconds) is not None

    def start(self) -> None:
        """End all streams, so that the bot reconnects."""
        self.end_streams()
