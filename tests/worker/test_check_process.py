"""The process that checks a build: what is said when it ends without a result."""

import asyncio
import os
import signal
from pathlib import Path

from structlog.testing import capture_logs

from arena.processes import children_of
from arena.worker.check_process import checked
from arena.worker.referee import ShiftEnd, WorkerCallError
from tests.bots import PATIENCE
from tests.worker.conftest import MakeProgram


async def test_a_check_whose_process_is_killed_refuses_nothing_and_says_whose_fault_it_is(
    program: MakeProgram,
) -> None:
    async def kill(step: str) -> None:
        assert step == "starts"
        # Not below it: what it starts looks like it until it is another program.
        (checking,) = [one for one in children_of(os.getpid()) if _checks(one)]
        os.kill(checking, signal.SIGKILL)

    hangs = program("import time; time.sleep(1000)")
    async with asyncio.timeout(PATIENCE):
        end = await checked(hangs, kill, asyncio.Event())
    assert end == ShiftEnd(
        "The arena could not complete its check: tell the operator.", accepted=None
    )


async def test_a_check_goes_on_when_its_steps_are_not_taken(program: MakeProgram) -> None:
    steps: list[str] = []

    async def tell_step(step: str) -> None:
        steps.append(step)
        raise WorkerCallError("no referee is known")

    ends_at_once = program("raise SystemExit('no tables')")
    with capture_logs() as log:
        async with asyncio.timeout(PATIENCE):
            end = await checked(ends_at_once, tell_step, asyncio.Event())
    assert end.accepted is False
    assert "no tables" in end.outcome
    assert [line["step"] for line in log] == steps


def _checks(process: int) -> bool:
    return b"arena.worker.checking" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
