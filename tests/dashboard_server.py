"""The dashboard's server as a program: started, waited for and stopped."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

START_SECONDS: Final = 90.0
"""Importing all that the pages need takes long on a busy machine."""


def streamlit_options(port: int) -> list[str]:
    """The options of a server for this machine alone."""
    return [
        *("--server.port", str(port), "--server.address", "127.0.0.1"),
        *("--server.headless", "true", "--server.fileWatcherType", "none"),
        *("--browser.gatherUsageStats", "false"),
    ]


@contextmanager
def answering(
    program: Sequence[str], port: int, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A Python program that serves pages on `port`, from its first answer to the block's end."""
    process = subprocess.Popen(
        [sys.executable, *program],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield process
    finally:
        process.terminate()
        process.wait()


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a page is served by a process, or by one of its children."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended at once"
        with suppress(OSError), urllib.request.urlopen(url):
            return
        time.sleep(0.1)
    raise AssertionError("the server did not start in time")
