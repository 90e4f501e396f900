"""The dashboard's server as a program: started, waited for and stopped."""

import os
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from arena.processes import DEVNULL, Process, spawn

START_SECONDS: Final = 90.0
"""Importing all that the pages need takes long on a busy machine."""


def listening(port: int) -> list[str]:
    """Return the options with which the dashboard listens on this machine alone."""
    return ["--host", "127.0.0.1", "--port", str(port)]


@contextmanager
def answering(program: Sequence[str], port: int, **environment: str) -> Iterator[Process]:
    """Run a Python program that serves pages on `port`; the block begins at its first answer."""
    process = spawn(
        [sys.executable, *program],
        env=os.environ | environment,
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield process
    finally:
        process.terminate()
        process.wait()


def wait_for(url: str, process: Process) -> None:
    """Wait until a page is served by a process, or by one of its children."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended at once"
        with suppress(OSError), urllib.request.urlopen(url):
            return
        time.sleep(0.1)
    raise AssertionError("the server did not start in time")
