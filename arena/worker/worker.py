"""`run_worker`: takes shifts from the queue, one in each slot, until it is stopped.

The queue is procrastinate's: it hands out each job once, wakes workers when there is a new one, and
notes that they are alive. A worker that dies leaves jobs behind, which `return_lost_jobs`, running
on all workers, puts back.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import procrastinate
import structlog
from procrastinate import JobContext, PsycopgConnector

from arena.bot.address import Address
from arena.builds import BuildRefusedError
from arena.builds.hosted import CHECK_TASK, PLAY_TASK, QUEUE
from arena.records import CheckOutcome
from arena.v1 import worker_pb2 as pb
from arena.worker.bubblewrap import ENDS_WITH_US
from arena.worker.kept_builds import KeptBuilds
from arena.worker.program import command_of
from arena.worker.referee import Shifts, WorkerCallError
from arena.worker.relay import relayed
from arena.worker.sandbox import HostedProgram, SandboxError, kill
from arena.worker.shift import HostedPlace, play_shift

LEAVE_SECONDS: Final = 10.0
"""How long shifts may finish their matches when the worker is stopped."""
CHECK_SECONDS: Final = 300.0
"""After which a check is given up."""
AHEAD_SECONDS: Final = 1.0
"""So long before the end of a shift the next one of its slot begins: programs take time to start.
"""
HEARTBEAT_SECONDS: Final = 5.0
LOST_SECONDS: Final = 20.0
"""Without a heartbeat for so long, a worker has died."""
RETRY_SECONDS: Final = 2.0
"""After the queue did not answer."""
QUEUE_CONNECTIONS: Final = "arena worker"
"""Under this name the database lists the connections of workers."""
_RETURNING: Final = "return lost jobs"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a worker works."""

    referee: Address
    shifts: Shifts
    builds: KeptBuilds
    socket: Path | None
    """Of the referee; None if it is on another machine."""
    check_seconds: float = CHECK_SECONDS


def queue_of(database_url: str) -> PsycopgConnector:
    """The queue in a database."""
    url = database_url.replace("postgresql+psycopg://", "postgresql://", 1)
    return PsycopgConnector(
        conninfo=url,
        min_size=1,
        max_size=4,
        # Its tables are in a schema of their own.
        kwargs={
            "options": "-c search_path=procrastinate",
            "application_name": QUEUE_CONNECTIONS,
        },
    )


async def run_worker(
    place: Workplace, queue: PsycopgConnector, slots: int, stop: asyncio.Event
) -> None:
    """Work until `stop`; then shifts that run are ended, and others take them up."""
    app = procrastinate.App(connector=queue)
    ending = _Ending(slots)
    _add_tasks(app, place, stop, ending)
    async with app.open_async():
        stopping = asyncio.create_task(stop.wait())
        while not stopping.done():
            working = asyncio.create_task(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=slots,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    update_heartbeat_interval=HEARTBEAT_SECONDS,
                    stalled_worker_timeout=LOST_SECONDS,
                    shutdown_graceful_timeout=LEAVE_SECONDS,
                )
            )
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            working.cancel()
            (failure,) = await asyncio.gather(working, return_exceptions=True)
            if not stopping.done():
                # It ends by itself when the database does not answer for a moment.
                log.warning("the queue does not answer; it is tried again", why=repr(failure))
                await asyncio.wait({stopping}, timeout=RETRY_SECONDS)
        await ending.end()


class _Ending:
    """Shifts whose time is over in a moment, and which play their last matches beside those of the
    slots."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._shifts: set[asyncio.Task[None]] = set()

    async def until_slot_is_free(self, shift: asyncio.Task[None], over: asyncio.Event) -> None:
        """Wait until the shift's time is nearly `over`; or for its end, if too many others end.
        Cancelling ends the shift."""
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

    def _over(self, shift: asyncio.Task[None]) -> None:
        self._shifts.discard(shift)
        if not shift.cancelled() and (error := shift.exception()) is not None:
            log.error("a shift failed", exc_info=error)

    async def end(self) -> None:
        """Wait for those that are left, and end those that take too long."""
        if self._shifts:
            _, late = await asyncio.wait(set(self._shifts), timeout=LEAVE_SECONDS)
            for shift in late:
                shift.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _add_tasks(
    app: procrastinate.App, place: Workplace, leave: asyncio.Event, ending: _Ending
) -> None:
    @app.task(name=PLAY_TASK, queue=QUEUE)
    async def play(bot_id: int) -> None:
        begun = await place.shifts.begin(bot_id=bot_id)
        if begun is not None:
            over = asyncio.Event()
            shift = _shift(place, begun, leave, partial(_play, on_ending=over.set))
            await ending.until_slot_is_free(asyncio.create_task(shift), over)

    @app.task(name=CHECK_TASK, queue=QUEUE)
    async def check(version_id: int) -> None:
        begun = await place.shifts.begin(check_version_id=version_id)
        if begun is not None:
            await _shift(place, begun, leave, _check)

    # With a queueing lock alone: a lock would be held for ever by the job of a worker that died.
    @app.periodic(cron="*/10 * * * * *")
    @app.task(name=_RETURNING, queue=QUEUE, queueing_lock=_RETURNING, pass_context=True)
    async def return_lost_jobs(context: JobContext, timestamp: int) -> None:
        del timestamp
        jobs = context.app.job_manager
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=LOST_SECONDS):
            log.warning("a worker died in a shift", job=job.id, task=job.task_name)
            await jobs.retry_job(job)


@dataclass(frozen=True, slots=True)
class _End:
    outcome: str
    log: str = ""
    accepted: bool | None = None
    """Of a check; None if it failed for no reason of the build's, and is to be tried again."""
    check: CheckOutcome | None = None


async def _shift(
    place: Workplace, begun: pb.BeginShiftResponse, leave: asyncio.Event, run: Any
) -> None:
    """Run a shift, and tell how it ended, whatever happens."""
    end = _End("The worker failed; its log says why.")
    try:
        build, folder = await place.builds.get(
            begun.sha256, begun.file_name, lambda: place.shifts.fetch(begun.shift_id)
        )
        end = await run(place, begun, HostedProgram(folder, command_of(build)), leave)
    except BuildRefusedError as error:
        end = _End(str(error), accepted=False)
    except (SandboxError, WorkerCallError) as error:
        log.error("a shift failed on this machine", shift=begun.shift_id, why=str(error))
        end = _End(str(error))
    except asyncio.CancelledError:
        end = _End("The worker was stopped.")
        raise
    finally:
        telling = place.shifts.end(
            begun.shift_id, end.outcome, end.log, accepted=end.accepted, check=end.check
        )
        try:
            await asyncio.shield(telling)
        except WorkerCallError as error:
            log.error("a shift's end is not told", shift=begun.shift_id, why=str(error))


async def _play(
    place: Workplace,
    begun: pb.BeginShiftResponse,
    program: HostedProgram,
    leave: asyncio.Event,
    *,
    on_ending: Callable[[], None],
) -> _End:
    async with AsyncExitStack() as stack:
        socket = place.socket
        if socket is None:
            socket = await stack.enter_async_context(relayed(place.referee, begun.token))
        at = HostedPlace(place.referee, socket, begun.token)
        report = await play_shift(
            *(program, at),
            seconds=begun.seconds,
            leave=leave,
            ahead_seconds=AHEAD_SECONDS,
            on_ending=on_ending,
        )
    return _End(report.sentence, report.printed)


async def _check(
    place: Workplace, begun: pb.BeginShiftResponse, program: HostedProgram, _leave: asyncio.Event
) -> _End:
    """Check a build in a process of its own, which tells every step."""
    with tempfile.TemporaryDirectory(prefix="arena-check-") as scratch:
        plan = {
            "folder": str(program.folder.absolute()),
            "program": list(program.command),
            "scratch": scratch,
        }
        child = await asyncio.create_subprocess_exec(
            *(*ENDS_WITH_US, sys.executable, "-m", "arena.worker.checking"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1024 * 1024,
        )
        assert child.stdin is not None and child.stdout is not None
        step = "none"
        try:
            child.stdin.write(json.dumps(plan).encode())
            child.stdin.close()
            async with asyncio.timeout(place.check_seconds):
                async for line in child.stdout:
                    said = json.loads(line)
                    if "result" in said:
                        return _end(said["result"])
                    step = said["step"]
                    await place.shifts.tell_step(begun.shift_id, step)
        except TimeoutError:
            return _End(
                f"Its check was not through after {place.check_seconds:.0f} s; its last step: "
                f"{step}. If this machine was busy, the same build may pass: upload it again.",
                accepted=False,
            )
        finally:
            kill(child)
            await child.wait()
    return _End("Its check failed on our side: tell the operator.")


def _end(result: dict[str, Any]) -> _End:
    found = result["outcome"]
    check = None
    if found is not None:
        failed, skipped = tuple(found["failed"]), tuple(found["skipped"])
        check = CheckOutcome(found["edition"], found["met"], failed, skipped)
    return _End(result["reason"], result["log"], result["accepted"], check)
