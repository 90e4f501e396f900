"""Ends of shifts are reported when referee and database are back; a worker that stops does not wait
for them."""

import asyncio
import os
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from structlog.testing import capture_logs

from arena.builds.hosted import BuildState
from arena.processes import processes_of
from arena.worker.limits import LEAVE_SECONDS
from tests.databases import unreachable
from tests.fault_proxy import FaultProxy
from tests.waiting import until_async
from tests.worker.hosting import LONG, Hosted, hosting

pytestmark = pytest.mark.timeout(900)

NOWHERE = ("127.0.0.1", 9)
ENDS = rb"import time; time.sleep(2); raise SystemExit('no \0tables')"
"""It prints what is no text for the referee."""
RETRYING = "end of shift not reported, retrying"

Log = Sequence[MutableMapping[str, Any]]


def away(proxy: FaultProxy) -> None:
    """No referee is reached through the proxy any more."""
    proxy.target = NOWHERE
    proxy.cut()


async def said(log: Log, event: str) -> None:
    """Wait until the worker has said something."""
    await until_async(lambda: any(line["event"] == event for line in log), LONG, 0.05)


async def ended(stage: Hosted) -> str:
    """The outcome of the shift of ann's bot."""
    async with asyncio.timeout(LONG):
        while not (outcome := (await stage.shifts("ann"))[0].outcome):  # noqa: ASYNC110  only the database knows
            await asyncio.sleep(0.1)
    return outcome


@asynccontextmanager
async def program_started(stage: Hosted, port: int | None = None) -> AsyncIterator[None]:
    """A worker that has started the program of ann's bot, which ends in a moment."""
    await stage.upload("ann", "bot.py", ENDS)
    await stage.accept()
    async with stage.worker(slots=1, port=port):
        await until_async(
            lambda: any(b"bot.py" in of_process(one) for one in processes_of(os.getpid())),
            LONG,
            0.05,
        )
        yield


def of_process(process: int) -> list[bytes]:
    """Its command line; empty if it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


async def test_a_shift_ends_when_the_referee_that_was_away_at_its_end_is_back(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        there = ("127.0.0.1", stage.scene.port)
        with closing(FaultProxy(there)) as proxy, capture_logs() as log:
            async with program_started(stage, proxy.port):
                away(proxy)
                await said(log, RETRYING)
                assert not (await stage.shifts("ann"))[0].outcome
                proxy.target = there
                outcome = await ended(stage)
        shift = (await stage.shifts("ann"))[0]
    assert outcome.startswith("Its program ended with code 1 ")
    assert "no tables" in shift.log


async def test_a_shift_ends_when_the_database_that_was_away_at_its_end_is_back(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        with capture_logs() as log:
            async with program_started(stage):
                with unreachable(database):
                    await said(log, RETRYING)
                outcome = await ended(stage)
    # Its program ended first, or the queue, which gives up its jobs after LEAVE_SECONDS.
    assert outcome != "The worker was lost."


async def test_a_check_decides_on_its_build_when_the_referee_is_back(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        there = ("127.0.0.1", stage.scene.port)
        with closing(FaultProxy(there)) as proxy, capture_logs() as log:
            async with stage.worker(slots=1, port=proxy.port):
                await stage.upload("ann", "bot.py", ENDS)
                async with asyncio.timeout(LONG):
                    while "starts" not in (await stage.build("ann")).reason:  # noqa: ASYNC110  only the database knows
                        await asyncio.sleep(0.05)
                away(proxy)
                await said(log, RETRYING)
                proxy.target = there
                build = await stage.decided("ann")
        checks = await stage.shifts("ann")
    assert build.state is BuildState.REFUSED
    assert "no tables" in build.reason
    assert len(checks) == 1


async def test_a_worker_that_is_stopped_does_not_wait_for_a_referee(
    database: str, tmp_path: Path
) -> None:
    async with hosting(database, tmp_path) as stage:
        with closing(FaultProxy(("127.0.0.1", stage.scene.port))) as proxy, capture_logs() as log:
            async with program_started(stage, proxy.port):
                away(proxy)
                await said(log, RETRYING)
                stopped = monotonic()
            assert monotonic() - stopped < LEAVE_SECONDS
    assert "end of shift not reported" in [line["event"] for line in log]
