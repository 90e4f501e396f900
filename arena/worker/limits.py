"""What a confined program may use."""

from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024
CONNECT_SECONDS: Final = 60.0
"""How long a program may take to connect: everything else has priority, and the machine may be
busy."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Of all processes of a program together, unless it says otherwise."""

    memory_bytes: int = 512 * MIB
    """With its files in /tmp."""
    processors: int = 1
    """How many it runs on."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 256
    """By process."""
    temporary_bytes: int = 64 * MIB
    """In /tmp; no file anywhere is larger."""
    temporary_files: int = 4_096
    """In /tmp."""
    printed_bytes: int = 64 * MIB
    """On stdout and stderr."""
