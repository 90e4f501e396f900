"""Worker processes of this interpreter, for `multiprocessing`."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

from arena.processes.environments import changed_variables, set_variables

_PLAIN = {"PYTHONPATH": None, "PYTHONSAFEPATH": "1"}
"""The variables of the fork server's interpreter: no module is searched for in the working
directory, nor first in other folders.
"""


def worker_context(*preload: str) -> ForkServerContext:
    """Return the context that starts worker processes.

    Each is forked from a server that ignores Ctrl-C and has loaded the modules `preload`, but never
    a bot. A worker must first call `begin_worker` with this process's `users_variables()`.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    with changed_variables(_PLAIN), _deaf_to_ctrl_c():
        forkserver.ensure_running()
    return context


def users_variables() -> dict[str, str | None]:
    """Return the variables that the fork server changes, as the user has set them."""
    return {name: os.environ.get(name) for name in _PLAIN}


def begin_worker(variables: Mapping[str, str | None]) -> None:
    """Ignore Ctrl-C, which the command handles, and restore the user's variables.

    The programs that a bot may start need these variables.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_variables(variables)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Make processes started in the context ignore Ctrl-C, so that only this process ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
