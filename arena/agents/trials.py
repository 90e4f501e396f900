"""`check` and `compare`: an agent's programs, tried on this machine before they are uploaded.

They run in the sandbox of hosted bots or not at all: an agent that may name a program must not
thereby run code with the user's rights.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from arena.agents.table import TableError
from arena.builds.build import MOST_SOURCE_BYTES, Build, read_build, unpack
from arena.extras import missing_extra
from arena.processes import SubprocessError, run_to_end

if TYPE_CHECKING:
    from arena.worker.sandbox import HostedProgram

Tell = Callable[[dict[str, Any]], Awaitable[None]]
"""Called with the state of a test at each look."""

_COMPILE: Final = """
import sys
try:
    compile(sys.stdin.buffer.read(), "bot.py", "exec")
except SyntaxError as error:
    print(f"line {error.lineno or 1}: {error.msg}")
except ValueError as error:
    print(error)
"""

_ONE_AT_A_TIME: Final = asyncio.Lock()
"""Limits trials to one at a time: each takes the processors that the agent's matches need."""


async def check(file: Path, tell_step: Callable[[str], Awaitable[None]]) -> dict[str, Any]:
    """Check the program in a file as an arena checks an upload; report each step.

    Raises TableError if this machine has no sandbox, and BuildRefusedError.
    """
    async with _sandbox(file) as (program,):
        from arena.worker.check_process import checked

        end = await checked(program, tell_step, asyncio.Event())
    outcome = {} if end.check is None else asdict(end.check)
    return {"accepted": end.accepted, "reason": end.outcome, "log": end.log} | (
        {"scenarios": outcome} if outcome else {}
    )


async def compare(
    new: Path, old: Path, *, game: str, bounds: tuple[float, float], seconds: float, tell: Tell
) -> dict[str, Any]:
    """Test whether a program is better than another, until the answer is clear or time is over.

    Raises TableError if this machine has no sandbox or a program does not play, and
    BuildRefusedError.
    """
    async with _sandbox(new, old) as programs:
        from arena.worker.comparing import ComparisonPlan
        from arena.worker.own_process import own_process, scratch_folder

        with scratch_folder() as scratch:
            plan = ComparisonPlan(
                tuple((str(one.folder), tuple(one.command)) for one in programs),
                *(str(scratch), game, bounds, seconds, secrets.token_hex(4)),
            )
            async with own_process("arena.worker.comparing", asdict(plan)) as child:
                assert child.stdout is not None
                async for line in child.stdout:
                    said = json.loads(line)
                    if "result" in said:
                        return dict(said["result"])
                    if "error" in said:
                        raise TableError(said["error"])
                    await tell(said["progress"])
    raise TableError("The test failed here; what the server printed says why.")


@asynccontextmanager
async def _sandbox(*files: Path) -> AsyncIterator[list["HostedProgram"]]:
    """Yield the programs in files, unpacked for the sandbox, one trial at a time."""
    try:
        from arena.worker.program import command_of
        from arena.worker.sandbox import HostedProgram, why_not_here
    except ModuleNotFoundError as error:
        raise TableError(missing_extra(error.name or "", ["work"]) or str(error)) from error
    async with _ONE_AT_A_TIME, AsyncExitStack() as stack:
        why_not = await why_not_here()
        if why_not is not None:
            raise TableError(f"{why_not} Upload the program instead: the arena checks it.")
        programs = []
        for file in files:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="arena-trial-")))
            build = await asyncio.to_thread(_unpacked, file, folder)
            programs.append(HostedProgram(folder, command_of(build)))
        yield programs


def _unpacked(file: Path, folder: Path) -> Build:
    build = read_build(*read_file(file))
    folder.chmod(0o755)  # the program's user reads it
    unpack(build, folder)
    return build


def syntax_error(name: str, data: bytes) -> str:
    """Return the line and text of a Python file's syntax error; "" if none, or no Python file.

    Another process compiles it, because deeply nested source code can crash a process.
    """
    if not name.endswith(".py") or len(data) > MOST_SOURCE_BYTES:
        return ""
    call = [sys.executable, "-I", "-W", "ignore", "-c", _COMPILE]
    with suppress(SubprocessError):  # the arena's check will find out
        return run_to_end(call, told=data, seconds=10).decode(errors="replace").strip()
    return ""


def read_file(path: Path) -> tuple[str, bytes]:
    """Return the name of a file, and its contents. Raises TableError and OSError."""
    if not path.is_file():  # a device or a pipe may have no end
        raise TableError(f"{path} is no file: name a .py file, or a .zip with bot.toml.")
    return path.name, path.read_bytes()
