"""`PairingBatch`: delays the look for tables until some blocks end, so that there is a choice.

Bots of one block alone would have only each other to meet, and where the nearest in strength meet,
a choice among few is worth little (docs/ratings.md has figures). The cost is bounded: at most a
tenth of the blocks wait, for at most a tenth of the time that a block takes.
"""

from typing import Final

SHARE: Final = 0.1
"""The part of the running blocks that may wait, and the part of a block's time that they wait."""
MOST_SECONDS: Final = 10.0
_MEMORY: Final = 16
"""The number of blocks over which the running mean extends."""


class PairingBatch:
    """The number of blocks that have ended since the last look for tables."""

    def __init__(self) -> None:
        self._ended = 0
        self._seconds = 0.0
        """The running mean of a block's time, in seconds."""

    def ended(self, seconds: float, running: int) -> float:
        """Record that a block ended after `seconds` while `running` others run.

        Returns the number of seconds after which tables must be looked for at the latest.
        """
        self._ended += 1
        self._seconds += (seconds - self._seconds) / _MEMORY
        if self._ended >= SHARE * running:
            return 0.0
        return min(MOST_SECONDS, SHARE * self._seconds)

    def looked(self) -> None:
        """Record that tables have been looked for."""
        self._ended = 0
