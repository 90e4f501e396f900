"""A timer whose deadline can be moved cheaply."""

from collections.abc import Callable

from arena.server.play.ports import Cancellable, Timer


class Alarm:
    """A timer that calls `ring` when the latest deadline has passed.

    A deadline later than the scheduled call only moves the deadline: when the call comes, it
    schedules the next one. Most turns therefore schedule and cancel nothing.
    """

    def __init__(self, timer: Timer, ring: Callable[[], None]) -> None:
        self._timer = timer
        self._ring = ring
        self._deadline = 0.0
        self._call: Cancellable | None = None
        self._call_at = 0.0

    def set(self, deadline: float) -> None:
        """Set the deadline, which replaces the previous one."""
        self._deadline = deadline
        if self._call is None or deadline < self._call_at:
            self._arrange()

    def cancel(self) -> None:
        """Stop the alarm for good and release its callback."""
        self._disarrange()
        self._ring = _nobody

    def _disarrange(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _arrange(self) -> None:
        self._disarrange()
        self._call_at = self._deadline
        self._call = self._timer.call_at(self._deadline, self._look)

    def _look(self) -> None:
        self._call = None
        if self._timer.now() < self._deadline:
            self._arrange()
        else:
            self._ring()


def _nobody() -> None:
    """Do nothing, in place of the owner's callback after the alarm was cancelled.

    The owner holds the alarm, so keeping the callback would keep a reference cycle.
    """
