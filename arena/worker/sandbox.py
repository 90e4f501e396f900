"""The start of untrusted programs in a sandbox: confined, or not at all.

UserError
└── SandboxError    no program can be confined here, or this one cannot be started; the message says
                    why

A program sees the machine's /usr, this Python, its own folder and the referee's socket, all of it
read-only, and a small /tmp in memory. It has its own namespaces for users, processes, mounts,
network, ipc and host name, and no capabilities. On the machine it runs as an ordinary user; if we
are root, as a user of its own. bubblewrap does all that. This module adds the filter of system
calls and the limits, which are set while a gate delays the program: with control groups where the
worker has them (arena.worker.cgroups), and always with rlimits and checks of the program's usage.
"""

import asyncio
import contextlib
import os
import random
import signal
import socket as sockets
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import UserError
from arena.processes import STDOUT, AsyncProcess, children_of, processes_of, start_async
from arena.settings import read_settings
from arena.worker.bubblewrap import (
    GO,
    NICENESS,
    READY,
    SEARCH_PATH,
    SOCKET,
    ShownMachine,
    command_line,
    find_bubblewrap,
)
from arena.worker.call_gate import CallAllowance, CallGate
from arena.worker.cgroups import program_group
from arena.worker.confined_program import ConfinedProgram
from arena.worker.limits import (
    CONNECT_EACH_SECONDS,
    CONNECTS_AT_ONCE,
    WATCH_EACH_SECONDS,
    WATCHES_AT_ONCE,
    SandboxLimits,
)
from arena.worker.printed import Printed
from arena.worker.system_calls import system_call_filter
from arena.worker.users import program_user

START_SECONDS: Final = 10.0
"""The time that bubblewrap may take to start; it needs a few milliseconds."""
STAND_BACK_SECONDS: Final = 2.0
"""The most time that a program waits at the gate until its session's niceness is set."""
NOT_HERE: Final = "Bots cannot be hosted on this machine"
_CHUNK_BYTES = 64 * 1024
_CONNECTED_OFTEN: Final = (
    f"The arena: it connected {CONNECTS_AT_ONCE} times; from now on it may connect only once every "
    f"{CONNECT_EACH_SECONDS:g} s.\n"
)
_WATCHED_OFTEN: Final = (
    f"The arena: it watched {WATCHES_AT_ONCE:,} files by epoll; from now on it may watch only "
    f"{1 / WATCH_EACH_SECONDS:.0f} a second.\n"
)
_ENVIRONMENT: Final = {
    "PATH": SEARCH_PATH,
    "HOME": "/tmp",  # noqa: S108  its own
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The output must be complete when the program is killed.
    "PYTHONUNBUFFERED": "1",
    # The program has one processor and few threads; libraries would otherwise start a thread for
    # each processor of the machine.
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}


class SandboxError(UserError):
    """Nothing can be confined on this machine, or this program cannot be started."""


@dataclass(frozen=True, slots=True)
class HostedProgram:
    """An untrusted program."""

    folder: Path
    """The folder with its files, readable for every user; also its working directory."""
    command: Sequence[str]
    """The program and its arguments: `./bot` for a file in the folder, else a name on the PATH."""


@asynccontextmanager
async def confined(
    program: HostedProgram,
    *,
    socket: Path | None,
    token: str = "",
    limits: SandboxLimits = SandboxLimits(),
    printed: Printed | None = None,
) -> AsyncIterator[ConfinedProgram]:
    """Run a program until the block ends.

    Its environment contains the address of the referee at `socket` and the `token`; its output is
    added to `printed`. Raises SandboxError.

    Call this in the main thread: the program ends with the thread that started it.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxError(f"{NOT_HERE}: only Linux confines programs.")
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        raise SandboxError(f"{NOT_HERE}: bubblewrap is not installed.")
    environment = dict(_ENVIRONMENT)
    if socket is not None:
        environment |= {"ARENA_ADDRESS": f"unix:{SOCKET}", "ARENA_TOKEN": token}
    settings = read_settings()
    machine = ShownMachine(program.folder, socket, hidden=settings.home)
    with ExitStack() as ours:
        try:
            user = ours.enter_context(program_user(settings.program_users))
        except OSError as error:
            raise SandboxError(f"{NOT_HERE}: {error}.") from error
        group = ours.enter_context(program_group(limits))
        with ExitStack() as theirs:
            try:
                calls = system_call_filter()
            except (OSError, ImportError, RuntimeError) as error:
                raise SandboxError(f"{NOT_HERE}: {error}.") from error
            theirs.callback(os.close, calls)
            line, their_line = sockets.socketpair()
            ours.enter_context(line)
            theirs.enter_context(their_line)
            process = await start_async(
                command_line(
                    *(bubblewrap, machine, user, limits),
                    *(("--seccomp", str(calls)), their_line.fileno(), program.command),
                ),
                env=environment,
                stderr=STDOUT,
                keep_open=(calls, their_line.fileno()),
            )
        assert process.stdin is not None
        try:
            printed = printed or Printed()
            first = await at_gate(process, printed)
            running = ConfinedProgram(process, first, printed, limits, group, socket)
            ours.callback(running.close)
            _, (listener,), _, _ = sockets.recv_fds(line, 1, 1)
            gate = CallGate(listener, _allowances(printed))
            ours.callback(gate.close)
            _share_processors(first, limits)
            await _stand_back(first)
            if group is not None:
                # If the kernel refuses, the other limits still apply.
                with contextlib.suppress(OSError):
                    for one in processes_of(process.pid):
                        group.add(one)
            reading = asyncio.create_task(_read(process, printed))
            process.stdin.write(GO)
            process.stdin.close()
            try:
                yield running
            finally:
                running.kill()
                await reading
        finally:
            # All of the program's processes end before `process`; closing stdin ends one that is
            # still at the gate.
            process.stdin.close()
            kill(process)
            await process.wait()


async def at_gate(process: AsyncProcess, printed: Printed) -> int:
    """Return the first process of a program that waits at the gate.

    Earlier output of the sandbox, such as a warning, is added to the program's output. Raises
    SandboxError.
    """
    assert process.stdout is not None
    said = Printed()
    try:
        async with asyncio.timeout(START_SECONDS):
            while line := await process.stdout.readline():
                if line == READY:
                    for bubblewrap in children_of(process.pid):
                        for first in children_of(bubblewrap):
                            return first
                    break
                said.add(line)
                printed.add(line)
    except TimeoutError:
        why = said.text().strip() or "bubblewrap does not get ready."
        raise SandboxError(f"{NOT_HERE}: {why}") from None
    raise SandboxError(f"{NOT_HERE}: {said.text().strip() or 'bubblewrap ended.'}")


def _allowances(printed: Printed) -> list[CallAllowance]:
    """Return the allowed rates of the calls that the kernel asks about.

    When the program first has to wait, a note is added to its output.
    """
    return [
        CallAllowance(
            "connect",
            CONNECTS_AT_ONCE,
            CONNECT_EACH_SECONDS,
            lambda: printed.add(_CONNECTED_OFTEN.encode()),
        ),
        CallAllowance(
            "epoll_ctl",
            WATCHES_AT_ONCE,
            WATCH_EACH_SECONDS,
            lambda: printed.add(_WATCHED_OFTEN.encode()),
        ),
    ]


def kill(process: AsyncProcess) -> None:
    """End a process, if it has not ended yet.

    `Process.kill` would first poll the process. That could take the exit code away from asyncio's
    thread that waits for it, and the code would be lost.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def _read(process: AsyncProcess, printed: Printed) -> None:
    assert process.stdout is not None
    while data := await process.stdout.read(_CHUNK_BYTES):
        printed.add(data)


def _share_processors(first: int, limits: SandboxLimits) -> None:
    """Restrict a program at the gate to randomly chosen processors.

    The program cannot change this itself: the filter refuses the call.
    """
    ours = sorted(os.sched_getaffinity(0))
    chosen = random.sample(ours, min(len(ours), limits.processors))
    for process in processes_of(first):
        os.sched_setaffinity(process, chosen)


async def _stand_back(first: int) -> None:
    """Lower the priority of the program's session.

    Linux shares the processor among sessions first; a program at the gate has a session of its own,
    which it cannot leave.
    """
    # Except for root, Linux accepts one such write per 100 ms from all users; others must retry.
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(STAND_BACK_SECONDS):
            while True:
                try:
                    group = Path(f"/proc/{first}/autogroup")
                    group.write_text(str(NICENESS))  # noqa: ASYNC240  it takes no time
                except BlockingIOError:
                    await asyncio.sleep(0.02)
                else:
                    return


async def why_not_here() -> str | None:
    """Return a sentence that says why nothing can be confined here; None if a trial succeeded."""
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103  empty; it takes no time
        program = HostedProgram(Path(folder), ("true",))
        try:
            async with confined(program, socket=None) as running:
                code = await running.wait()
        except SandboxError as error:
            return str(error)
        return None if code == 0 else f"{NOT_HERE}: {running.printed.text().strip()}"
