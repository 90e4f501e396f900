"""Benchmark of the dashboard in a real browser, on an arena of many bots and matches.

python -m benchmarks.dashboard [--bots 300] [--matches 100000] [--loads 5] [--pages …] [--json FILE]

Results are made in the database, with strengths and without playing; the newest matches are played,
since pages read their transcripts. Printed are, for each page, the seconds until it is complete for
the first visitor and later (median), and the server's CPU milliseconds of a later visit: of a full
load in a new tab, and by a link within the application. An empty page of Streamlit's own stands
beside them. Then the server's CPU with ten open tabs of the leaderboard, with nothing new and with
matches coming in, its memory, and the frames a second while the player plays. Needs Chromium. The
machine's load is printed with the figures.
"""

import argparse
import asyncio
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from arena.storage.embedded import EmbeddedPostgres
from arena.storage.schema import migrate
from tests.dashboard.played import anyhow, fill, sensible

PAGES = {
    "home": "/",
    "leaderboard": "/leaderboard",
    "bots": "/bot",
    "bot": "/bot?bot=bot7",
    "matches": "/matches",
    "matches of a bot": "/matches?bot=bot7",
    "matches with faults": "/matches?faults=1",
    "closest matches": "/matches?sort=closest",
    "boldest bluffs": "/matches?sort=boldest",
    "head to head": "/head-to-head",
    "two bots": "/versus?bot=bot7&opponent=bot8",
    "tournaments": "/tournaments",
    "replay": "/replay",
}
EMPTY = """
import streamlit as st
st.title("Nothing")
st.html("<table class='ba-table'><tbody><tr><td>Nothing</td></tr></tbody></table>")
"""
"""A page with which Streamlit's own part of the cost is measured."""
TABS = 10
TAB_SECONDS = 20.0
COMING = 10
"""Matches a second that come in."""
PATIENCE_MS = 90_000

_BOTS = """
INSERT INTO owners (name, folded, skeleton)
    SELECT 'owner' || n, 'owner' || n, 'owner' || n FROM generate_series(1, %(bots)s) n;
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    SELECT id, bot, bot, bot, false
    FROM owners, LATERAL (SELECT 'bot' || substr(name, 6) AS bot) named
    WHERE name LIKE 'owner%%';
INSERT INTO versions (bot_id, label) SELECT id, '1' FROM bots WHERE name LIKE 'bot%%';
"""

# Pairs (first, second) of version ids; the stronger, of the smaller id, wins more often.
_RESULTS = """
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
    SELECT gen_random_uuid() AS block, gen_random_uuid() AS match, n,
        field.ids[1 + n %% cardinality(field.ids)] AS first,
        field.ids[1 + (n + 1 + n / cardinality(field.ids) %% (cardinality(field.ids) - 1))
            %% cardinality(field.ids)] AS second,
        random() AS luck, %(since)s::timestamptz + n * interval '1 second' AS at
    FROM generate_series(0, %(count)s - 1) n,
        (SELECT array_agg(versions.id ORDER BY versions.id) AS ids
            FROM versions JOIN bots ON bots.id = bot_id WHERE bots.name LIKE 'bot%%') field;
INSERT INTO blocks (id, kind, size, closed_at) SELECT block, 'seat', 1, at FROM made;
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT match, 'bluff', '{}', 2, block, 0, 'finished', false, at, at, 2000, 30000 FROM made;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited)
    SELECT match, seat, CASE seat WHEN 0 THEN first ELSE second END,
        CASE WHEN (seat = 0) = (luck < 1 / (1 + exp((first - second) / 60.0))) THEN 1 ELSE 2 END,
        CASE WHEN (seat = 0) = (luck < 1 / (1 + exp((first - second) / 60.0)))
            THEN 1 + n %% 5 ELSE 0 END,
        CASE WHEN n %% 997 = 0 AND seat = 1 THEN 1 ELSE 0 END, false
    FROM made, generate_series(0, 1) seat;
INSERT INTO rating_events (match_id) SELECT match FROM made ORDER BY n;
"""


def main() -> None:
    """Measure and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--bots", type=int, default=300)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--loads", type=int, default=5, help="later visits of each page")
    parser.add_argument("--pages", nargs="*", choices=PAGES, help="only these pages", default=[])
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedPostgres(Path(home) / "postgres") as url,
    ):
        migrate(url)
        _fill(url, options.bots, options.matches)
        report = _measure(url, options.loads, options.pages or list(PAGES))
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def _fill(url: str, bots: int, matches: int) -> None:
    with psycopg.connect(url.replace("+psycopg", "", 1)) as connection:
        _run(connection, _BOTS, {"bots": bots})
        values = {"count": matches, "since": "2026-01-01"}
        _run(connection, _RESULTS, values)
    asyncio.run(fill(url, blocks=100, policies=[("bot7", sensible(0.1)), ("bot8", anyhow)], seed=7))
    with psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True) as connection:
        connection.execute("ANALYZE")


def _run(connection: psycopg.Connection[Any], script: str, values: dict[str, Any]) -> None:
    for statement in script.split(";\n"):
        if statement.strip():
            used = values if "%(" in statement else None
            text = statement if used else statement.replace("%%", "%")
            connection.execute(text.encode(), used)


def _measure(url: str, loads: int, pages: list[str]) -> dict[str, Any]:
    report: dict[str, Any] = {"load_before": os.getloadavg()[0], "pages": {}}
    with _dashboard(url) as (address, process), sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        known = browser.new_context()
        _visit(known, address + "/submit", process)
        with _dashboard(url, empty=True) as (floor, its_process):
            visits = [_visit(known, floor, its_process) for _ in range(loads + 1)][1:]
            report["floor"] = {
                "warm_s": statistics.median(seconds for seconds, _ in visits),
                "cpu_ms": statistics.median(cpu for _, cpu in visits),
            }
        for name in pages:
            path = PAGES[name]
            cold, _ = _visit(browser.new_context(), address + path, process)
            # One browser from now on: it has the scripts of the application already.
            later = [_visit(known, address + path, process) for _ in range(loads)]
            report["pages"][name] = {
                "cold_s": cold,
                "warm_s": statistics.median(seconds for seconds, _ in later),
                "cpu_ms": statistics.median(cpu for _, cpu in later),
                "link_ms": _by_link(known, address, path, process, loads),
            }
            print(name, report["pages"][name], file=sys.stderr, flush=True)
        # First: the newest match that comes in has no transcript to play.
        report["frames"] = _frames(known, address + PAGES["replay"])
        address += PAGES["leaderboard"]
        report["tabs_idle"] = _tabs(browser, address, process)
        with _coming(url):
            report["tabs_live"] = _tabs(browser, address, process)
        report["memory_mb"] = _memory_mb(process)
        browser.close()
    report["load_after"] = os.getloadavg()[0]
    return report


@contextmanager
def _dashboard(url: str, *, empty: bool = False) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
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
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < deadline:
            with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health"):
                break
            time.sleep(0.2)
        yield address, process
    finally:
        process.terminate()
        process.wait()


def _visit(
    context: BrowserContext, address: str, process: "subprocess.Popen[bytes]"
) -> tuple[float, float]:
    """Seconds until a page is complete in a new tab, and the server's CPU milliseconds."""
    page = context.new_page()
    used, began = _cpu_seconds(process), time.monotonic()
    page.goto(address, timeout=PATIENCE_MS)
    _complete(page)
    seconds = time.monotonic() - began
    page.wait_for_timeout(300)
    cpu = 1000 * (_cpu_seconds(process) - used)
    page.close()
    return seconds, cpu


def _by_link(
    context: BrowserContext,
    address: str,
    path: str,
    process: "subprocess.Popen[bytes]",
    loads: int,
) -> float:
    """The server's CPU milliseconds of a page that a link of the application leads to."""
    page = context.new_page()
    page.goto(address + "/submit", timeout=PATIENCE_MS)
    _complete(page)
    spent = []
    for _ in range(loads):
        used = _cpu_seconds(process)
        page.evaluate(
            "path => { history.pushState({}, '', path);"
            " dispatchEvent(new PopStateEvent('popstate')); }",
            path,
        )
        page.wait_for_timeout(200)
        _complete(page)
        page.wait_for_timeout(300)
        spent.append(1000 * (_cpu_seconds(process) - used))
        page.go_back()
        page.wait_for_timeout(500)
    page.close()
    return statistics.median(spent)


def _frames(context: BrowserContext, address: str) -> dict[str, float]:
    """Frames a second of the browser while the player plays at its highest speed."""
    page = context.new_page()
    page.goto(address, timeout=PATIENCE_MS)
    page.locator(".player svg.table").wait_for(timeout=PATIENCE_MS)
    for _ in range(5):
        page.keyboard.press("+")
    page.keyboard.press("l")
    page.keyboard.press(" ")
    gaps = page.evaluate(
        """() => new Promise(done => {
            const times = [];
            const frame = time => {
                times.push(time);
                if (times.length < 240) requestAnimationFrame(frame);
                else done(times.slice(1).map((one, index) => one - times[index]));
            };
            requestAnimationFrame(frame);
        })"""
    )
    page.close()
    return {
        "a_second": 1000 / statistics.mean(gaps),
        "p95_ms": sorted(gaps)[int(0.95 * len(gaps))],
    }


def _complete(page: Page) -> None:
    # Rows, a match, or a sentence that says why there are none.
    page.locator(
        ".ba-table tbody tr, .player svg.table, pre, [data-testid=stAlert]"
    ).first.wait_for(timeout=PATIENCE_MS)
    page.wait_for_function(
        "document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'",
        timeout=PATIENCE_MS,
    )


def _tabs(browser: Browser, address: str, process: "subprocess.Popen[bytes]") -> float:
    """The share of a core that the server uses for ten open tabs of the leaderboard."""
    contexts = [browser.new_context() for _ in range(TABS)]
    for context in contexts:
        page = context.new_page()
        page.goto(address, timeout=PATIENCE_MS)
        _complete(page)
    last = contexts[-1].pages[0]
    last.wait_for_timeout(3000)
    used, began = _cpu_seconds(process), time.monotonic()
    last.wait_for_timeout(1000 * TAB_SECONDS)
    share = (_cpu_seconds(process) - used) / (time.monotonic() - began)
    for context in contexts:
        context.close()
    return share


@contextmanager
def _coming(url: str) -> Iterator[None]:
    """Matches come in while the block runs."""
    ended = Event()

    def add() -> None:
        with psycopg.connect(url.replace("+psycopg", "", 1)) as connection:
            while not ended.wait(1.0):
                values = {"count": COMING, "since": "2026-06-01"}
                _run(connection, _RESULTS, values)
                connection.commit()

    thread = Thread(target=add)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _cpu_seconds(process: "subprocess.Popen[bytes]") -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def _memory_mb(process: "subprocess.Popen[bytes]") -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _print(report: dict[str, Any]) -> None:
    print(f"{'page':<22}{'cold':>8}{'warm':>8}{'CPU':>9}{'by link':>9}")
    floor = report["floor"]
    print(f"{'(empty page)':<22}{'':>8}{floor['warm_s']:>6.2f} s{floor['cpu_ms']:>6.0f} ms")
    for name, page in report["pages"].items():
        print(
            f"{name:<22}{page['cold_s']:>6.2f} s{page['warm_s']:>6.2f} s{page['cpu_ms']:>6.0f} ms"
            f"{page['link_ms']:>6.0f} ms"
        )
    print(f"{TABS} tabs, nothing new: {report['tabs_idle']:.1%} of a core")
    print(f"{TABS} tabs, {COMING} matches a second: {report['tabs_live']:.1%} of a core")
    frames = report["frames"]
    print(f"player: {frames['a_second']:.0f} frames/s, 95 % within {frames['p95_ms']:.0f} ms")
    print(f"memory {report['memory_mb']:.0f} MB")
    print(f"load {report['load_before']:.1f} before, {report['load_after']:.1f} after")


if __name__ == "__main__":
    main()
