"""The live table in a real browser, on an arena that plays: until the end of a match and beyond."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import shifts
from tests.browser.conftest import PATIENCE_MS
from tests.dashboard_server import answering
from tests.free_port import free_port

pytestmark = pytest.mark.slow

MATCH_MS = 120_000
"""How long a match may take: sample bots give way to whatever else the machine does."""

IN_THE_LOG = """log => {
  const all = log.getBoundingClientRect();
  const now = log.querySelector("[aria-current]").getBoundingClientRect();
  return all.top - 1 <= now.top && now.bottom <= all.bottom + 1;
}"""


@pytest.fixture(scope="module")
def playing(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of the pages of an arena in which sample bots play all the time."""
    home: Path = tmp_path_factory.mktemp("home")
    pages = free_port()
    arguments = ["--port", str(free_port()), "--dashboard-port", str(pages), "--pace", "0.5"]
    program = ["-m", "arena", "up", *arguments, "--table", "bluff:2"]
    environment = {"ARENA_DATABASE_URL": shared_database, "ARENA_HOME": str(home)}
    with answering(program, pages, **environment):
        yield f"http://127.0.0.1:{pages}"


@pytest.fixture
def home(playing: str, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=playing)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page.goto("/")
    yield page
    context.close()


def test_a_match_is_shown_as_it_goes_until_its_end_and_then_the_next(home: Page) -> None:
    expect(home.locator(".player.live svg.table g.seat")).to_have_count(2)
    expect(home.get_by_text("The referee is up")).to_be_visible()
    # What comes is kept back: the result shows only at the end.
    expect(home.locator(".player.live.unfinished")).to_be_visible()
    expect(home.locator(".player .placings")).to_be_hidden()
    expect(home.get_by_text("Above the line")).to_be_hidden()
    first = home.locator(".entry:visible").count()
    expect(home.locator(".entry:visible")).not_to_have_count(first)
    link = home.get_by_role("link", name="Replay with all dice and cards open")
    expect(link).to_be_visible(timeout=MATCH_MS)
    shown = link.get_attribute("href")
    home.get_by_role("button", name="Last (End)").click()
    expect(home.locator(".player .placings")).to_be_visible()
    expect(home.locator(".player .placings")).to_contain_text("1. ")
    expect(home.get_by_text("Above the line")).to_be_visible()
    # Whoever stopped it may look as long as they like; playing goes on to another match.
    home.get_by_role("button", name="Play (Space)").click()
    home.get_by_role("button", name="Last (End)").click()
    home.get_by_role("button", name="Step back (←)").click()
    home.get_by_role("button", name="Play (Space)").click()
    expect(link).not_to_have_attribute("href", shown or "", timeout=MATCH_MS)
    assert home.url.endswith("/")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_until_a_match_is_shown(playing: str, browser: Browser, width: int) -> None:
    context = browser.new_context(base_url=playing, viewport={"width": width, "height": 844})
    page = context.new_page()
    shifts.listen(page)
    page.goto("/")
    expect(page.locator(".player.live svg.table g.seat")).to_have_count(2)
    page.get_by_role("heading", name="Best bots").wait_for()
    shifts.filled(page)
    far, moved = shifts.moved(page)
    assert far < shifts.MOST, moved
    context.close()


def test_the_log_follows_what_is_shown(home: Page) -> None:
    expect(home.locator(".player.live svg.table g.seat")).to_have_count(2)
    log, number = home.locator(".log .entries"), home.locator(".entry[aria-current] .number")
    while not log.evaluate("log => log.scrollHeight > log.clientHeight + 100"):
        expect(number).not_to_have_text(number.inner_text(), timeout=MATCH_MS)
    for _ in range(3):
        expect(number).not_to_have_text(number.inner_text(), timeout=MATCH_MS)
        assert log.evaluate(IN_THE_LOG)


def test_the_replay_of_the_match_that_was_live_can_be_opened(home: Page) -> None:
    link = home.get_by_role("link", name="Replay with all dice and cards open")
    expect(link).to_be_visible(timeout=MATCH_MS)
    link.click()
    expect(home.get_by_text("dealing verified")).to_be_visible()
    expect(home.locator(".view")).not_to_have_count(0)


def test_keys_move_the_live_table_only_from_within_it(home: Page) -> None:
    expect(home.locator(".player.live svg.table g.seat")).to_have_count(2)
    home.get_by_role("heading", name="Best bots").click()
    home.keyboard.press("End")
    home.get_by_role("button", name="Step back (←)").click()
    before = home.locator(".entry[aria-current] .number").inner_text()
    home.get_by_role("heading", name="Best bots").click()
    home.keyboard.press("ArrowRight")
    expect(home.locator(".entry[aria-current] .number")).to_have_text(before)
    home.get_by_role("button", name="Step on (→)").focus()
    home.keyboard.press("ArrowRight")
    expect(home.locator(".entry[aria-current] .number")).not_to_have_text(before)


def test_a_hidden_tab_asks_for_nothing(playing: str, browser: Browser) -> None:
    context = browser.new_context(base_url=playing)
    page = context.new_page()
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(data)))
    page.goto("/")
    expect(page.locator(".player.live svg.table g.seat")).to_have_count(2)
    page.wait_for_timeout(5000)
    assert sent
    # A hidden tab draws no frames.
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true});"
        "window.requestAnimationFrame = () => 0"
    )
    page.wait_for_timeout(500)
    sent.clear()
    page.wait_for_timeout(6000)
    assert sent == []
    context.close()


def test_the_live_table_fits_a_phone(home: Page) -> None:
    home.set_viewport_size({"width": 390, "height": 844})
    expect(home.locator(".player.live svg.table g.seat")).to_have_count(2)
    widest = home.evaluate(
        "Math.max(...[...document.querySelectorAll('[data-testid=stMainBlockContainer] *')]"
        ".map(e => e.getBoundingClientRect().right))"
    )
    assert widest <= 391
    # Those of the player are in a tree of their own.
    box = home.locator(".player .buttons button").last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 391
    place = home.locator(".player .buttons").evaluate("e => getComputedStyle(e).position")
    assert place == "relative"
