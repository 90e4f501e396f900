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

__all__ = [
    "MOST_BUILD_BYTES",
    "Build",
    "BuildRefusedError",
    "Protocol",
    "read_build",
    "unpack",
]
