"""`LoopLoad`: how busy a referee's event loop is, which is what limits a referee."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

MEMORY_SECONDS: Final = 5.0
"""The time over which the load is a running mean."""

_THREAD: Final = Path("/proc/thread-self/schedstat")


def busy_seconds() -> float:
    """Return the seconds that the calling thread has run or waited for a processor.

    Where the system does not report the waiting, only the running counts.
    """
    try:
        ran, waited, _ = map(int, _THREAD.read_text().split())
    except (OSError, ValueError):
        ran = waited = 0
    return (ran + waited) / 1e9 if ran else time.thread_time()


class LoopLoad:
    """The share of the last seconds in which the event loop's thread was busy."""

    def __init__(
        self,
        busy: Callable[[], float] = busy_seconds,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with a load of 0; `busy` and `now` return seconds from any fixed start."""
        self._busy, self._now = busy, now
        self._last = busy(), now()
        self.latest = 0.0
        """The load when it was last measured; may be read from any thread."""

    def __call__(self) -> float:
        """Measure and return the load, from 0 to 1; to be called in the event loop's thread."""
        busy, now = self._busy(), self._now()
        was_busy, before = self._last
        if now > before:
            share = min(1.0, (busy - was_busy) / (now - before))
            weight = 1 - math.exp((before - now) / MEMORY_SECONDS)
            self.latest += weight * (share - self.latest)
            self._last = busy, now
        return self.latest
