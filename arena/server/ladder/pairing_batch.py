"""`PairingBatch`: lets some blocks end before tables are looked for, so that there is a choice.

Bots of one block alone would have nobody to meet but each other, and where the nearest in strength
meet, a choice of few is worth little (docs/ratings.md has figures). What it costs is bounded: at
most a tenth of the blocks wait, for at most a tenth of the time that a block takes.
"""

from typing import Final

SHARE: Final = 0.1
"""The share of the running blocks that end, and of the time of one, until the next look."""
MOST_SECONDS: Final = 10.0
_MEMORY: Final = 16
"""Blocks of the running mean."""


class PairingBatch:
    """What has ended since tables were looked for."""

    def __init__(self) -> None:
        self._ended = 0
        self._seconds = 0.0
        """The mean time of a block, roughly."""

    def ended(self, seconds: float, running: int) -> float:
        """Note that a block ended after `seconds` while `running` others run.

        Returns in how many seconds at the latest to look for tables.
        """
        self._ended += 1
        self._seconds += (seconds - self._seconds) / _MEMORY
        if self._ended >= SHARE * running:
            return 0.0
        return min(MOST_SECONDS, SHARE * self._seconds)

    def looked(self) -> None:
        """Tables were looked for."""
        self._ended = 0
