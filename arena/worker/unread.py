"""The bytes that a confined program has sent to the referee and the referee has not read.

A bot sends answers, a few kilobytes at most. A flood of frames that cost the reader more than the
sender fills the socket's buffer, even if the sender gets little CPU time. Only the buffer shows a
flood: the kernel does not count the bytes of a Unix socket, and gRPC does not expose connections.
"""

import ctypes
import os
import random
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import ioctl
from pathlib import Path
from termios import TIOCOUTQ
from typing import Final

from arena.processes import processes_of

MOST_UNREAD_BYTES: Final = 128 * 1024
"""The limit, measured as the kernel memory that the bytes take.

A bot that answers 64 turns one by one while the referee reads nothing reaches 80 KiB; a buffer
holds 208 KiB.
"""
_FILES_A_LOOK: Final = 300
"""The files sampled at each check, so that it takes 1 or 2 ms with any number of files."""
_PIDFD_GETFD: Final = 438
_libc = ctypes.CDLL(None, use_errno=True)


def unread_bytes(first: int, referee: Path) -> int:
    """Return the most unread bytes on one connection to the referee at this socket.

    Looks at a sample of the open files of the process `first` and its descendants.
    """
    files = [(process, file) for process in processes_of(first) for file in _files_of(process)]
    most = 0
    for process, file in random.sample(files, min(len(files), _FILES_A_LOOK)):
        with suppress(OSError):
            # A link such as "socket:[1234]".
            if file.readlink().name.startswith("socket:"):
                with _borrowed(process, int(file.name)) as line:
                    if _leads_to(line, referee):
                        told = ioctl(line, TIOCOUTQ, bytes(4))
                        most = max(most, int.from_bytes(told, sys.byteorder))
    return most


def _files_of(process: int) -> list[Path]:
    with suppress(OSError):
        return list(Path(f"/proc/{process}/fd").iterdir())
    return []


def _leads_to(line: socket.socket, referee: Path) -> bool:
    """Return whether the peer is the referee; only the file name counts, as folders may differ."""
    return line.family == socket.AF_UNIX and Path(line.getpeername()).name == referee.name


@contextmanager
def _borrowed(process: int, file: int) -> Iterator[socket.socket]:
    """Yield a socket of another process. Raises OSError if it cannot be copied."""
    handle = os.pidfd_open(process)
    try:
        copy = _libc.syscall(_PIDFD_GETFD, handle, file, 0)
    finally:
        os.close(handle)
    if copy < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    with socket.socket(fileno=copy) as line:
        yield line
