"""The dashboard as a process of its own, and what it uses."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.processes import processor_seconds
from benchmarks.memory import resident_mb
from tests.dashboard_server import answering, listening
from tests.free_port import free_port

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
        return processor_seconds(self.process.pid)

    def memory_mb(self) -> float:
        """The memory that it holds."""
        return resident_mb(self.process.pid)


@contextmanager
def served(url: str, *, empty: bool = False) -> Iterator[Served]:
    """Serve the dashboard or, if `empty`, Streamlit with a page that does nothing."""
    port = free_port()
    program = ["-m", "arena_dashboard", *listening(port)]
    if empty:
        page = Path(tempfile.mkdtemp()) / "empty.py"
        page.write_text(EMPTY)
        options = (
            *("--server.port", str(port), "--server.address", "127.0.0.1"),
            *("--server.headless", "true", "--server.fileWatcherType", "none"),
            *("--browser.gatherUsageStats", "false"),
        )
        program = ["-m", "streamlit", "run", str(page), *options]
    # One thread for matrices, as `arena` sets it for all processes that it starts.
    environment = {"ARENA_DATABASE_URL": url, "OPENBLAS_NUM_THREADS": "1"}
    with answering(program, port, **environment) as process:
        yield Served(f"http://127.0.0.1:{port}", process)
