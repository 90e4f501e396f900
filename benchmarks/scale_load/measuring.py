"""Commands, the referee's start and the dashboard on a database: seconds and megabytes."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from typing import Final

from playwright.sync_api import sync_playwright

from benchmarks.dashboard.serving import served
from benchmarks.dashboard.visiting import follow_link, visit
from benchmarks.referee_load.stage import Figures, referee, resident_mb

BOT: Final = "bot7"
"""Whose matches are listed."""
COMMANDS: Final = {
    "arena leaderboard": ["leaderboard"],
    "matches --bot": ["matches", "--bot", BOT],
}


def referee_start(url: str) -> Figures:
    """Until a referee's port is open, and the memory that it holds then."""
    began = time.monotonic()
    with referee(url) as (_, process):
        return {
            "port open": time.monotonic() - began,
            "referee MB": resident_mb(process.pid),
        }


def commands(url: str, times: int) -> Figures:
    """Each command, from its start to its end; the median of some runs."""
    return {
        name: statistics.median(_seconds(url, arguments) for _ in range(times))
        for name, arguments in COMMANDS.items()
    }


def dashboard(url: str, visits: int) -> Figures:
    """Seconds of the first visit of the leaderboard since the dashboard's start, of later ones that
    load Streamlit again, and of those by a link within the dashboard (medians); the CPU time of
    these; the dashboard's memory."""
    with (
        served(url) as running,
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        ) as browser,
        browser.new_context() as context,
    ):
        first, _ = visit(context, running, "/leaderboard")
        loaded = [visit(context, running, "/leaderboard")[0] for _ in range(visits)]
        linked, cpu = follow_link(context, running, "/leaderboard", visits)
        return {
            "first leaderboard page": first,
            "loaded again": statistics.median(loaded),
            "by a link": linked,
            "its CPU": cpu / 1000,
            "dashboard MB": running.memory_mb(),
        }


def _seconds(url: str, arguments: list[str]) -> float:
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        env=os.environ | {"ARENA_DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.monotonic() - began
