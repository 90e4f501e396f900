"""`ShiftEnds`, which repeats the report of how a shift ended until a referee answers.

Until then the arena counts the shift as running, and its bot gets no other shift.
"""

import asyncio
from typing import Final

import structlog

from arena.waiting import wait_at_most
from arena.worker.referee import ShiftEnd, Shifts, TemporaryCallError, WorkerCallError

FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 15.0

log = structlog.get_logger()


class ShiftEnds:
    """The ends of a worker's shifts, each reported by a task that outlives its job."""

    def __init__(self, shifts: Shifts, stop: asyncio.Event) -> None:
        """Begin without reports; after `stop` a report that fails is not repeated."""
        self._shifts = shifts
        self._stop = stop
        self._reports: set[asyncio.Task[None]] = set()

    def report(self, shift_id: int, end: ShiftEnd) -> asyncio.Task[None]:
        """Report an end; the task is done when a referee has answered. It raises nothing."""
        reporting = asyncio.create_task(self._report(shift_id, end))
        self._reports.add(reporting)
        reporting.add_done_callback(self._reports.discard)
        return reporting

    async def finish(self) -> None:
        """Wait for the last reports, after `stop`."""
        await asyncio.gather(*self._reports)

    async def _report(self, shift_id: int, end: ShiftEnd) -> None:
        pause = FIRST_PAUSE_SECONDS
        # Without a time limit: reports are idempotent, also for a shift that is over or was given
        # up as lost.
        while True:
            last = self._stop.is_set()
            try:
                await self._shifts.end(shift_id, end)
            except TemporaryCallError as error:
                if last:
                    log.error("end of shift not reported", shift=shift_id, why=str(error))
                    return
                if pause == FIRST_PAUSE_SECONDS:
                    log.warning("end of shift not reported, retrying", why=str(error))
            except WorkerCallError as error:
                log.error("end of shift refused", shift=shift_id, why=str(error))
                return
            else:
                return
            await wait_at_most(self._stop, pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
