"""Writes pictures of all pages of the dashboard: `make screenshots`.

python -m tools.screenshots [--out dist/screenshots] [--readme]

Each page is taken on an arena that has played and plays on, 1440 and 390 pixels wide, in both
themes. With --readme those that the README shows are written to docs/images as well, and a match
that plays itself. Needs Chromium.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from arena.scheduling.formats import FormatName
from benchmarks.referee_load.stage import database
from tests.chromium import CHROMIUM
from tests.dashboard.cups import hold
from tests.dashboard.played import anyhow, fill, sensible
from tests.dashboard_server import answering
from tests.free_port import free_port

ROOT: Final = Path(__file__).parents[1]
PATIENCE_MS: Final = 60_000
SETTLED_MS: Final = 300
"""How long the height of a page must stay the same before its picture is taken: components draw
tables and charts after the page's script has run."""
CLOSE_MATCH: Final = "/matches?sort=closest&game=bluff&bot=alpha"
"""Stands for the replay of the first match in this list: one in which much happens."""
PAGES: Final = {
    "home": "/",
    "leaderboard": "/leaderboard",
    "head-to-head": "/head-to-head",
    "history": "/history",
    "bots": "/bot",
    "bot": "/bot?bot=alpha",
    "two-bots": "/versus?bot=alpha&opponent=beta",
    "matches": "/matches",
    "boldest": "/matches?sort=boldest",
    "replay": CLOSE_MATCH + "&step=12",
    "analysis": CLOSE_MATCH + "&step=12&analysis=1",
    "tournaments": "/tournaments",
    "knockout": "/tournaments?name=cup",
    "groups": "/tournaments?name=groups",
    "swiss": "/tournaments?name=league",
    "play": "/play",
    "submit": "/submit",
}
IN_README: Final = ("leaderboard", "analysis")
STEPS: Final = 25
STEP_MS: Final = 800
"""How many steps of a match the animation has, and how long each is shown: 20 seconds in all."""
SCREENS: Final = {
    "wide": (1440, 900, "light"),
    "wide-dark": (1440, 900, "dark"),
    "phone": (390, 844, "light"),
    "phone-dark": (390, 844, "dark"),
}
PLAYER: Final = ".player svg.table g.seat"
CHART: Final = "[data-testid=stVegaLiteChart] :is(canvas, svg)"
CONTENT: Final = {
    "home": PLAYER,
    "replay": PLAYER,
    "analysis": ".player .costliest",
    "history": CHART,
    "bot": CHART,
    "play": ".stButton",
    "submit": "pre",
}
"""The content to wait for on a page, if it is not the row of a table."""
_STANDS_STILL: Final = """
settled => {
    const app = document.querySelector(".stApp");
    const main = document.querySelector("[data-testid=stMainBlockContainer]");
    const now = `${app.dataset.testScriptState} ${main.scrollHeight} ${document.fonts.status}`;
    if (now !== window.looked) [window.looked, window.since] = [now, performance.now()];
    return now.startsWith("notRunning") && performance.now() - window.since > settled;
}
"""
BOTS: Final = (
    *(("honest", sensible(0.1)), ("alpha", sensible(0.0)), ("beta", anyhow)),
    *(("gamma", sensible(0.25)), ("delta", sensible(0.5))),
)


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "dist/screenshots")
    parser.add_argument("--readme", action="store_true", help="renew the README's pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with database() as url, tempfile.TemporaryDirectory() as home:
        asyncio.run(_fill(url))
        with _arena(url, Path(home)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for screen in SCREENS:
                _take(browser, address, screen, options.out)
            if options.readme:
                _animate(browser, address, ROOT / "docs/images/match.webp")
            browser.close()
    if options.readme:
        for name in IN_README:
            # Few colours: a quarter of the size, without a visible difference.
            with Image.open(options.out / f"{name}-wide.png") as picture:
                small = picture.convert("RGB").quantize(64)
            small.save(ROOT / f"docs/images/{name}.png", optimize=True)


async def _fill(url: str) -> None:
    await fill(url, blocks=60, policies=BOTS)
    await fill(url, blocks=12, policies=BOTS, seats=3, game="bluff_you")
    await fill(url, blocks=12, policies=BOTS, seats=3, game="bloeff")
    names = [name for name, _ in BOTS]
    await hold(url, "cup", FormatName.KNOCKOUT, [*names, "epsilon", "zeta", "eta"])
    await hold(url, "groups", FormatName.GROUPS, [*names, "epsilon", "zeta", "eta", "theta"])
    await hold(url, "league", FormatName.SWISS, names, most_blocks=6)


def _take(browser: Browser, address: str, screen: str, out: Path) -> None:
    width, height, scheme = SCREENS[screen]
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    close_match = _close_match(page)
    for name, path in PAGES.items():
        page.goto(path.replace(CLOSE_MATCH, close_match), timeout=PATIENCE_MS)
        _complete(page, CONTENT.get(name, ".ba-table tbody tr"))
        page.screenshot(path=out / f"{name}-{screen}.png")
        print(out / f"{name}-{screen}.png")
    context.close()


def _close_match(page: Page) -> str:
    page.goto(CLOSE_MATCH, timeout=PATIENCE_MS)
    return page.locator("a[href*='replay?match=']").first.get_attribute("href") or ""


def _animate(browser: Browser, address: str, file: Path) -> None:
    """Write a match that plays itself, step by step."""
    context = browser.new_context(base_url=address, viewport={"width": 1000, "height": 900})
    page = context.new_page()
    page.goto(f"{_close_match(page)}&step=0&embed=1", timeout=PATIENCE_MS)
    _complete(page, PLAYER)
    player = page.locator(".player").first
    player.focus()
    shown = []
    for _ in range(STEPS):
        shown.append(Image.open(BytesIO(player.screenshot(animations="disabled"))).convert("RGB"))
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(SETTLED_MS)
    width, height = shown[0].size
    first, *later = (one.crop((0, 0, width, height)) for one in shown)
    first.save(file, save_all=True, append_images=later, duration=STEP_MS, loop=0, quality=60)
    print(file)
    context.close()


def _complete(page: Page, content: str) -> None:
    """Wait until a page shows its content and no longer changes."""
    page.locator(content).first.wait_for(timeout=PATIENCE_MS)
    page.wait_for_function(_STANDS_STILL, arg=SETTLED_MS, timeout=PATIENCE_MS)


@contextmanager
def _arena(url: str, home: Path) -> Iterator[str]:
    """Run an arena on the database, in which sample bots play; yield the address of its pages."""
    port, pages = free_port(), free_port()
    arguments = ["--port", str(port), "--dashboard-port", str(pages), "--table", "bluff:2"]
    environment = {"ARENA_DATABASE_URL": url, "ARENA_HOME": str(home)}
    with answering(["-m", "arena", "up", *arguments], pages, **environment):
        yield f"http://127.0.0.1:{pages}"


if __name__ == "__main__":
    main()
