"""A program that runs in the sandbox: its use of resources, and whether it exceeds a limit."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Final

from arena.processes import AsyncProcess, how_it_ended
from arena.waiting import first_of
from arena.worker.cgroups import ProgramGroup
from arena.worker.limits import MIB, SandboxLimits
from arena.worker.open_files import open_files
from arena.worker.printed import Printed
from arena.worker.unread import MOST_UNREAD_BYTES, unread_bytes
from arena.worker.usage import ResourceUsage, mappings_of, usage_of

LOOK_SECONDS: Final = 0.25
"""Seconds between two checks of a program's use of resources."""
_LOOKS_A_COUNT: Final = 8
"""Mappings are counted at every eighth check, because counting takes longer."""
_HIDDEN_LOOKS: Final = 2
"""The number of successive checks at which a process must be hidden to break the rules."""
_TAIL_LINES: Final = 6
"""The number of last lines of output in the report of the end."""


class ConfinedProgram:
    """A program that runs in a sandbox."""

    def __init__(
        self,
        process: AsyncProcess,
        first: int,
        printed: Printed,
        limits: SandboxLimits,
        group: ProgramGroup | None,
        socket: Path | None,
    ) -> None:
        self._process = process
        self._socket = socket
        self._floods = 0
        """The number of checks at which the program was flooding the referee."""
        self._limits = limits
        self._group = group
        self.first = first
        """The id of the first process of its namespace; all its other processes end with it."""
        self._handle = os.pidfd_open(first)
        self.printed = printed
        self.usage = ResourceUsage()
        """The usage found by the checks so far."""

    async def wait(self) -> int:
        """Wait until the program ends. Return its exit code, or 128 + the signal that ended it."""
        return await self._process.wait()

    @property
    def process_id(self) -> int:
        """The id of the outermost process: it waits for bubblewrap, which waits for the program."""
        return self._process.pid

    def look(self) -> ResourceUsage:
        """Check the program's usage; return the greatest usage seen so far."""
        self.usage = self.usage.and_then(usage_of(self.first))
        if self._socket is not None:
            self._floods += unread_bytes(self.first, self._socket) > MOST_UNREAD_BYTES
        return self.usage

    async def exceeded(self) -> str:
        """Wait until the program exceeds a limit. Return a sentence that names the limit."""
        limits = self._limits
        looks, hidden = 0, 0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()
            looks += 1
            if looks % _LOOKS_A_COUNT == 0:
                mappings = await asyncio.to_thread(mappings_of, self.first, limits.mappings)
                if mappings > limits.mappings:
                    return f"It made more than {limits.mappings:,} mappings of memory."
            if self.usage.memory_bytes > limits.memory_bytes or self.ran_out_of_memory:
                return self.too_much_memory
            if self.usage.sockets > limits.sockets:
                return f"It opened more than {limits.sockets} sockets."
            found = await asyncio.to_thread(open_files, self.first, limits)
            if excess := found.excess(limits):
                return excess
            # A process that is just ending looks hidden, too.
            hidden = hidden + 1 if found.hidden else 0
            if hidden == _HIDDEN_LOOKS:
                return "It hid one of its processes."
            if self._floods >= limits.floods:
                return "It sent the referee far more than answers."
            if self.printed.total > limits.printed_bytes:
                return f"It printed more than {limits.printed_bytes // MIB} MiB."

    async def ended(self) -> str:
        """Wait until the program ends, or end it when it exceeds a limit.

        Return how it ended, as the rest of a sentence that begins with its name, and its last lines
        of output.
        """
        async with first_of(self.wait(), self.exceeded()) as (waiting, exceeding):
            if exceeding.done():
                self.kill()
                how = f"was ended. {exceeding.result()}"
            elif self.ran_out_of_memory:
                how = f"was ended. {self.too_much_memory}"
            else:
                how = f"{how_program_ended(waiting.result())}."
        lines = [line for line in self.printed.text().splitlines() if line.strip()]
        return "\n".join([how, *lines[-_TAIL_LINES:]])

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel ended it for using too much memory; False without a control group."""
        return self._group is not None and self._group.ran_out_of_memory

    @property
    def too_much_memory(self) -> str:
        """The sentence for a program that ran out of memory."""
        return f"It used more than {self._limits.memory_bytes // MIB} MiB of memory."

    def kill(self) -> None:
        """End all processes of the program at once."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """Close the handle of its first process."""
        os.close(self._handle)


def how_program_ended(code: int) -> str:
    """Return how a program ended in words; bubblewrap's exit code encodes signals like a shell."""
    return how_it_ended(-(code - 128) if code > 128 else code)
