"""`Deadline`, a timer in a thread of its own whose deadline can be moved cheaply."""

import threading
from collections.abc import Callable
from math import inf
from time import monotonic


class Deadline:
    """A timer that calls `ring` once when the deadline set last is reached.

    Moving the deadline to a later time starts no thread: when the timer rings too early, it notices
    and waits on. See `arena.server.play.alarm`.
    """

    def __init__(self, ring: Callable[[], object]) -> None:
        self._ring = ring
        self._lock = threading.Lock()
        self._deadline = inf
        self._timer: threading.Timer | None = None
        self._looks_at = inf

    def set(self, seconds: float) -> None:
        """Ring in `seconds` from now, instead of at the deadline set before."""
        with self._lock:
            self._deadline = monotonic() + seconds
            if self._deadline < self._looks_at:
                self._arrange()

    def _arrange(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._looks_at = self._deadline
        self._timer = threading.Timer(max(0.0, self._deadline - monotonic()), self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        with self._lock:
            if monotonic() < self._deadline:
                self._arrange()
                return
        self._ring()
