"""A timer that rings once, at the earliest of the times that it was set to."""

from collections.abc import Callable
from math import inf

from arena.server.play.ports import Cancellable, Timer


class Alarm:
    """A timer that calls `ring` at the earliest time it was set to, and is then not set.

    Deadlines mostly move to later. The owner then lets the alarm ring at the old deadline, finds
    no turn over, and sets the new one. So most turns neither schedule nor cancel a call.
    """

    def __init__(self, timer: Timer, ring: Callable[[], None]) -> None:
        self._timer = timer
        self._ring = ring
        self._call: Cancellable | None = None
        self.at = inf
        """When it rings; infinity while it is not set."""

    def set(self, when: float) -> None:
        """Ring at this time, unless it rings earlier already."""
        if when < self.at:
            if self._call is not None:
                self._call.cancel()
            self.at = when
            self._call = self._timer.call_at(when, self._reached)

    def cancel(self) -> None:
        """Stop the alarm for good and release its callback."""
        if self._call is not None:
            self._call.cancel()
            self._call, self.at = None, inf
        self._ring = nobody

    def _reached(self) -> None:
        self._call, self.at = None, inf
        self._ring()


def nobody(*_: object) -> None:
    """Do nothing; replaces a callback to an owner that is not called any more.

    The owner refers to its caller, so keeping the callback would keep a reference cycle.
    """
