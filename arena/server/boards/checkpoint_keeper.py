"""Writing checkpoints while a referee runs, in a process of its own (`checkpointing`).

The process is separate because a referee loads no numpy.
"""

import asyncio
from typing import Final

import structlog

from arena.database.errors import StorageError
from arena.database.reading import Read
from arena.processes import PIPE, TimeoutExpired, module_command, spawn
from arena.server.boards import ladder_statements

ENOUGH_EVENTS: Final = 5_000
"""The number of new results after which checkpoints are written.

A new board reads about this many results after its checkpoint.
"""
LOOK_SECONDS: Final = 30.0
"""The interval at which the referee looks for new results.

At a thousand matches a second, a new board reads up to 30,000 results after its checkpoint.
"""
NICENESS: Final = 10
MOST_SECONDS: Final = 600.0
"""The time after which the process is killed."""

log = structlog.get_logger()


class CheckpointKeeper:
    """The part of a referee that starts the process whenever there are enough new results."""

    def __init__(self, url: str, read: Read, look_seconds: float = LOOK_SECONDS) -> None:
        self._url = url
        self._read = read
        self._look_seconds = look_seconds
        self._sequence = 0
        """The end of the log when checkpoints were last written."""

    async def run(self) -> None:
        """Look at the log and write the checkpoints that are due, until cancelled."""
        while True:
            await asyncio.sleep(self._look_seconds)
            try:
                (end,) = await asyncio.to_thread(self._read, ladder_statements.log_end())
            except StorageError as error:
                log.warning("checkpoints not looked at", why=str(error))
                continue
            if end.sequence - self._sequence >= ENOUGH_EVENTS and await self._write():
                self._sequence = end.sequence

    async def _write(self) -> bool:
        """Write the checkpoints; return whether this or another process has written them."""
        process = spawn(
            module_command("arena.server.boards.checkpointing"),
            stdin=PIPE,
            niceness=NICENESS,
        )
        assert process.stdin is not None
        try:
            process.stdin.write(self._url.encode())
            process.stdin.close()
            code = await asyncio.to_thread(process.wait, MOST_SECONDS)
        except (OSError, TimeoutExpired) as error:
            log.error("checkpoints not written; boards read more of the log", why=str(error))
            return False
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if code:
            log.error("checkpoints not written; boards read more of the log", code=code)
        return not code
