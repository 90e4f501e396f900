"""Benchmark of the dashboard in a real browser, on an arena of many bots and matches.

Results are made in the database, with strengths and without playing; the newest matches are played,
since pages read their transcripts. Printed are, for each page, the seconds until it is complete for
the first visitor and later (median), and the server's CPU milliseconds of a later visit: of a full
load in a new tab, and by a link within the application, which is how people come to most pages.
Beside the first two stand the seconds of an empty page of Streamlit's own. Then the server's CPU
with ten open tabs of the leaderboard, with nothing new and with matches coming in, its memory, the
frames a second while the player plays, and the milliseconds of a step. What misses its target is
marked. Needs Chromium, and takes some four minutes. The machine's load is printed with the figures.
"""

import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from playwright.sync_api import BrowserContext, sync_playwright

from benchmarks.dashboard.filling import COMING, fill_arena, matches_coming
from benchmarks.dashboard.serving import Served, served
from benchmarks.dashboard.visiting import (
    PAGES,
    TABS,
    first_visit,
    follow_link,
    frames,
    steps,
    tabs,
    visit,
)
from benchmarks.options import command
from benchmarks.referee_load.stage import database
from benchmarks.rounds import Figures
from benchmarks.tables import Table, told
from tests.chromium import CHROMIUM

LIVE: Final = f"{TABS} tabs, {COMING} matches a second"
TARGETS: Final = {
    "first visit, s": 1.5,
    "full load, s": 0.5,
    "its CPU, ms": 80.0,
    "by a link, s": 0.5,
    "CPU of that, ms": 80.0,
    f"{TABS} tabs, of a core": 0.03,
    LIVE: 0.15,
    "MB": 400.0,
    "a step of 1,000, ms": 30.0,
}
"""The upper limits of figures on a quiet machine."""


def main(
    bots: int = 300,
    matches: int = 100_000,
    loads: int = 4,
    pages: Sequence[str] = (),
    json: Path | None = None,
) -> None:
    table, before = Table(), os.getloadavg()[0]
    with database() as url:
        long = fill_arena(url, bots, matches)
        with (
            served(url) as dashboard,
            served(url, empty=True) as empty,
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
        ):
            known = browser.new_context()
            visit(known, dashboard, "/submit")
            visit(known, empty)
            for name in pages or PAGES:
                cold = {
                    "first visit, s": first_visit(browser, dashboard, PAGES[name]),
                    "empty, s": first_visit(browser, empty),
                }
                later = _later_visits(known, dashboard, empty, PAGES[name], loads)
                table.add({"page": name}, _marked(cold | later))
            # First: the newest match that comes in has no transcript to play.
            figures = frames(known, dashboard)
            figures["a step of 1,000, ms"] = steps(known, dashboard, long)
            figures[f"{TABS} tabs, of a core"] = tabs(browser, dashboard, PAGES["leaderboard"])
            with matches_coming(url):
                figures[LIVE] = tabs(browser, dashboard, PAGES["leaderboard"])
            table.add(_marked(figures | {"MB": dashboard.memory_mb()}))
    print(f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after")
    table.write(json)


def _later_visits(
    known: BrowserContext, dashboard: Served, empty: Served, path: str, loads: int
) -> Figures:
    # One browser, which has the scripts of the application already. Visits to the empty page are in
    # between, so that both meet the same load of the machine.
    both = [(*visit(known, dashboard, path), *visit(known, empty)) for _ in range(loads)]
    names = ("full load, s", "its CPU, ms", "empty, later, s", "its CPU, later, ms")
    medians = map(statistics.median, zip(*both, strict=True))
    seconds, milliseconds = follow_link(known, dashboard, path, loads)
    link = {"by a link, s": seconds, "CPU of that, ms": milliseconds}
    return dict(zip(names, medians, strict=True)) | link


def _marked(figures: Figures) -> Mapping[str, str]:
    """Return figures as text; "!" marks those that miss their target."""
    return {
        name: told(figure) + "!" * (figure >= TARGETS.get(name, figure + 1))
        for name, figure in figures.items()
    }


if __name__ == "__main__":
    command(main, pages=PAGES)
