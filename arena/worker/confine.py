"""A program that runs another one in the sandbox: `arena.worker.confine FOLDER SOCKET PROGRAM…`.

The check of a build uses it, as its parts start programs by a command. It passes on the program's
output, up to the size that a log keeps. SIGTERM ends it.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from arena.processes import module_command
from arena.worker.confined_program import ConfinedProgram
from arena.worker.printed import MOST_KEPT
from arena.worker.sandbox import HostedProgram, SandboxError, confined

_LOOK_SECONDS: Final = 0.02


def confined_command(folder: Path, socket: Path, program: list[str]) -> list[str]:
    """Return the command that starts a program in the sandbox; its token is in ARENA_TOKEN."""
    return module_command("arena.worker.confine", str(folder), str(socket), *program)


async def _run(folder: Path, socket: Path, program: list[str]) -> int:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    token = os.environ.get("ARENA_TOKEN", "")
    async with confined(HostedProgram(folder, program), socket=socket, token=token) as running:
        ending = asyncio.create_task(running.wait())
        others = [asyncio.create_task(stop.wait()), asyncio.create_task(running.exceeded())]
        told = 0
        while not ending.done() and not any(other.done() for other in others):
            await asyncio.wait(
                {ending, *others}, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            told = _pass_on(running, told)
        running.kill()
        code = await ending
        if others[1].done():
            running.printed.add(f"\n{others[1].result()}\n".encode())
        elif running.ran_out_of_memory:  # the kernel was faster
            running.printed.add(f"\n{running.too_much_memory}\n".encode())
        for other in others:
            other.cancel()
    _pass_on(running, told, over=True)
    return code


def _pass_on(running: ConfinedProgram, told: int, *, over: bool = False) -> int:
    """Write what was printed since `told` bytes. Return how many bytes were written in all."""
    if running.printed.total == told or (running.printed.total > MOST_KEPT and not over):
        return told
    said = running.printed.text().encode()
    sys.stdout.buffer.write(said[told:])
    sys.stdout.buffer.flush()
    return len(said)


def main() -> None:
    """Run the program that the arguments name."""
    folder, socket, *program = sys.argv[1:]
    try:
        sys.exit(asyncio.run(_run(Path(folder), Path(socket), program)))
    except SandboxError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
