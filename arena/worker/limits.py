"""The limits of a confined program's resources and time."""

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024
CONNECT_SECONDS: Final = 60.0
"""The time that a program may take to connect.

It is long because hosted programs have a low priority, and the machine may be busy.
"""
LEAVE_SECONDS: Final = 10.0
"""The time that shifts may take to finish their matches when the worker is stopped.

Checks end at once, and start again later.
"""
START_SECONDS: Final = 20.0
"""The time that a program may take to connect in a check.

Time in which it waits for a processor or a disk does not count. The limit is short because a
program that hangs occupies a slot for which others wait.
"""

CONNECTS_AT_ONCE: Final = 32
"""The connections that a program may make at once; each costs a referee a millisecond or so."""
CONNECT_EACH_SECONDS: Final = 0.5
"""The interval at which a program may connect after CONNECTS_AT_ONCE connections."""
WATCHES_AT_ONCE: Final = 4_096
"""The watches of `epoll` that a program may make at once.

Most programs make one for each file that they wait for; Go tries to for each file that it opens.
"""
WATCH_EACH_SECONDS: Final = 0.002
"""The interval at which a program may make a watch after WATCHES_AT_ONCE watches.

The number of watches that it holds is limited, too; this limits watches made between two checks.
"""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of all processes of a program together, except where a field says otherwise."""

    memory_bytes: int = 512 * MIB
    """Memory, including the program's files in /tmp."""
    processors: int = 1
    """The number of processors that it runs on."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 256
    """Open files of each process."""
    sockets: int = 128
    """Sockets. Each has buffers, which no other limit counts."""
    mappings: int = 32_000
    """Memory mappings. A Python program with its libraries has several hundred."""
    temporary_bytes: int = 64 * MIB
    """The size of /tmp, and of the largest file."""
    temporary_files: int = 4_096
    """Files in /tmp, including folders and links."""
    files: int = 2_048
    """Open files of all processes together."""
    pipes: int = 256
    """Open pipes. Each holds up to 64 KiB, which no other limit counts."""
    watches: int = 16_384
    """Watches of files by `epoll`, which take 200 bytes each."""
    signals: int = 64
    """Pending signals, including timers that send one."""
    floods: int = 3
    """Checks at which the referee has more unread bytes than answers could take."""
    printed_bytes: int = 64 * MIB
    """Output on stdout and stderr."""
