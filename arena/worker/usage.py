"""The resources that a confined program uses, read from /proc where no cgroup counts them."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.processes import processes_of, processor_seconds

_OWN_MEMORY = frozenset({"RssAnon", "VmSwap", "VmPTE"})
"""The memory that belongs to no file: resident, swapped out, and the kernel's page tables."""
_PAGE = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """The resources used by all processes of a program."""

    memory_bytes: int = 0
    """Memory, with the files in its /tmp, which are in memory, too."""
    processor_seconds: float = 0.0
    sockets: int = 0

    def and_then(self, later: "ResourceUsage") -> "ResourceUsage":
        """Return the greater of each value, as processes that have ended are not seen any more."""
        return ResourceUsage(
            max(self.memory_bytes, later.memory_bytes),
            max(self.processor_seconds, later.processor_seconds),
            max(self.sockets, later.sockets),
        )


def usage_of(first: int) -> ResourceUsage:
    """Return what the process `first` and its descendants use."""
    kilobytes, sockets = 0, 0
    for process in processes_of(first):
        with suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{process}/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in _OWN_MEMORY:
                    kilobytes += int(value.split()[0])
    size = 0
    with suppress(OSError):
        temporary = os.statvfs(f"/proc/{first}/root/tmp")
        size = (temporary.f_blocks - temporary.f_bfree) * temporary.f_frsize
    with suppress(OSError, ValueError, IndexError):
        # The counts of its network namespace, which it alone uses: "sockets: used 3" and more.
        sockets = int(Path(f"/proc/{first}/net/sockstat").read_text().split()[2])
    return ResourceUsage(kilobytes * 1024 + size, processor_seconds(first), sockets)


def mappings_of(first: int, most: int) -> int:
    """Return how many mappings of memory the process `first` and its descendants have.

    Counting stops a little above `most`. A mapping takes the kernel some 220 bytes that no limit
    counts. The kernel writes a line for each: 30,000 take it 60 ms.
    """
    count = 0
    for process in processes_of(first):
        with suppress(OSError), Path(f"/proc/{process}/maps").open("rb", buffering=0) as file:
            while count <= most and (lines := file.read(_PAGE)):
                count += lines.count(b"\n")
    return count
