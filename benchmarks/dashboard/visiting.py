"""Pages in a browser: how long they take, and what they cost the server."""

import statistics
import time
from contextlib import ExitStack
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.dashboard.serving import Served

PAGES: Final = {
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
"""The addresses of the measured pages."""
TABS: Final = 10
TAB_SECONDS: Final = 20.0
PATIENCE_MS: Final = 90_000

_PLAYER: Final = ".player svg.table"
_LOOK: Final = """
const has = root => root.querySelector(
    ".ba-table tbody tr, .player svg.table, pre, [data-testid=stAlert]"
) || [...root.querySelectorAll("*")].some(one => one.shadowRoot && has(one.shadowRoot));
const complete = () => has(document)
    && document.querySelector(".stApp")?.dataset.testScriptState === "notRunning";
"""
"""A page is complete with rows, a match, or a sentence that says why there are none."""
_WATCH: Final = f"""{_LOOK}
const look = () => {{
    if (complete()) window.completeAfter = performance.now();
    else setTimeout(look, 5);
}};
look();
"""
"""Records in the page when it was complete, in ms since the navigation began: a look from outside
may see that up to a second later."""
_FOLLOW: Final = f"""
path => new Promise(done => {{
    {_LOOK}
    const began = performance.now(), before = document.title;
    history.pushState({{}}, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
    const look = () => {{
        const there = document.title !== before && complete();
        there ? done(performance.now() - began) : setTimeout(look, 5);
    }};
    look();
}})
"""
"""Follows a link as the pages do; returns the milliseconds until its page is complete. Every page
has a title of its own; the rest of the previous page is gone when the page's script has run."""
_FRAMES: Final = """
() => new Promise(done => {
    const times = [];
    const frame = time => {
        times.push(time);
        if (times.length < 240) requestAnimationFrame(frame);
        else done(times.slice(1).map((one, index) => one - times[index]));
    };
    requestAnimationFrame(frame);
})
"""
_STEPS: Final = """
() => {
    const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
    const keys = ["End", "ArrowLeft", "ArrowLeft", "Home", "ArrowRight", "ArrowRight"];
    return Array.from({length: 120}, (_, at) => {
        const began = performance.now(), key = keys[at % keys.length];
        document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
        root.querySelector("svg.table").getBoundingClientRect();
        return performance.now() - began;
    });
}
"""


def _opened(context: BrowserContext, served: Served, path: str) -> Page:
    """A new tab with a complete page."""
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(served.address + path, timeout=PATIENCE_MS)
    page.wait_for_function("window.completeAfter", timeout=PATIENCE_MS)
    return page


def visit(context: BrowserContext, served: Served, path: str = "") -> tuple[float, float]:
    """Seconds until a page is complete in a new tab, and the server's CPU milliseconds."""
    used = served.cpu_seconds()
    page = _opened(context, served, path)
    milliseconds: float = page.evaluate("window.completeAfter")
    page.wait_for_timeout(300)
    cpu = 1000 * (served.cpu_seconds() - used)
    page.close()
    return milliseconds / 1000, cpu


def first_visit(browser: Browser, served: Served, path: str = "") -> float:
    """Seconds until a page is complete in a browser that has nothing of it yet."""
    with browser.new_context() as context:
        return visit(context, served, path)[0]


def follow_link(
    context: BrowserContext, served: Served, path: str, times: int
) -> tuple[float, float]:
    """Seconds until a page is complete that a link of the application leads to, and the server's
    CPU milliseconds (medians)."""
    page = _opened(context, served, "/submit")
    waited, spent = [], []
    for _ in range(times):
        page.wait_for_timeout(500)
        used = served.cpu_seconds()
        waited.append(page.evaluate(_FOLLOW, path))
        page.wait_for_timeout(300)
        spent.append(1000 * (served.cpu_seconds() - used))
        page.go_back()
    page.close()
    return statistics.median(waited) / 1000, statistics.median(spent)


def frames(context: BrowserContext, served: Served) -> dict[str, float]:
    """Frames a second of the browser while the player plays at its highest speed."""
    page = _opened(context, served, PAGES["replay"])
    page.locator(_PLAYER).wait_for(timeout=PATIENCE_MS)
    for key in "+++++l ":
        page.keyboard.press(key)
    gaps = page.evaluate(_FRAMES)
    page.close()
    return {
        "frames/s": 1000 / statistics.mean(gaps),
        "95 % within, ms": sorted(gaps)[int(0.95 * len(gaps))],
    }


def steps(context: BrowserContext, served: Served, match_id: str) -> float:
    """Milliseconds of a step of the player, to the new picture, laid out (median)."""
    page = _opened(context, served, f"/replay?match={match_id}")
    page.locator(_PLAYER).wait_for(timeout=PATIENCE_MS)
    times = page.evaluate(_STEPS)
    page.close()
    return float(statistics.median(times))


def tabs(browser: Browser, served: Served, path: str) -> float:
    """The share of a core that the server uses for ten open tabs of a page."""
    with ExitStack() as stack:
        contexts = [stack.enter_context(browser.new_context()) for _ in range(TABS)]
        last = [_opened(context, served, path) for context in contexts][-1]
        last.wait_for_timeout(3000)
        used, began = served.cpu_seconds(), time.monotonic()
        last.wait_for_timeout(1000 * TAB_SECONDS)
        return (served.cpu_seconds() - used) / (time.monotonic() - began)
