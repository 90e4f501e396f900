"""The start of programs of ours, which end with this process however it ends.

The kernel sends the parent-death signal (Linux) when the *thread* that forked ends. So children are
spawned from the main thread, or from one that lives as long as they do: a worker thread that ends
would end its children.
"""

import asyncio
import asyncio.subprocess
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, SubprocessError, TimeoutExpired
from typing import IO, Final, TypeAlias

from arena.isolation import package_root, python_folders
from arena.processes.environments import own_environment

__all__ = ["DEVNULL", "PIPE", "STDOUT", "SubprocessError", "TimeoutExpired"]

Stream: TypeAlias = int | IO[bytes] | None
Process: TypeAlias = subprocess.Popen[bytes]
AsyncProcess: TypeAlias = asyncio.subprocess.Process

_LAUNCHER: Final = Path(__file__).with_name("launch.py")
_MODULE: Final = Path(__file__).with_name("module.py")
_LONGEST_LINE: Final = 1024 * 1024


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours as a program.

    No file in the working directory or the folders of PYTHONPATH shadows a module that it imports;
    modules that are nowhere else are still found in the folders of PYTHONPATH.
    """
    further = [*python_folders(os.environ.get("PYTHONPATH", "")), package_root()]
    return [sys.executable, "-P", str(_MODULE), os.pathsep.join(further), module, *arguments]


def spawn(
    arguments: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: Stream = DEVNULL,
    stdout: Stream = None,
    stderr: Stream = None,
    death_signal: signal.Signals = signal.SIGTERM,
    keep_open: Sequence[int] = (),
    hand_over: Sequence[Path] | None = None,
    niceness: int = 0,
    thread_outlives_it: bool = False,
) -> Process:
    """Start a program of ours, which gets `death_signal` when this process dies.

    `env` is the whole environment, `own_environment()` by default; `keep_open` are file descriptors
    that the program inherits. With `hand_over` the program never runs as root: if we are root, it
    drops root, and its user becomes the owner of these directories.

    `niceness` (0 to 19) lowers its priority for the processor. A thread other than the main one
    asserts with `thread_outlives_it` that it ends after the program.

    This does not cover processes that the program itself starts: see `spawn_program`. Without prctl
    (macOS) only `stop` ends it. A program that cannot be started ends with code 1 and a message on
    stderr.

    Raises RuntimeError in a thread other than the main one without `thread_outlives_it`.
    """
    if not thread_outlives_it and threading.current_thread() is not threading.main_thread():
        raise RuntimeError("Child processes are started from a thread that outlives them.")
    return subprocess.Popen(  # noqa: S603  arguments without a shell
        [
            *(sys.executable, "-I", "-S", _LAUNCHER),
            *(str(os.getpid()), str(int(death_signal)), str(niceness)),
            *(["keep"] if hand_over is None else ["drop", *hand_over]),
            *("--", *arguments),
        ],
        env=own_environment() if env is None else env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=keep_open,
        start_new_session=True,
    )


async def start_async(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stderr: int | None = None,
    keep_open: Sequence[int] = (),
) -> AsyncProcess:
    """Start a program of ours for asyncio, with pipes as stdin and stdout.

    The first words of `arguments` must make it end with the thread that calls this.
    """
    return await asyncio.create_subprocess_exec(
        *arguments,
        env=own_environment() if env is None else env,
        stdin=PIPE,
        stdout=PIPE,
        stderr=stderr,
        pass_fds=keep_open,
        start_new_session=True,
        limit=_LONGEST_LINE,
    )


def run_to_end(
    arguments: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    stderr: Stream = DEVNULL,
    seconds: float | None = None,
    told: bytes = b"",
) -> bytes:
    """Run a program with `told` as its stdin, and return its stdout.

    Raises OSError, and SubprocessError for an exit code other than 0 and after `seconds`.
    """
    return subprocess.run(  # noqa: S603  arguments without a shell
        arguments,
        env=own_environment() if env is None else env,
        input=told,
        stdout=PIPE,
        stderr=stderr,
        timeout=seconds,
        check=True,
    ).stdout
