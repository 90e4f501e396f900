"""A bot's program as a process, and how it ended."""

import asyncio
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def bot_program(
    command: Sequence[str],
    address: str,
    token: str = "secret",
    *,
    cwd: Path | None = None,
    log: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator["subprocess.Popen[str]"]:
    """Run the program, and kill it at the end. Its stderr goes to the file `log`, or to a pipe."""
    with ExitStack() as stack:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=os.environ
            | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token}
            | dict(environment or {}),
            stderr=subprocess.PIPE if log is None else stack.enter_context(log.open("w")),
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


async def ending(process: "subprocess.Popen[str]", seconds: float = 60) -> tuple[int, str]:
    """Wait for its end; return its exit code, and what it wrote to a piped stderr."""
    _, errors = await asyncio.to_thread(process.communicate, None, seconds)
    return process.returncode, errors
