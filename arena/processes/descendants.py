"""Descendants of a process and their processor time, read from /proc."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_BUSY = frozenset("RDTt")
"""The states of a thread that runs, or waits for a processor or a disk, or is stopped."""
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def processes_of(first: int) -> Iterator[int]:
    """Yield a process and all its descendants, also orphans if they become its children."""
    waiting = [first]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children_of(process)


def children_of(process: int) -> list[int]:
    """Return the running children of a process; none if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.scandir(f"/proc/{process}/task"):
            with suppress(OSError):
                found += map(int, Path(thread.path, "children").read_text().split())
    return found


def asleep(first: int) -> bool:
    """Return whether all threads of a process and its descendants are asleep.

    Asleep means: it waits for something other than a processor or a disk, and is not stopped. The
    result is also True if /proc gives no information.
    """
    for process in processes_of(first):
        with suppress(OSError):
            for thread in os.scandir(f"/proc/{process}/task"):
                with suppress(OSError):
                    if _stat(thread.path)[0] in _BUSY:
                        return False
    return True


def processor_seconds(first: int) -> float:
    """Return the processor time of a process and its descendants, in seconds.

    It includes ended children that were waited for.
    """
    ticks = 0
    for process in processes_of(first):
        with suppress(OSError, ValueError, IndexError):
            ticks += sum(map(int, _stat(f"/proc/{process}")[11:15]))
    return ticks / _TICKS_PER_SECOND


def _stat(folder: str) -> list[str]:
    """Return the fields of /proc/…/stat, beginning with the state, a letter."""
    return Path(folder, "stat").read_text().rpartition(")")[2].split()
