"""`checked`, which runs the check of a build in a process of its own and returns its result.

The process ends with this one, however this one ends.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from arena.processes import AsyncProcess
from arena.records import CheckOutcome
from arena.waiting import first_of
from arena.worker.own_process import own_process, scratch_folder
from arena.worker.referee import ShiftEnd, WorkerCallError
from arena.worker.sandbox import HostedProgram

CHECK_SECONDS: Final = 300.0
"""The time after which a check is given up."""

log = structlog.get_logger()


STOPPED: Final = ShiftEnd("The worker was stopped.")


async def checked(
    program: HostedProgram,
    tell_step: Callable[[str], Awaitable[None]],
    leave: asyncio.Event,
    seconds: float = CHECK_SECONDS,
) -> ShiftEnd:
    """Check a build for `seconds` at most, or until `leave` is set.

    Passes every step to `tell_step`, which may raise WorkerCallError.
    """
    with scratch_folder() as scratch:
        plan = {
            "folder": str(program.folder.absolute()),
            "program": list(program.command),
            "scratch": str(scratch),
        }
        async with own_process("arena.worker.checking", plan) as child:
            check = _Check(child, tell_step)
            async with first_of(check.follow(), leave.wait(), seconds=seconds) as tasks:
                following, leaving = tasks
                if following.done():
                    end: ShiftEnd = following.result()
                    return end
                if leaving.done():
                    return STOPPED
            return ShiftEnd(
                f"Its check did not finish within {seconds:.0f} s; its last step: {check.step}. If "
                "this machine was busy, the same build may pass: upload it again.",
                accepted=False,
            )


@dataclass(slots=True)
class _Check:
    """A running check."""

    process: AsyncProcess
    tell_step: Callable[[str], Awaitable[None]]
    step: str = field(default="none", init=False)

    async def follow(self) -> ShiftEnd:
        """Report the steps of the check until its result arrives, and return it."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            said = json.loads(line)
            if "result" in said:
                return _end(said["result"])
            self.step = said["step"]
            try:
                await self.tell_step(self.step)
            except WorkerCallError as error:  # the check does not depend on its reports
                log.warning("step of a check not reported", step=self.step, why=str(error))
        return ShiftEnd("The arena could not complete its check: tell the operator.")


def _end(result: dict[str, Any]) -> ShiftEnd:
    if (found := result["check"]) is not None:
        failed, skipped = tuple(found["failed"]), tuple(found["skipped"])
        result["check"] = CheckOutcome(found["edition"], found["met"], failed, skipped)
    return ShiftEnd(**result)
