"""What a confined program uses, read from /proc, where no cgroup counts it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all processes of a program."""

    memory_bytes: int = 0
    """The files in its /tmp are in memory, too."""
    processor_seconds: float = 0.0
    temporary_files: int = 0

    def and_then(self, later: "Usage") -> "Usage":
        """The most of each: processes that have ended are not seen any more."""
        return Usage(
            max(self.memory_bytes, later.memory_bytes),
            max(self.processor_seconds, later.processor_seconds),
            max(self.temporary_files, later.temporary_files),
        )


def usage_of(first: int) -> Usage:
    """What the processes use of which `first` is the first."""
    pages, ticks = 0, 0
    for process in processes_of(first):
        with suppress(OSError, ValueError, IndexError):
            numbers = Path(f"/proc/{process}/statm").read_text().split()
            # What is shared is files, mostly: of Python, of libraries.
            pages += int(numbers[1]) - int(numbers[2])
            after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            # Also of those that ended and were waited for.
            ticks += sum(map(int, after_name[11:15]))
    size, files = 0, 0
    with suppress(OSError):
        temporary = os.statvfs(f"/proc/{first}/root/tmp")
        size = (temporary.f_blocks - temporary.f_bfree) * temporary.f_frsize
        files = temporary.f_files - temporary.f_ffree
    return Usage(pages * _PAGE_BYTES + size, ticks / _TICKS_PER_SECOND, files)


def processes_of(first: int) -> Iterator[int]:
    """A process, its children, and theirs. Orphans are the first's."""
    waiting = [first]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children_of(process)


def children_of(process: int) -> list[int]:
    """The processes that a process started, as far as they run; none if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.scandir(f"/proc/{process}/task"):
            with suppress(OSError):
                found += map(int, Path(thread.path, "children").read_text().split())
    return found
