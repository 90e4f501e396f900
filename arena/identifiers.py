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

    Rows of matches that were played at the same time therefore lie together in the database's
    indexes. With random ids, each of them would be on a page of its own, so that a long history
    would make it slower to record a match and to read the newest.
    """
    milliseconds = time.time_ns() // 1_000_000
    chance = secrets.randbits(74)
    high, low = chance >> 62 << 64, chance & (1 << 62) - 1
    return str(UUID(int=milliseconds << 80 | _VERSION | high | _VARIANT | low))
