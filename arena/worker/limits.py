"""What a confined program may use, and how long it may take."""

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024
CONNECT_SECONDS: Final = 60.0
"""How long a program may take to connect: everything else has priority, and the machine may be
busy."""
LEAVE_SECONDS: Final = 10.0
"""How long shifts may finish their matches when the worker is stopped. Checks end at once, and are
begun again later."""
START_SECONDS: Final = 20.0
"""The same in a check, where the time does not count in which it waits for a processor or a disk: a
program that hangs holds a place that others wait for."""

CONNECTS_AT_ONCE: Final = 32
"""How often a program may connect at once; each costs a referee a millisecond or so."""
CONNECT_EACH_SECONDS: Final = 0.5
"""Afterwards it connects so often."""
WATCHES_AT_ONCE: Final = 4_096
"""How many watches of `epoll` a program may make at once. Most make one for each file that they
wait for; Go tries one for each file that it opens."""
WATCH_EACH_SECONDS: Final = 0.002
"""Afterwards it makes one so often. What it holds is counted, too: this limits what it makes
between two looks."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of all processes of a program together, unless one says otherwise."""

    memory_bytes: int = 512 * MIB
    """With its files in /tmp."""
    processors: int = 1
    """How many it runs on."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 256
    """By process."""
    sockets: int = 128
    """Each has buffers, which no other limit counts."""
    mappings: int = 32_000
    """Mappings of memory. A Python program with its libraries has some hundreds."""
    temporary_bytes: int = 64 * MIB
    """In /tmp; no file anywhere is larger."""
    temporary_files: int = 4_096
    """In /tmp, folders and links among them."""
    files: int = 2_048
    """Open files, in all processes together."""
    pipes: int = 256
    """Open pipes. Each holds up to 64 KiB, which no other limit counts."""
    watches: int = 16_384
    """Files watched by `epoll`, at 200 bytes each."""
    signals: int = 64
    """Signals that wait, with timers that send one."""
    floods: int = 3
    """Looks at which the referee has far more to read than answers."""
    printed_bytes: int = 64 * MIB
    """Bytes printed on stdout and stderr."""
