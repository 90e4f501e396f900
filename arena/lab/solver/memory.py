"""A check that tables fit into the memory of this machine, before they are made.

MemoryShortError    the tables do not fit
"""

from math import inf
from pathlib import Path

from arena.errors import UserError


class MemoryShortError(UserError):
    """The memory is too small; the message says how much is needed and how much is free."""


def check_memory(needed: int, what: str, *, free: float | None = None) -> None:
    """Raise MemoryShortError if `what` needs more bytes than are free."""
    free = free_memory() if free is None else free
    if needed > free:
        raise MemoryShortError(
            f"{what} needs {_gigabytes(needed)} of memory, and {_gigabytes(free)} are free."
        )


def free_memory() -> float:
    """Return the bytes still available, of the machine and of this process's cgroup.

    The result is infinite where the system does not report it.
    """
    return min(_of_machine(), _of_cgroup())


def _of_machine() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return inf
    kilobytes = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(kilobytes[0]) * 1024 if kilobytes else inf


def _of_cgroup() -> float:
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line[3:] for line in lines if line.startswith("0::"))
        folder = Path("/sys/fs/cgroup") / own.lstrip("/")
        most = int((folder / "memory.max").read_text())
        return most - int((folder / "memory.current").read_text())
    except (OSError, StopIteration, ValueError):  # no cgroup, or no limit ("max")
        return inf


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
