"""The dashboard as a process of its own, and what it uses."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

START_SECONDS: Final = 90
EMPTY: Final = """
import streamlit as st
st.title("Nothing")
st.html("<table class='ba-table'><tbody><tr><td>Nothing</td></tr></tbody></table>")
"""
"""A page with which Streamlit's own part of the cost is measured."""


@dataclass(frozen=True, slots=True)
class Served:
    """A running dashboard."""

    address: str
    process: "subprocess.Popen[bytes]"

    def cpu_seconds(self) -> float:
        """The CPU time used since its start."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(stat[11]) + int(stat[12])) / float(os.sysconf("SC_CLK_TCK"))

    def memory_mb(self) -> float:
        """The memory that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def served(url: str, *, empty: bool = False) -> Iterator[Served]:
    """The dashboard, or, `empty`, Streamlit with a page that does nothing."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = ["-m", "arena_dashboard"]
    if empty:
        page = Path(tempfile.mkdtemp()) / "empty.py"
        page.write_text(EMPTY)
        program = ["-m", "streamlit", "run", str(page)]
    arguments = [
        *(*program, "--server.port", str(port)),
        *("--server.address", "127.0.0.1", "--server.headless", "true"),
        *("--browser.gatherUsageStats", "false", "--server.fileWatcherType", "none"),
    ]
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"ARENA_DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health"):
                break
            time.sleep(0.2)
        yield Served(address, process)
    finally:
        process.terminate()
        process.wait()
