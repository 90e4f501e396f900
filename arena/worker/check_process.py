"""`checked`, which runs the check of a build in a process of its own, from its start to its result.

The process ends with this one, however that ends; the folder that it worked in may then remain, and
`remove_left_folders` removes it.
"""

import asyncio
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog

from arena.processes import AsyncProcess, module_command, start_async
from arena.records import CheckOutcome
from arena.worker.bubblewrap import ENDS_WITH_US
from arena.worker.referee import WorkerCallError
from arena.worker.sandbox import HostedProgram, kill

CHECK_SECONDS: Final = 300.0
"""The time after which a check is given up."""
_FOLDERS: Final = "arena-check-"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ShiftEnd:
    """The end of a shift, as reported to the referee."""

    outcome: str
    log: str = ""
    accepted: bool | None = None
    """The result of a check; None if it failed for no fault of the build's and is repeated."""
    check: CheckOutcome | None = None
    cut_short: bool = False
    """Whether the program or its build ended the shift early; the next one should wait."""


STOPPED: Final = ShiftEnd("The worker was stopped.")


async def checked(
    program: HostedProgram,
    tell_step: Callable[[str], Awaitable[None]],
    leave: asyncio.Event,
    seconds: float = CHECK_SECONDS,
) -> ShiftEnd:
    """Check a build for `seconds` at most, or until `leave` is set.

    Every step is passed to `tell_step`, which may raise WorkerCallError.
    """
    with scratch_folder() as scratch:
        plan = {
            "folder": str(program.folder.absolute()),
            "program": list(program.command),
            "scratch": str(scratch),
        }
        async with own_process("arena.worker.checking", plan) as child:
            check = _Check(child, tell_step)
            following = asyncio.create_task(check.follow())
            leaving = asyncio.create_task(leave.wait())
            try:
                await asyncio.wait(
                    {following, leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
                )
                if following.done():
                    return following.result()
                if leaving.done():
                    return STOPPED
                return ShiftEnd(
                    f"Its check was not through after {seconds:.0f} s; its last step: "
                    f"{check.step}. If this machine was busy, the same build may pass: upload it "
                    "again.",
                    accepted=False,
                )
            finally:
                following.cancel()
                leaving.cancel()


@dataclass(slots=True)
class _Check:
    """A running check."""

    process: AsyncProcess
    tell_step: Callable[[str], Awaitable[None]]
    step: str = field(default="none", init=False)

    async def follow(self) -> ShiftEnd:
        """Pass the steps of the check on until its result comes."""
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
        return ShiftEnd("Its check failed on our side: tell the operator.")


def _end(result: dict[str, Any]) -> ShiftEnd:
    found = result["outcome"]
    check = None
    if found is not None:
        failed, skipped = tuple(found["failed"]), tuple(found["skipped"])
        check = CheckOutcome(found["edition"], found["met"], failed, skipped)
    return ShiftEnd(result["reason"], result["log"], result["accepted"], check)


@asynccontextmanager
async def own_process(module: str, plan: object) -> AsyncIterator[AsyncProcess]:
    """Run a module of ours in a process until the block ends; its stdin is the plan as JSON.

    The process ends with this one, however that ends.
    """
    child = await start_async([*ENDS_WITH_US, *module_command(module)])
    try:
        assert child.stdin is not None
        child.stdin.write(json.dumps(plan).encode())
        child.stdin.close()
        yield child
    finally:
        kill(child)
        await child.wait()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder with a short path, for sockets; it is locked while it is used."""
    with tempfile.TemporaryDirectory(prefix=_FOLDERS) as name, _locked(Path(name)):
        yield Path(name)


def remove_left_folders() -> None:
    """Remove the folders of checks and finals whose worker was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*"):
        # Locked: a check uses it. Not ours: another user's. Gone: another worker was faster.
        with suppress(OSError), _locked(folder):
            if folder.stat().st_uid == os.geteuid():
                shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder. Raises OSError if another process has locked it, or it is no folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
