"""Clocks without time that is nobody's fault.

AttentiveTimer   the event loop's clock without the time in which this process did not run
ProgramTimer     the same without the time in which a program could not run either
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from arena.processes import asleep, processor_seconds

LONGEST_GAP: Final = 1.0
"""Seconds between two looks at the clock after which this process is taken to have been stopped:
whoever uses the timer looks some ten times a second."""
_SHORTEST_GAP: Final = 0.1
"""Seconds between two looks at a program."""


class AttentiveTimer:
    """A Timer (see play.ports) for a referee that Ctrl-Z or a busy machine may stop.

    Bots answered meanwhile, and nobody read it: that time is nobody's.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._looked = self._loop.time()
        self._lost = 0.0

    def now(self) -> float:
        """Return the seconds in which this process ran, since any moment."""
        time = self._loop.time()
        if time - self._looked > LONGEST_GAP:
            self._lost += time - self._looked
        self._looked = time
        return time - self._lost

    def call_at(self, when: float, callback: Callable[[], None]) -> "_Call":
        """Call once when `now()` has reached `when`."""
        return _Call(self, when, callback)

    def loop_time(self, when: float) -> float:
        """When it will be so late on the loop's clock, if this process runs until then."""
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
    """Counts the seconds in which a program sleeps, and those that it uses of the processors.

    Not those in which it waits for a processor or a disk or is stopped, nor those in which this
    process did not look: on a busy machine a good program takes minutes to start.
    """

    def __init__(self, process_id: int) -> None:
        """All of its processes are that one and those below."""
        self._process_id = process_id
        self._looked = time.monotonic()
        self._used = self._now = 0.0

    def now(self) -> float:
        """Return the seconds that count, since any moment."""
        looked = time.monotonic()
        gap = looked - self._looked
        if gap >= _SHORTEST_GAP:
            used = processor_seconds(self._process_id)
            if gap <= LONGEST_GAP:
                spent = gap if asleep(self._process_id) else used - self._used
                self._now += min(max(spent, 0.0), gap)
            self._looked, self._used = looked, used
        return self._now
