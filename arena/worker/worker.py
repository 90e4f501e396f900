"""`run_worker`, which takes shifts and checks from their queues, one in each slot, until stopped.

Checks have slots of their own, so that they neither wait for shifts nor delay them. The queues are
procrastinate's, which hands out each job once, wakes workers when there is a new job, and records
their heartbeats. The jobs of a worker that dies are put back by `return_lost_jobs`, which runs on
all workers.
"""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

import procrastinate
import structlog
from procrastinate import JobContext, PsycopgConnector
from procrastinate.worker import Worker

from arena.builds.errors import BuildRefusedError
from arena.builds.hosted import (
    CHECK_QUEUE,
    CHECK_TASK,
    FINAL_TASK,
    PLAY_TASK,
    QUEUE,
    TOURNAMENT_TASK,
)
from arena.v1 import worker_pb2 as pb
from arena.waiting import wait_at_most
from arena.worker.check_process import CHECK_SECONDS, STOPPED, checked
from arena.worker.final_process import played_block
from arena.worker.kept_builds import KeptBuilds
from arena.worker.known_referees import KnownReferees
from arena.worker.limits import LEAVE_SECONDS
from arena.worker.own_process import remove_left_folders
from arena.worker.program import command_of
from arena.worker.referee import ShiftEnd, Shifts, TemporaryCallError, WorkerCallError
from arena.worker.relay import relayed
from arena.worker.sandbox import HostedProgram, SandboxError
from arena.worker.shift import CUT_SHORT, HostedPlace, play_shift
from arena.worker.shift_ends import ShiftEnds

MOST_AHEAD_SECONDS: Final = 10.0
"""How long before the end of a shift the next shift in its slot may begin, at most."""
HEARTBEAT_SECONDS: Final = 5.0
LOST_SECONDS: Final = 20.0
"""The time without a heartbeat after which a worker counts as dead."""
RETRY_SECONDS: Final = 2.0
"""The pause after a failure, before the queue's connection or a call is tried again."""
QUEUE_CONNECTIONS: Final = "arena worker"
"""The name under which the database lists the connections of workers."""
RETURNING_PRIORITY: Final = 100
"""The priority of `return_lost_jobs`: above finals, which may fill the queue, as it is short."""
_RETURNING: Final = "return lost jobs"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Workplace:
    """The referees, builds and socket that a worker works with."""

    referees: KnownReferees
    shifts: Shifts
    builds: KeptBuilds
    socket: Path | None
    """The socket of the referee on this machine, if there is one."""
    check_seconds: float = CHECK_SECONDS


def queue_of(database_url: str) -> PsycopgConnector:
    """Return a connector to the queues in a database."""
    url = database_url.replace("postgresql+psycopg://", "postgresql://", 1)
    return PsycopgConnector(
        conninfo=url,
        min_size=1,
        # A listening connection for each queue, and connections for queries.
        max_size=6,
        # The queue's tables are in a schema of their own.
        kwargs={
            "options": "-c search_path=procrastinate",
            "application_name": QUEUE_CONNECTIONS,
        },
    )


async def run_worker(
    place: Workplace,
    queue: PsycopgConnector,
    slots: int,
    check_slots: int,
    stop: asyncio.Event,
) -> None:
    """Work until `stop`; then running shifts are ended, and other workers take over the bots."""
    app = procrastinate.App(connector=queue)
    ending, ends = _Ending(slots), ShiftEnds(place.shifts, stop)
    _add_tasks(app, place, stop, ending, ends)
    await asyncio.to_thread(remove_left_folders)
    async with app.open_async(), asyncio.TaskGroup() as working:
        working.create_task(_work(app, QUEUE, slots, stop))
        working.create_task(_work(app, CHECK_QUEUE, check_slots, stop))
        await stop.wait()
        left_at = monotonic()
    await ending.end(left_at + LEAVE_SECONDS - monotonic())
    await ends.finish()


async def _work(app: procrastinate.App, queue: str, slots: int, stop: asyncio.Event) -> None:
    """Take jobs from a queue until `stop`, then wait briefly for running jobs."""
    stopping = asyncio.create_task(stop.wait())
    while not stopping.done():
        worker = Worker(
            app,
            queues=[queue],
            concurrency=slots,
            install_signal_handlers=False,
            delete_jobs="always",
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=LOST_SECONDS,
            shutdown_graceful_timeout=LEAVE_SECONDS,
        )
        working = asyncio.create_task(worker.run())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        # Not cancelled: Python 3.11's `asyncio.wait_for` can lose a cancellation while the worker
        # registers.
        worker.stop()
        failures = await asyncio.gather(working, return_exceptions=True)
        if not stopping.done():
            # The worker ends by itself when the database does not answer for a moment.
            log.warning("queue connection failed, retrying", why=repr(failures[0]))
            await asyncio.wait({stopping}, timeout=RETRY_SECONDS)


class _Ending:
    """Shifts that are ending: they finish their last matches without occupying a slot."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._shifts: set[asyncio.Task[Any]] = set()

    async def until_slot_is_free(self, shift: asyncio.Task[Any], over: asyncio.Event) -> None:
        """Wait until the shift may leave its slot, which is when `over` is set.

        If too many other shifts are ending, wait for the shift itself. Cancelling ends the shift.
        """
        shift.add_done_callback(lambda _: over.set())
        try:
            await over.wait()
            if shift.done() or len(self._shifts) >= self._most:
                await shift
            else:
                self._shifts.add(shift)
                shift.add_done_callback(self._over)
        except asyncio.CancelledError:
            shift.cancel()
            await asyncio.gather(shift, return_exceptions=True)
            raise

    def _over(self, shift: asyncio.Task[Any]) -> None:
        self._shifts.discard(shift)
        if not shift.cancelled() and (error := shift.exception()) is not None:
            log.error("a shift failed", exc_info=error)

    async def end(self, seconds: float) -> None:
        """Wait for the remaining shifts, and end those that take too long."""
        if self._shifts:
            _, late = await asyncio.wait(set(self._shifts), timeout=max(0.0, seconds))
            for shift in late:
                shift.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _add_tasks(
    app: procrastinate.App,
    place: Workplace,
    leave: asyncio.Event,
    ending: _Ending,
    ends: ShiftEnds,
) -> None:
    async def play_begun(begun: pb.BeginShiftResponse | None) -> None:
        if begun is not None:
            over = asyncio.Event()
            run = partial(_play, began=monotonic(), on_ending=over.set)
            shift = _shift(place, begun, leave, ends, run)
            await ending.until_slot_is_free(asyncio.create_task(shift), over)

    @app.task(name=PLAY_TASK, queue=QUEUE)
    async def play(bot_id: int) -> None:
        await play_begun(await place.shifts.begin(bot_id=bot_id))

    @app.task(name=TOURNAMENT_TASK, queue=QUEUE)
    async def tournament(version_id: int) -> None:
        await play_begun(await place.shifts.begin(tournament_version_id=version_id))

    @app.task(name=CHECK_TASK, queue=CHECK_QUEUE)
    async def check(version_id: int) -> None:
        begun = await place.shifts.begin(check_version_id=version_id)
        if begun is not None:
            reporting = await _shift(place, begun, leave, ends, _check)
            # The job must last until the report is done: a check without a job counts as lost.
            await asyncio.shield(reporting)

    @app.task(name=FINAL_TASK, queue=QUEUE)
    async def final(event_id: int, round_number: int, table_number: int, block_number: int) -> None:
        block = pb.FinalBlock(
            event_id=event_id, round=round_number, table=table_number, number=block_number
        )
        try:
            await _final(place, block, leave)
        except (BuildRefusedError, SandboxError, WorkerCallError) as error:
            # The referee queues it again.
            log.error("a block of a final failed on this machine", why=str(error))

    # Only a queueing lock: a plain lock would be held for ever by the job of a dead worker.
    # The sixth field of the cron expression is for seconds: every ten seconds.
    @app.periodic(cron="* * * * * */10")
    @app.task(
        name=_RETURNING,
        queue=QUEUE,
        queueing_lock=_RETURNING,
        priority=RETURNING_PRIORITY,
        pass_context=True,
    )
    async def return_lost_jobs(context: JobContext, timestamp: int) -> None:
        del timestamp
        jobs = context.app.job_manager
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=LOST_SECONDS):
            log.warning("a worker died in a shift", job=job.id, task=job.task_name)
            await jobs.retry_job(job)


async def _shift(
    place: Workplace,
    begun: pb.BeginShiftResponse,
    leave: asyncio.Event,
    ends: ShiftEnds,
    run: Any,
) -> asyncio.Task[None]:
    """Run a shift and always report how it ended. Return the task that reports it."""
    end = ShiftEnd("The worker failed; its log says why.")
    try:
        async with place.builds.used(
            begun.sha256, begun.file_name, lambda: place.shifts.fetch(begun.shift_id)
        ) as (build, folder):
            end = await run(place, begun, HostedProgram(folder, command_of(build)), leave)
    except BuildRefusedError as error:
        end = ShiftEnd(str(error), accepted=False, cut_short=True)
    except (SandboxError, WorkerCallError) as error:
        log.error("a shift failed on this machine", shift=begun.shift_id, why=str(error))
        end = ShiftEnd(str(error))
    except asyncio.CancelledError:
        end = STOPPED
        raise
    finally:
        reporting = ends.report(begun.shift_id, end)
    return reporting


async def _play(
    place: Workplace,
    begun: pb.BeginShiftResponse,
    program: HostedProgram,
    leave: asyncio.Event,
    *,
    began: float,
    on_ending: Callable[[], None],
) -> ShiftEnd:
    async with AsyncExitStack() as stack:
        socket = place.socket
        # If there are several referees, the program must be able to change to another.
        if socket is None or place.referees.several or not await _listens(socket):
            socket = await stack.enter_async_context(relayed(place.referees, begun.token))
        at = HostedPlace(place.referees, socket, begun.token)
        report = await play_shift(
            program,
            at,
            seconds=begun.seconds,
            began=began,
            leave=leave,
            most_ahead_seconds=MOST_AHEAD_SECONDS,
            on_ending=on_ending,
        )
    return ShiftEnd(report.sentence, report.printed, cut_short=report.ending in CUT_SHORT)


async def _final(place: Workplace, block: pb.FinalBlock, leave: asyncio.Event) -> None:
    """Play a block of a final, and hand it in, retrying until a referee answers."""
    begun = await place.shifts.begin_final(block)
    if begun is None:
        return
    programs = []
    async with AsyncExitStack() as stack:
        for one in begun.builds:
            fetch = partial(place.shifts.fetch_for_final, block.event_id, one.sha256)
            used = place.builds.used(one.sha256, one.file_name, fetch)
            build, folder = await stack.enter_async_context(used)
            programs.append(HostedProgram(folder, command_of(build)))
        ending = await played_block(begun, programs, leave)
    if ending is None:
        return
    ending[0].block.CopyFrom(block)
    while not leave.is_set():
        try:
            await place.shifts.end_final(ending)
        except TemporaryCallError as error:
            log.warning("a block of a final is not handed in, retrying", why=str(error))
            await wait_at_most(leave, RETRY_SECONDS)
        else:
            return


async def _listens(socket: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(socket)
    except OSError:
        return False
    writer.close()
    return True


async def _check(
    place: Workplace, begun: pb.BeginShiftResponse, program: HostedProgram, leave: asyncio.Event
) -> ShiftEnd:
    tell_step = partial(place.shifts.tell_step, begun.shift_id)
    return await checked(program, tell_step, leave, place.check_seconds)
