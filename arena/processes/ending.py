"""The end of child processes: first by signals that they can handle, then by SIGKILL."""

import contextlib
import signal
import time
from collections.abc import Sequence

from arena.processes.starting import Process, TimeoutExpired


def how_it_ended(code: int) -> str:
    """Return the meaning of an exit code, as the rest of a sentence that begins with a name."""
    return f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"


def stop_all(processes: Sequence[Process], patience: float = 5.0) -> None:
    """End processes at the same time.

    All get SIGTERM at once, and SIGKILL after `patience` seconds in total.
    """
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + patience
    for process in processes:
        with contextlib.suppress(TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        if process.poll() is None:
            process.kill()
        process.wait()


def stop(process: Process, *signals: signal.Signals, patience: float = 5.0) -> int:
    """End a process and return its code: each signal gets `patience` seconds, then SIGKILL.

    The default is SIGTERM. A process that has already ended is only reaped.
    """
    for number in signals or (signal.SIGTERM,):
        if process.poll() is None:
            process.send_signal(number)
            try:
                return process.wait(patience)
            except TimeoutExpired:
                continue
    if process.poll() is None:
        process.kill()
    return process.wait()
