"""Builds: programs of bots as their owners upload them, read and unpacked as untrusted input.

UserError
└── BuildRefusedError    an upload is no valid build; the message says what is allowed
"""

from arena.builds.build import (
    MOST_BUILD_BYTES,
    Build,
    BuildRefusedError,
    Protocol,
    read_build,
    unpack,
)
from arena.builds.packing import pack

__all__ = [
    "MOST_BUILD_BYTES",
    "Build",
    "BuildRefusedError",
    "Protocol",
    "pack",
    "read_build",
    "unpack",
]
