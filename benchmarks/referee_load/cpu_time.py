"""CPU time of processes and of what they have started."""

import os
from collections.abc import Mapping
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and of its children, those that have ended included."""
    children = _children()
    total, processes = 0, [pid]
    while processes:
        one = processes.pop()
        processes += children.get(one, [])
        fields = _stat(one)
        if fields is not None:
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def _children() -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)) if entry.name.isdigit() else None
        if fields is not None:
            found.setdefault(int(fields[1]), []).append(int(entry.name))
    return found


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the third on; None for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
