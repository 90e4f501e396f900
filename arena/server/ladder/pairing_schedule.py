"""`PairingSchedule`: decides when a director looks for tables to open.

Several reasons to look cause one look. After a block has ended, the look waits for others to end:
the bots of one block alone could only meet each other, and pairing bots of similar strength needs
more than a few to choose from (docs/ratings.md has figures). The cost is bounded: at most a tenth
of the blocks wait, for at most a tenth of the time that a block takes.
"""

from collections.abc import Callable
from typing import Final

from arena.server.play.ports import Cancellable, Timer

SHARE: Final = 0.1
"""The fraction of blocks that may wait, and the fraction of a block's time for which they wait."""
MOST_SECONDS: Final = 10.0
_MEMORY: Final = 16
"""The number of blocks over which the running mean extends."""


class PairingSchedule:
    """The scheduled looks for tables of one director."""

    def __init__(self, timer: Timer, look: Callable[[], None]) -> None:
        self._timer = timer
        self._look = look
        self._batch = PairingBatch()
        self._due = False
        self._awaited: list[Cancellable] = []
        """Scheduled looks that are cancelled if another look happens before."""
        self._gathers = False

    def soon(self) -> None:
        """Schedule a look for now, outside this call; several calls until then cause one look."""
        if not self._due:
            self._due = True
            self._timer.call_at(self._timer.now(), self._look_now)

    def at(self, time: float) -> None:
        """Schedule a look at that time."""
        self._timer.call_at(time, self.soon)

    def until(self, time: float) -> None:
        """Schedule a look at that time, unless there is one before."""
        self._awaited.append(self._timer.call_at(time, self.soon))

    def block_ended(self, seconds: float, running: int) -> None:
        """Schedule a look after the end of a block of `seconds`, while `running` others run.

        The look is immediate if enough blocks have ended, otherwise it waits a little for more.
        """
        wait = self._batch.ended(seconds, running)
        if not wait:
            self.soon()
        elif not self._gathers:
            self._gathers = True
            self.until(self._timer.now() + wait)

    def _look_now(self) -> None:
        self._due = self._gathers = False
        for awaited in self._awaited:
            awaited.cancel()
        self._awaited.clear()
        self._batch.looked()
        self._look()


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
