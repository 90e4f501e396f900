"""Clocks that leave out time for which no bot is responsible.

AttentiveTimer   the event loop's clock without the time in which this process did not run
ProgramTimer     also without the time in which a program could not run
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from arena.processes import asleep, processor_seconds

LONGEST_GAP: Final = 1.0
"""If more seconds pass between two readings of the clock, this process counts as stopped in
between: users of the timer read it about ten times a second."""
_SHORTEST_GAP: Final = 0.1
"""The least seconds between two checks of a program."""


class AttentiveTimer:
    """A Timer (see play.ports) for a referee that Ctrl-Z or a busy machine may stop.

    While it was stopped, bots may have answered and the referee read nothing: that time does not
    count.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._looked = self._loop.time()
        self._lost = 0.0

    def now(self) -> float:
        """Return the seconds in which this process ran, since an arbitrary moment."""
        time = self._loop.time()
        if time - self._looked > LONGEST_GAP:
            self._lost += time - self._looked
        self._looked = time
        return time - self._lost

    def call_at(self, when: float, callback: Callable[[], None]) -> "_Call":
        """Call once when `now()` has reached `when`."""
        return _Call(self, when, callback)

    def loop_time(self, when: float) -> float:
        """Return the loop's time when `now()` reaches `when`, if this process is not stopped."""
        return when + self._lost


class _Call:
    """A scheduled call."""

    def __init__(self, timer: AttentiveTimer, when: float, callback: Callable[[], None]) -> None:
        self._timer = timer
        self._when = when
        self._callback = callback
        self._schedule()

    def cancel(self) -> None:
        """Cancel the call."""
        self._handle.cancel()

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        self._handle = loop.call_at(self._timer.loop_time(self._when), self._look)

    def _look(self) -> None:
        if self._timer.now() < self._when:
            self._schedule()
        else:
            self._callback()


class ProgramTimer:
    """Counts the seconds in which a program sleeps, and its CPU time.

    It does not count time in which the program waits for a processor or a disk or is stopped, or in
    which this process was stopped: on a busy machine a good program takes minutes to start.
    """

    def __init__(self, process_id: int) -> None:
        """Count for the program that consists of this process and its descendants."""
        self._process_id = process_id
        self._looked = time.monotonic()
        self._used = self._now = 0.0

    def now(self) -> float:
        """Return the seconds that count, since the start of this timer."""
        looked = time.monotonic()
        gap = looked - self._looked
        if gap >= _SHORTEST_GAP:
            used = processor_seconds(self._process_id)
            if gap <= LONGEST_GAP:
                spent = gap if asleep(self._process_id) else used - self._used
                self._now += min(max(spent, 0.0), gap)
            self._looked, self._used = looked, used
        return self._now
