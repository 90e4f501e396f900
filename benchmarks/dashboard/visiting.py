"""Pages in a browser: how long they take, and what they cost the server."""

import statistics
import time
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

_CONTENT: Final = ".ba-table tbody tr, .player svg.table, pre, [data-testid=stAlert]"
"""Rows, a match, or a sentence that says why there are none."""
_WATCH: Final = """
const has = root => root.querySelector(CONTENT)
    || [...root.querySelectorAll("*")].some(one => one.shadowRoot && has(one.shadowRoot));
const look = () => {
    const run = document.querySelector(".stApp")?.dataset.testScriptState;
    if (run === "notRunning" && has(document)) window.completeAfter = performance.now();
    else setTimeout(look, 5);
};
look();
""".replace("CONTENT", repr(_CONTENT))
"""Notes in the page when it is complete, in ms since the navigation began: what looks from outside
sees it up to a second later."""
_FOLLOW: Final = """
path => new Promise(done => {
    const has = root => root.querySelector(CONTENT)
        || [...root.querySelectorAll("*")].some(one => one.shadowRoot && has(one.shadowRoot));
    const began = performance.now(), before = document.title;
    history.pushState({}, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
    const look = () => {
        const run = document.querySelector(".stApp")?.dataset.testScriptState;
        const there = document.title !== before && run === "notRunning" && has(document);
        there ? done(performance.now() - began) : setTimeout(look, 5);
    };
    look();
})
""".replace("CONTENT", repr(_CONTENT))
"""Follows a link as the pages do; milliseconds until the page that it leads to is complete. Every
page has a title of its own; what is left of the page before is gone when the script has run."""


def visit(context: BrowserContext, served: Served, path: str = "") -> tuple[float, float]:
    """Seconds until a page is complete in a new tab, and the server's CPU milliseconds."""
    page = context.new_page()
    page.add_init_script(_WATCH)
    used = served.cpu_seconds()
    page.goto(served.address + path, timeout=PATIENCE_MS)
    page.wait_for_function("window.completeAfter", timeout=PATIENCE_MS)
    milliseconds: float = page.evaluate("window.completeAfter")
    page.wait_for_timeout(300)
    cpu = 1000 * (served.cpu_seconds() - used)
    page.close()
    return milliseconds / 1000, cpu


def first_visit(browser: Browser, served: Served, path: str = "") -> float:
    """Seconds until a page is complete in a browser that has nothing of it yet."""
    context = browser.new_context()
    seconds, _ = visit(context, served, path)
    context.close()
    return seconds


def follow_link(
    context: BrowserContext, served: Served, path: str, times: int
) -> tuple[float, float]:
    """Seconds until a page is complete that a link of the application leads to, and the server's
    CPU milliseconds (medians)."""
    page = context.new_page()
    page.goto(served.address + "/submit", timeout=PATIENCE_MS)
    _complete(page)
    waited, spent = [], []
    for _ in range(times):
        used = served.cpu_seconds()
        waited.append(page.evaluate(_FOLLOW, path))
        page.wait_for_timeout(300)
        spent.append(1000 * (served.cpu_seconds() - used))
        page.go_back()
        page.wait_for_timeout(500)
    page.close()
    return statistics.median(waited) / 1000, statistics.median(spent)


def frames(context: BrowserContext, served: Served) -> dict[str, float]:
    """Frames a second of the browser while the player plays at its highest speed."""
    page = context.new_page()
    page.goto(served.address + PAGES["replay"], timeout=PATIENCE_MS)
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
        "frames/s": 1000 / statistics.mean(gaps),
        "95 % within, ms": sorted(gaps)[int(0.95 * len(gaps))],
    }


def steps(context: BrowserContext, served: Served, match_id: str) -> float:
    """Milliseconds of a step of the player, to the new picture, laid out (median)."""
    page = context.new_page()
    page.goto(f"{served.address}/replay?match={match_id}", timeout=PATIENCE_MS)
    page.locator(".player svg.table").wait_for(timeout=PATIENCE_MS)
    times = page.evaluate(
        """() => {
            const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
            const keys = ["End", "ArrowLeft", "ArrowLeft", "Home", "ArrowRight", "ArrowRight"];
            return Array.from({length: 120}, (_, at) => {
                const began = performance.now(), key = keys[at % keys.length];
                document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
                root.querySelector("svg.table").getBoundingClientRect();
                return performance.now() - began;
            });
        }"""
    )
    page.close()
    return float(statistics.median(times))


def _complete(page: Page) -> None:
    page.locator(_CONTENT).first.wait_for(timeout=PATIENCE_MS)
    page.wait_for_function(
        "document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'",
        timeout=PATIENCE_MS,
    )


def tabs(browser: Browser, served: Served, path: str) -> float:
    """The share of a core that the server uses for ten open tabs of a page."""
    contexts = [browser.new_context() for _ in range(TABS)]
    for context in contexts:
        page = context.new_page()
        page.goto(served.address + path, timeout=PATIENCE_MS)
        _complete(page)
    last = contexts[-1].pages[0]
    last.wait_for_timeout(3000)
    used, began = served.cpu_seconds(), time.monotonic()
    last.wait_for_timeout(1000 * TAB_SECONDS)
    share = (served.cpu_seconds() - used) / (time.monotonic() - began)
    for context in contexts:
        context.close()
    return share
