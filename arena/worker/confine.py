"""A program that runs another one in the sandbox: `arena.worker.confine FOLDER SOCKET PROGRAM…`.

The check of a build uses it where a program is started by a command. It prints the program's
output, up to the size that a log keeps. SIGTERM ends it.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from arena.processes import module_command
from arena.worker.printed import MOST_KEPT, Printed
from arena.worker.sandbox import HostedProgram, SandboxError, confined


def confined_command(folder: Path, socket: Path, program: list[str]) -> list[str]:
    """Return the command that starts a program in the sandbox; its token is in ARENA_TOKEN."""
    return module_command("arena.worker.confine", str(folder), str(socket), *program)


class _PassedOn(Printed):
    """Output that is printed line by line up to half its limit, and at the end the kept rest."""

    def __init__(self) -> None:
        super().__init__()
        self._passed_on = 0

    def add(self, data: bytes) -> None:
        super().add(data)
        # Only whole lines, so that no character is cut. Later output may be left out.
        if data.endswith(b"\n") and self.total <= MOST_KEPT // 2:
            self.pass_on()

    def pass_on(self) -> None:
        """Print the kept output that was not printed yet."""
        said = self.text().encode()
        sys.stdout.buffer.write(said[self._passed_on :])
        sys.stdout.buffer.flush()
        self._passed_on = len(said)


async def _run(folder: Path, socket: Path, program: list[str]) -> int:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    token = os.environ.get("ARENA_TOKEN", "")
    printed, hosted = _PassedOn(), HostedProgram(folder, program)
    async with confined(hosted, socket=socket, token=token, printed=printed) as running:
        ending = asyncio.create_task(running.wait())
        others = [asyncio.create_task(stop.wait()), asyncio.create_task(running.exceeded())]
        await asyncio.wait({ending, *others}, return_when=asyncio.FIRST_COMPLETED)
        running.kill()
        code = await ending
        if others[1].done():
            printed.add(f"\n{others[1].result()}\n".encode())
        elif running.ran_out_of_memory:  # the kernel was faster
            printed.add(f"\n{running.too_much_memory}\n".encode())
        for other in others:
            other.cancel()
    printed.pass_on()
    return code


def main() -> None:
    """Run the program in the arguments."""
    folder, socket, *program = sys.argv[1:]
    try:
        sys.exit(asyncio.run(_run(Path(folder), Path(socket), program)))
    except SandboxError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
