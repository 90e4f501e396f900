"""`PairingSchedule`: decides when a director looks for tables to open.

Several reasons to look cause one look. After a block has ended, others may end before the look
(`PairingBatch`).
"""

from collections.abc import Callable

from arena.server.ladder.pairing_batch import PairingBatch
from arena.server.play.ports import Cancellable, Timer


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
        """Schedule a look after a block ended that took `seconds`, while `running` others run.

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
