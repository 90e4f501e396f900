"""Starts and stops child processes, which end with this process however it ends.

The kernel's parent-death signal (Linux) follows the *thread* that forked, so children are spawned
from the main thread, or from one that lives as long as they do: a worker thread that ends would
take its children with it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TypeAlias

Stream: TypeAlias = int | IO[bytes] | None

_LAUNCHER = Path(__file__).with_name("launch.py")


def spawn(
    arguments: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = None,
    stderr: Stream = None,
    death_signal: signal.Signals = signal.SIGTERM,
    keep_open: Sequence[int] = (),
    hand_over: Sequence[Path] | None = None,
    niceness: int = 0,
    thread_outlives_it: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a program that is sent `death_signal` when this process dies.

    It runs in a session of its own: Ctrl-C at the terminal reaches only us, so that we decide in
    which order processes stop. `env` is the whole environment, this process's own by default;
    `keep_open` are file descriptors it inherits. With `hand_over` it never runs as root: if we are
    root it gives that up, and becomes the owner of these directories.

    `niceness` (0 to 19) is how far it stands back behind others that want the processor. A thread
    other than the main one says with `thread_outlives_it` that it ends after the program.

    This does not cover processes that the program itself starts. Without prctl (macOS) only `stop`
    ends it. A program that cannot be started ends with code 1 and a message on stderr.
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
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=keep_open,
        start_new_session=True,
    )


def how_it_ended(code: int) -> str:
    """What the exit code of a process says, in words that continue its name."""
    return f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"


def stop_all(processes: Sequence[subprocess.Popen[bytes]], patience: float = 5.0) -> None:
    """End processes at the same time: all are sent SIGTERM, and SIGKILL after `patience` seconds
    in all."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + patience
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        if process.poll() is None:
            process.kill()
        process.wait()


def stop(
    process: subprocess.Popen[bytes],
    *signals: signal.Signals,
    patience: float = 5.0,
) -> int:
    """End a process and return its code: each signal gets `patience` seconds, then SIGKILL.

    The default is SIGTERM. A process that has already ended is only reaped.
    """
    for number in signals or (signal.SIGTERM,):
        if process.poll() is None:
            process.send_signal(number)
            try:
                return process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
    if process.poll() is None:
        process.kill()
    return process.wait()
