"""The page for a projector in a real browser: it goes on by itself, and can be read from afar."""

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from arena.server.app.store import Store, open_store
from tests.browser.conftest import dashboard, tabs
from tests.browser.playground import in_own_loop
from tests.databases import TEMPLATE, Copies, plain
from tests.server.events.cups import done, entrant, let_pass, played, played_out, queued, said

pytestmark = pytest.mark.slow

NAMES = ("ann", "bob", "eve", "dan")
SMALLEST = """() => {
  const sizes = [];
  for (const one of document.querySelectorAll(".stMain :is(h1, h2, p, li, td, b, span)")) {
    if (!one.checkVisibility() || !one.textContent.trim()) continue;
    sizes.push(parseFloat(getComputedStyle(one).fontSize));
  }
  return Math.min(...sizes);
}"""
"""The height in pixels of the smallest letters of the page, without the player's."""
SMALLEST_OF_TABLE = """table => {
  const scale = table.getBoundingClientRect().height / table.viewBox.baseVal.height;
  const words = [...table.querySelectorAll("text")];
  const sizes = words.map((one) => parseFloat(getComputedStyle(one).fontSize));
  return Math.min(...sizes) * scale;
}"""
READABLE = 20
"""Pixels of 1,080: at a screen of two metres almost four centimetres."""
CLOCK = re.compile(r"\d\d:\d\d")
COUNTDOWN = re.compile(r"Results in \d+:\d\d:\d\d")

Sql = psycopg.Connection[Any]


def with_store(url: str, use: Callable[[Store, Sql], Awaitable[None]]) -> None:
    async def run() -> None:
        async with open_store(url) as store:
            with psycopg.connect(plain(url), autocommit=True) as sql:
                await use(store, sql)

    in_own_loop(run())


async def begin(store: Store, url: str, sql: Sql) -> None:
    await store.events.create("cup", said(), "me")
    sql.execute("UPDATE events SET live = true")
    for name in NAMES:
        await entrant(store, url, "cup", name)
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)


async def hand_in(store: Store, sql: Sql, blocks: int) -> None:
    """Hand in the next blocks, and publish them."""
    await store.finals.keep(store.record)
    ids, signer = queued(sql), await store.signer()
    for block in ids[:blocks]:
        found = await store.finals.begin_block(block)
        assert found is not None
        await store.finals.end_block(block, list(map(played, found.matches)), signer)
    done(sql)
    await store.finals.keep(store.record)


async def release(store: Store, sql: Sql) -> None:
    await played_out(store, sql, (await store.events.named("cup"))[0])
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)


@pytest.fixture
def cup(copies: Copies, chromium: str) -> Iterator[tuple[str, str]]:
    """The addresses of a database and of its pages; a live final has begun."""
    del chromium  # skips without it
    with copies.of(TEMPLATE) as database:
        with_store(database, lambda store, sql: begin(store, database, sql))
        with dashboard(database) as address:
            yield database, address


def test_a_live_final_is_followed_to_its_winner_without_a_click(
    cup: tuple[str, str], browser: Browser
) -> None:
    database, address = cup
    with tabs(address, browser) as open_tab:
        page: Page = open_tab(viewport={"width": 1920, "height": 1080})
        page.goto("/projector?event=cup")
        expect(page.get_by_text("The first matches are being played.")).to_be_visible()
        expect(page.get_by_role("timer", name="Time of day")).to_have_text(CLOCK)
        expect(page.locator("header").get_by_text("Results in")).to_have_text(COUNTDOWN)
        expect(page.get_by_role("link", name="Leaderboard")).to_be_hidden()
        with_store(database, lambda store, sql: hand_in(store, sql, 4))
        # It is told of them, and replays one after another.
        table = page.locator(".player svg.table")
        expect(table.locator("g.seat")).to_have_count(2)
        expect(page.get_by_text("At the tables")).to_be_visible()
        for _ in range(5):
            page.keyboard.press("+")
        shown = page.locator(".player .title a")
        first = shown.get_attribute("href")
        expect(shown).not_to_have_attribute("href", first or "")
        assert page.evaluate(SMALLEST) >= READABLE
        assert table.evaluate(SMALLEST_OF_TABLE) >= READABLE
        box = table.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 1080
        with_store(database, release)
        expect(page.locator(".ba-shown")).to_have_count(1)
        expect(page.locator(".player")).to_have_count(0)
        page.keyboard.press("End")
        expect(page.locator(".ba-shown h2")).to_contain_text("Winner")
        page.keyboard.press("Home")
        expect(page.locator("[data-step='0']")).to_be_visible()


def test_it_fits_a_phone(cup: tuple[str, str], browser: Browser) -> None:
    database, address = cup
    with_store(database, lambda store, sql: hand_in(store, sql, 4))
    with tabs(address, browser) as open_tab:
        page: Page = open_tab(viewport={"width": 390, "height": 844})
        page.goto("/projector?event=cup")
        expect(page.locator(".player svg.table g.seat")).to_have_count(2)
        widest = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.stMain header, .stMain table, .player')]"
            ".map(one => one.getBoundingClientRect().right))"
        )
        assert widest <= 391
