"""A graceful stop by Ctrl-C: a search saves its results before it ends.

The process of the command records the request and passes it on to its worker processes.
"""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_WORDS = b"Stopping: what was found is kept first. Ctrl-C again stops at once.\n"
_wishes: list[int] = []
"""The received signals; one is enough."""


def stop_is_wished() -> bool:
    """Return whether this process received Ctrl-C while it awaited one."""
    return bool(_wishes)


def await_stop_in_worker() -> None:
    """Make Ctrl-C only record a request in this process from now on: the command decides."""
    signal.signal(signal.SIGINT, _note)


@contextmanager
def awaiting_stop() -> Iterator[None]:
    """Make the first Ctrl-C only record a request, here and in child processes.

    The second Ctrl-C interrupts as usual.
    """
    before = signal.signal(signal.SIGINT, _note_and_pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _wishes.clear()


def _note(number: int, _frame: Any) -> None:
    _wishes.append(number)


def _note_and_pass_on(number: int, frame: Any) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _note(number, frame)
    os.write(2, _WORDS)  # unbuffered: the signal may interrupt a write to a buffer
    for child in multiprocessing.active_children():
        if child.pid is not None:
            os.kill(child.pid, signal.SIGINT)
