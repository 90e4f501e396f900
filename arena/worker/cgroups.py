"""Control groups (version 2) of confined programs, on machines where the worker may create them.

A worker that owns its control group, as a systemd service with `Delegate=yes` does, moves into a
leaf of it and makes another leaf for each program. Processes that the worker starts are in its
leaf, too, so they know where to make leaves for programs. Without groups, only limits of processes
(rlimits) and checks of /proc restrict programs.
"""

import contextlib
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.worker.limits import SandboxLimits

_CONTROLLERS: Final = ("cpu", "memory", "pids")
_WORKER: Final = "arena-worker"
_PROGRAM: Final = "arena-program"
_PERIOD_US: Final = 100_000
_MORE_TASKS: Final = 4
"""The tasks of bubblewrap, added so that the program reaches its own limit first."""
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class ProgramGroup:
    """The control group of one program."""

    folder: Path

    def add(self, process: int) -> None:
        """Move a process into the group. Raises OSError."""
        (self.folder / "cgroup.procs").write_text(str(process))

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel ended a process because the group reached its limit of memory."""
        with contextlib.suppress(OSError):
            for line in (self.folder / "memory.events").read_text().splitlines():
                name, number = line.split()
                if name == "oom_kill":
                    return int(number) > 0
        return False

    def kill(self) -> None:
        """End all processes of the group."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")


def enter_leaf() -> str:
    """Move this process into a leaf, so that it can make a group for each program.

    Returns why that is impossible, or "" if it succeeded.
    """
    tree = _own_folder()
    if tree is None:
        return "no cgroup v2 is mounted here"
    leaf = tree / _WORKER
    try:
        known = (tree / "cgroup.controllers").read_text().split()
        if missing := [name for name in _CONTROLLERS if name not in known]:
            return f"the worker's cgroup lacks the controllers {', '.join(missing)}"
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        return f"the worker's cgroup is not its own ({error.strerror})"
    try:
        enabled = " ".join(f"+{name}" for name in _CONTROLLERS)
        (tree / "cgroup.subtree_control").write_text(enabled)
    except OSError as error:
        with contextlib.suppress(OSError):
            (tree / "cgroup.procs").write_text(str(os.getpid()))
            leaf.rmdir()
        return f"the worker's cgroup is not its own ({error.strerror})"
    for left in tree.glob(f"{_PROGRAM}-*"):
        # Left by killed workers. A group that is in use cannot be removed.
        with contextlib.suppress(OSError):
            left.rmdir()
    return ""


@contextmanager
def program_group(limits: SandboxLimits) -> Iterator[ProgramGroup | None]:
    """Yield a new group with these limits, or None where the worker has no groups.

    Processes left in it at the end are killed.
    """
    leaf = _own_folder()
    if leaf is None or leaf.name != _WORKER:
        yield None
        return
    folder = leaf.parent / f"{_PROGRAM}-{os.getpid()}-{next(_numbers)}"
    try:
        folder.mkdir()
    except OSError:
        yield None
        return
    group = ProgramGroup(folder)
    try:
        for name, value in (
            ("memory.max", str(limits.memory_bytes)),
            ("memory.swap.max", "0"),
            ("memory.oom.group", "1"),
            ("pids.max", str(limits.tasks + _MORE_TASKS)),
            ("cpu.max", f"{limits.processors * _PERIOD_US} {_PERIOD_US}"),
        ):
            # A kernel without swap has no file for its limit.
            with contextlib.suppress(OSError):
                (folder / name).write_text(value)
        yield group
    finally:
        group.kill()
        with contextlib.suppress(OSError):
            folder.rmdir()


def _own_folder() -> Path | None:
    try:
        groups = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    path = next((line.removeprefix("0::") for line in groups if line.startswith("0::")), None)
    for line in mounts:
        before, _, after = line.partition(" - ")
        if path is not None and after.split()[0] == "cgroup2":
            _, _, _, root, place, *_ = before.split()
            below = path.removeprefix(root.rstrip("/"))
            return Path(place) / below.lstrip("/")
    return None
