"""Builds: programs of bots as their owners hand them in, read and unpacked with suspicion.

UserError
└── BuildRefusedError    what was handed in is no build; the message says what is allowed
"""

from arena.builds.build import (
    MOST_BUILD_BYTES,
    Build,
    BuildRefusedError,
    Protocol,
    read_build,
    unpack,
)

__all__ = [
    "MOST_BUILD_BYTES",
    "Build",
    "BuildRefusedError",
    "Protocol",
    "read_build",
    "unpack",
]
