"""Runs programs confined, without a referee, and looks at their processes."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from arena.worker.limits import MIB, SandboxLimits
from arena.worker.sandbox import HostedProgram, confined
from tests.bots import PATIENCE
from tests.worker.conftest import MakeProgram

SMALL = SandboxLimits(
    memory_bytes=96 * MIB,
    tasks=24,
    open_files=64,
    temporary_bytes=4 * MIB,
    temporary_files=500,
    printed_bytes=MIB,
)
"""Limits that a nuisance reaches at once."""

TRY = """
import ctypes, errno, os, platform, socket, sys

def attempt(name, call):
    try:
        print(name, "ESCAPED", call())
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, "refused"))

libc = ctypes.CDLL(None, use_errno=True)
SOCKET = (41 if platform.machine() == "x86_64" else 198,)

def system_call(*arguments):
    result = libc.syscall(*[ctypes.c_long(one) for one in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""


async def outcome(
    program: HostedProgram, socket: Path | None = None, limits: SandboxLimits = SMALL
) -> tuple[str, str]:
    """Why a program was ended ("" if it ended by itself), and what it printed."""
    async with (
        asyncio.timeout(PATIENCE),
        confined(program, socket=socket, token="its own", limits=limits) as running,
    ):
        ended = asyncio.create_task(running.wait())
        exceeded = asyncio.create_task(running.exceeded())
        await asyncio.wait({ended, exceeded}, return_when=asyncio.FIRST_COMPLETED)
        sentence = exceeded.result() if exceeded.done() else ""
        ended.cancel()
        exceeded.cancel()
    return sentence, running.printed.text()


async def tried(program: MakeProgram, text: str) -> dict[str, str]:
    """What came of each try, by its name."""
    sentence, printed = await outcome(program(TRY + text))
    assert not sentence
    lines = [line.split(" ", 1) for line in printed.splitlines()]
    assert all(len(line) == 2 for line in lines), printed
    return dict(lines)


def status_of(process: int) -> os.stat_result | None:
    with suppress(OSError):
        return Path(f"/proc/{process}").stat()
    return None
