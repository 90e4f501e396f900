"""New ids of matches and of their blocks."""

import secrets
import time
from typing import Final
from uuid import UUID

_VERSION: Final = 7 << 76
_VARIANT: Final = 2 << 62
"""The fixed bits of a UUID of version 7 (RFC 9562, section 5.7)."""


def new_id() -> str:
    """Return a UUID of version 7: the time in milliseconds, then 74 random bits.

    Index entries of matches played at about the same time are therefore adjacent in the database.
    With random ids, each would be on a different index page, so that recording a match and reading
    the newest ones would become slower as the history grows.
    """
    milliseconds = time.time_ns() // 1_000_000
    chance = secrets.randbits(74)
    high, low = chance >> 62 << 64, chance & (1 << 62) - 1
    return str(UUID(int=milliseconds << 80 | _VERSION | high | _VARIANT | low))
