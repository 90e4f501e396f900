"""Turns among the processes of one test run: a test that measures runs while no other does."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

RUN: Final = "PYTEST_XDIST_TESTRUNUID"
"""The environment variable that names a run of several processes."""


class Turns:
    """Lets tests run beside each other, or one of them alone.

    A test that waits to be alone blocks later tests: else some test would always be running.
    """

    def __init__(self, running: Path, next_one: Path) -> None:
        """Two files, which all processes open."""
        self._running = running.open("ab")
        self._next = next_one.open("ab")

    @contextmanager
    def turn(self, *, alone: bool) -> Iterator[None]:
        """Hold the turn of one test while the block runs."""
        fcntl.flock(self._next, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._running, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        finally:
            fcntl.flock(self._next, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._running, fcntl.LOCK_UN)


def turns_of_this_run() -> Turns:
    """Return the turns that all processes of this run share."""
    return Turns(file_of_this_run("running"), file_of_this_run("next"))


def file_of_this_run(name: str) -> Path:
    """The path of a file that all processes of this run share, and no other run."""
    folder = Path(tempfile.gettempdir()) / f"arena-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{os.environ.get(RUN, os.getpid())}.{name}"
