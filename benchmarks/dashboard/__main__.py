"""Benchmark of the dashboard in a real browser, on an arena of many bots and matches.

python -m benchmarks.dashboard [--bots 300] [--matches 100000] [--loads 4] [--json FILE]

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
import sys
import time
from typing import Any, Final

from playwright.sync_api import sync_playwright

from benchmarks.dashboard.filling import COMING, fill_arena, matches_coming
from benchmarks.dashboard.serving import served
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
from benchmarks.options import parser_of, write_json
from benchmarks.referee_load.stage import database
from tests.chromium import CHROMIUM

TARGETS: Final = {
    "cold_s": 1.5,
    "warm_s": 0.5,
    "cpu_ms": 80.0,
    "link_s": 0.5,
    "link_ms": 80.0,
    "tabs_idle": 0.03,
    "tabs_live": 0.15,
    "memory_mb": 400.0,
    "step_ms": 30.0,
}
"""What a figure is to stay below on a quiet machine."""


def main() -> None:
    """Measure and print the report."""
    parser = parser_of(__doc__, json=True)
    parser.add_argument("--bots", type=int, default=300)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--loads", type=int, default=4, help="later visits of each page")
    parser.add_argument("--pages", nargs="*", choices=PAGES, help="only these pages", default=[])
    options = parser.parse_args()
    began = time.monotonic()
    with database() as url:
        long = fill_arena(url, options.bots, options.matches)
        report = measure(url, options.pages or list(PAGES), options.loads, long)
    report["seconds"] = time.monotonic() - began
    print_report(report)
    write_json(options.json, report)


def measure(url: str, pages: list[str], loads: int, long: str) -> dict[str, Any]:
    """All figures of the dashboard on the database at `url`; `long` is a match of many steps."""
    report: dict[str, Any] = {"load_before": os.getloadavg()[0], "pages": {}}
    with (
        served(url) as dashboard,
        served(url, empty=True) as empty,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        known = browser.new_context()
        visit(known, dashboard, "/submit")
        visit(known, empty)
        for name in pages:
            path = PAGES[name]
            empty_cold = first_visit(browser, empty)
            cold = first_visit(browser, dashboard, path)
            # One browser from now on: it has the scripts of the application already. The empty page
            # in between, so that both meet the same load of the machine.
            both = [(visit(known, empty), visit(known, dashboard, path)) for _ in range(loads)]
            (empty_s, empty_ms), (warm_s, cpu_ms) = (
                map(statistics.median, zip(*visits, strict=True))
                for visits in zip(*both, strict=True)
            )
            page = {"cold_s": cold, "warm_s": warm_s, "cpu_ms": cpu_ms}
            page |= {"empty_cold_s": empty_cold, "empty_s": empty_s, "empty_ms": empty_ms}
            page["link_s"], page["link_ms"] = follow_link(known, dashboard, path, loads)
            report["pages"][name] = page
            print(name, page, file=sys.stderr, flush=True)
        # First: the newest match that comes in has no transcript to play.
        report["frames"] = frames(known, dashboard)
        report["step_ms"] = steps(known, dashboard, long)
        report["tabs_idle"] = tabs(browser, dashboard, PAGES["leaderboard"])
        with matches_coming(url):
            report["tabs_live"] = tabs(browser, dashboard, PAGES["leaderboard"])
        report["memory_mb"] = dashboard.memory_mb()
        browser.close()
    report["load_after"] = os.getloadavg()[0]
    return report


def print_report(report: dict[str, Any]) -> None:
    """The figures as a table; "!" marks those that miss their target."""
    print(
        f"{'page':<22}{'cold':>9}{'empty':>9}{'warm':>9}{'empty':>9}{'CPU':>10}{'link':>9}{'CPU':>10}"
    )
    for name, page in report["pages"].items():
        print(
            f"{name:<22}{page['cold_s']:>6.2f} s{_mark(page, 'cold_s')}"
            f"{page['empty_cold_s']:>6.2f} s "
            f"{page['warm_s']:>6.2f} s{_mark(page, 'warm_s')}"
            f"{page['empty_s']:>6.2f} s "
            f"{page['cpu_ms']:>6.0f} ms{_mark(page, 'cpu_ms')}"
            f"{page['link_s']:>6.2f} s{_mark(page, 'link_s')}"
            f"{page['link_ms']:>6.0f} ms{_mark(page, 'link_ms')}"
        )
    for key, what in (("tabs_idle", "nothing new"), ("tabs_live", f"{COMING} matches a second")):
        print(f"{TABS} tabs, {what}: {report[key]:.1%} of a core{_mark(report, key)}")
    print(f"memory: {report['memory_mb']:.0f} MB{_mark(report, 'memory_mb')}")
    drawn = report["frames"]
    print(f"player: {drawn['a_second']:.0f} frames/s, 95 % within {drawn['p95_ms']:.0f} ms")
    print(f"a step of 1,000: {report['step_ms']:.1f} ms{_mark(report, 'step_ms')}")
    print(
        f"load {report['load_before']:.1f} before, {report['load_after']:.1f} after; "
        f"{report['seconds']:.0f} s in all"
    )


def _mark(figures: dict[str, Any], key: str) -> str:
    return "!" if figures[key] >= TARGETS[key] else " "


if __name__ == "__main__":
    main()
