"""The identity of the process that holds a lease, and whether it is known to have ended."""

import os
from pathlib import Path


def own_identity() -> str:
    """Return an identity of this process, unique on this machine; "" if that cannot be determined.

    It consists of the id of the machine's boot, the pid namespace, the pid, and the start time of
    the process.
    """
    try:
        return f"{_place()} {os.getpid()} {_started(os.getpid())}"
    except OSError:
        return ""


def has_ended(identity: str) -> bool:
    """Return whether the process has certainly ended.

    Also returns False for a process of another machine, as its state cannot be seen from here.
    """
    place, _, rest = identity.rpartition(" ")[0].rpartition(" ")
    started = identity.rpartition(" ")[2]
    try:
        if not place or place != _place():
            return False
    except OSError:
        return False
    try:
        return _started(int(rest)) != started
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return True
    except OSError:
        return False


def _place() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115  it names no file


def _started(pid: int) -> str:
    """Return when a process started, in clock ticks after boot.

    Raises OSError for a process that has ended, also if it is a zombie.
    """
    # The fields follow the name, which is in brackets and may hold anything.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return fields[19]
