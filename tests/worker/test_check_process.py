"""The process that checks a build: what is said when it ends without a result."""

import asyncio
import os
import signal
from pathlib import Path

from arena.worker.check_process import ShiftEnd, checked
from arena.worker.usage import processes_of
from tests.bots import PATIENCE
from tests.worker.conftest import MakeProgram


async def test_a_check_whose_process_is_killed_refuses_nothing_and_says_whose_fault_it_is(
    program: MakeProgram,
) -> None:
    async def kill(step: str) -> None:
        assert step == "starts"
        (checking,) = [one for one in processes_of(os.getpid()) if _checks(one)]
        os.kill(checking, signal.SIGKILL)

    hangs = program("import time; time.sleep(1000)")
    async with asyncio.timeout(PATIENCE):
        end = await checked(hangs, kill, asyncio.Event())
    assert end == ShiftEnd("Its check failed on our side: tell the operator.", accepted=None)


def _checks(process: int) -> bool:
    return b"arena.worker.checking" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
