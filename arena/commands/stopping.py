"""Ctrl-C as a wish to stop: a search that keeps its results keeps what it has before it ends.

The process of the command notes the wish and passes it on to the processes that work for it.
"""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_WORDS = b"Stopping: what was found is kept first. Ctrl-C again stops at once.\n"
_wishes: list[int] = []
"""The signals that came; one is enough."""


def stop_is_wished() -> bool:
    """Whether Ctrl-C came to this process where it is awaited."""
    return bool(_wishes)


def await_stop_in_worker() -> None:
    """Let Ctrl-C only note the wish in this process from now on: the command decides."""
    signal.signal(signal.SIGINT, _note)


@contextmanager
def awaiting_stop() -> Iterator[None]:
    """While it lasts the first Ctrl-C notes the wish, here and in the processes of this one.

    The second interrupts as usual.
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
    os.write(2, _WORDS)  # not by a buffer, in the middle of whose writing the signal may come
    for child in multiprocessing.active_children():
        if child.pid is not None:
            os.kill(child.pid, signal.SIGINT)
