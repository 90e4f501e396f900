"""The resources that a confined program uses, read from /proc, as there may be no cgroup."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.processes import processes_of, processor_seconds

_OWN_MEMORY = frozenset({"RssAnon", "VmSwap", "VmPTE"})
"""The memory that belongs to no file: resident and swapped memory, and the kernel's page tables."""
_PAGE = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """The resources used by all processes of a program."""

    memory_bytes: int = 0
    """Memory, including the files in its /tmp, which is in memory, too."""
    processor_seconds: float = 0.0
    sockets: int = 0

    def and_then(self, later: "ResourceUsage") -> "ResourceUsage":
        """Return the greater of each value, because ended processes are no longer counted."""
        return ResourceUsage(
            max(self.memory_bytes, later.memory_bytes),
            max(self.processor_seconds, later.processor_seconds),
            max(self.sockets, later.sockets),
        )


def usage_of(first: int) -> ResourceUsage:
    """Return the usage of the process `first` and its descendants."""
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
        # The counts of the program's own network namespace: "sockets: used 3" and more.
        sockets = int(Path(f"/proc/{first}/net/sockstat").read_text().split()[2])
    return ResourceUsage(kilobytes * 1024 + size, processor_seconds(first), sockets)


def mappings_of(first: int, most: int) -> int:
    """Return the number of memory mappings of the process `first` and its descendants.

    Counting stops a little above `most`. A mapping takes about 220 bytes of kernel memory that no
    limit counts. The kernel writes a line for each; 30,000 lines take 60 ms.
    """
    count = 0
    for process in processes_of(first):
        with suppress(OSError), Path(f"/proc/{process}/maps").open("rb", buffering=0) as file:
            while count <= most and (lines := file.read(_PAGE)):
                count += lines.count(b"\n")
    return count
