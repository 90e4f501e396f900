"""The pages in a real browser: they render, a link opens a moment of a match, nothing is fetched
from elsewhere. Needs Chromium, which CI has."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect, sync_playwright

from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from arena_dashboard.secure_app import HEADERS
from tests.dashboard.cups import hold
from tests.dashboard.played import fill
from tests.databases import execute, named

PATIENCE_MS = 30_000
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="Chromium is not installed: apt-get install chromium",
)


@dataclass(frozen=True)
class Site:
    """A dashboard on an arena that has played."""

    address: str
    matches: list[FinishedMatch]


# One for all tests: they only look.
@pytest.fixture(scope="module")
def site(postgres_server: str) -> Iterator[Site]:
    execute(postgres_server, "CREATE DATABASE browsed TEMPLATE arena_template")
    database = named(postgres_server, "browsed")
    matches = asyncio.run(fill(database, blocks=20))
    bots = ("honest", "alpha", "beta", "gamma", "a-name-of-some-thirty-letters")
    asyncio.run(hold(database, "cup", FormatName.SWISS, bots, seats=3))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = [
        *("-m", "arena_dashboard", "--server.port", str(port)),
        *("--server.address", "127.0.0.1", "--server.headless", "true"),
        *("--browser.gatherUsageStats", "false", "--server.fileWatcherType", "none"),
    ]
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=os.environ | {"ARENA_DATABASE_URL": database},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/_stcore/health", process)
        yield Site(address, matches)
    finally:
        process.terminate()
        process.wait()
        execute(postgres_server, "DROP DATABASE browsed WITH (FORCE)")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "CI must install Chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < deadline:
        assert process.poll() is None, "the dashboard ended at once"
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the dashboard did not start in time")


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """A tab; a request to anywhere else than the dashboard fails the test."""
    elsewhere: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((site.address, "data:", "blob:")):
            elsewhere.append(request.url)

    context = browser.new_context(base_url=site.address)
    opened = context.new_page()
    opened.on("request", note)
    refused: list[str] = []
    opened.on(
        "console",
        lambda said: refused.append(said.text) if "Content Security" in said.text else None,
    )
    opened.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    yield opened
    context.close()
    assert elsewhere == []
    assert refused == []  # the policy allows all that the pages do


def test_every_response_says_what_a_browser_may_do_with_it(site: Site) -> None:
    for path in ("/", "/replay", "/_stcore/health", "/static/no-such-file.js"):
        try:
            with urllib.request.urlopen(f"{site.address}{path}") as response:
                headers = response.headers
        except HTTPError as error:
            headers = error.headers
        assert {name: headers[name] for name in HEADERS} == HEADERS, path


def test_a_script_smuggled_into_a_page_is_not_run(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.address)
    page = context.new_page()
    page.goto("/")
    smuggle = """() => {
        const script = document.createElement("script");
        script.textContent = "window.smuggled = true";
        document.body.append(script);
        return window.smuggled === true;
    }"""
    assert page.evaluate(smuggle) is False
    page.goto("about:blank")
    assert page.evaluate(smuggle) is True  # it would have run
    context.close()


def test_the_leaderboard_shows_the_bots_and_their_intervals(page: Page) -> None:
    page.goto("/")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    # Which of the other two is better, luck decides after so few matches.
    expect(rows.nth(2)).to_contain_text("beta")
    expect(rows.filter(has_text="honest")).to_contain_text("anchor")
    expect(page.get_by_text("measured from honest 1 = 1500")).to_be_visible()
    expect(page).to_have_title("Leaderboard · Bluff Arena")
    interval = rows.filter(has_text="alpha").get_by_role("img")
    expect(interval).to_have_attribute("aria-label", re.compile(r"^\d+ to \d+$"))
    assert interval.locator("i").evaluate("e => e.getBoundingClientRect().width") > 3


def test_the_leaderboard_is_sorted_and_searched_in_the_page(page: Page) -> None:
    page.goto("/")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Bot").click()
    expect(rows.first).to_contain_text("alpha")
    page.get_by_role("button", name="Bot").click()
    expect(rows.first).to_contain_text("honest")
    expect(page.get_by_role("columnheader", name="Bot")).to_have_attribute(
        "aria-sort", "descending"
    )
    page.get_by_role("searchbox").fill("BETA")
    expect(rows).to_have_count(1)
    expect(page.get_by_text("1 of 3 bots")).to_be_visible()


def test_links_lead_to_other_pages_and_back_without_reloading_the_app(page: Page) -> None:
    page.goto("/")
    page.evaluate("window.stillHere = true")
    page.locator(".ba-table").get_by_role("link", name="beta").click()
    expect(page.get_by_role("heading", name="beta", exact=True)).to_be_visible()
    assert "bot?bot=beta" in page.url
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page).to_have_title(re.compile("Replay"))
    page.go_back()
    expect(page.get_by_role("heading", name="beta", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="Rating history")).to_be_visible()
    assert page.evaluate("window.stillHere") is True


def test_times_are_local_and_relative_with_utc_as_their_title(page: Page) -> None:
    page.goto("/matches")
    time_of = page.locator("time[datetime]").first
    expect(time_of).to_have_text(re.compile("(ago|last|yesterday|just now|in )"))
    expect(time_of).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d .* UTC$"))


def test_a_theme_chosen_on_one_page_is_that_of_all_pages(page: Page) -> None:
    page.goto("/matches")
    expect(page.get_by_role("heading", name="Matches")).to_be_visible()
    page.get_by_label("Theme").select_option("Dark")
    for path in ("/matches", "/"):
        page.goto(path)
        expect(page.locator(".ba-table").first).to_be_visible()
        colour = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        assert colour == "rgb(21, 23, 28)"


def test_a_link_opens_a_moment_as_a_seat_saw_it_and_next_moves_on(page: Page, site: Site) -> None:
    match_id = site.matches[0].transcript.setup.match_id
    page.goto(f"/replay?match={match_id}&step=2&view=1")
    headline = page.locator(".ba-headline")
    expect(headline).to_contain_text("Step 2")
    expect(page.get_by_role("radio", checked=True)).to_have_count(1)
    seats = page.locator(".ba-seat")
    expect(seats.nth(0).locator(".ba-hidden").first).to_be_visible()
    expect(seats.nth(1).locator(".ba-hidden")).to_have_count(0)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**step=3**")
    expect(headline).to_contain_text("Step 3")
    page.reload()
    expect(headline).to_contain_text("Step 3")
    assert "view=1" in page.url


def test_a_match_can_be_walked_through_with_keys_alone(page: Page, site: Site) -> None:
    transcript = site.matches[0].transcript
    page.goto(f"/replay?match={transcript.setup.match_id}")
    headline = page.locator(".ba-headline")
    expect(headline).to_contain_text("Step 0")
    expect(page.get_by_role("button", name="Next")).to_be_enabled()
    _press_until_heard(page, "ArrowRight", headline, "Step 1")
    page.keyboard.press("ArrowLeft")
    expect(headline).to_contain_text("Step 0")
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        expect(headline).to_contain_text(f"Step {step}")
    page.keyboard.press("End")
    expect(headline).to_contain_text(f"Step {len(transcript.steps)}")
    expect(page.get_by_text("Result", exact=True)).to_be_visible()


def _press_until_heard(page: Page, key: str, headline: Locator, words: str) -> None:
    """The page listens for keys a moment after it shows its first words."""
    for _ in range(5):
        page.keyboard.press(key)
        with suppress(AssertionError):
            expect(headline).to_contain_text(words, timeout=10_000)
            return
    expect(headline).to_contain_text(words)


def test_a_match_of_the_list_leads_to_its_replay(page: Page) -> None:
    page.goto("/matches")
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page.locator(".ba-scene")).to_be_visible()
    expect(page.get_by_text("dealing verified")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/matches", "/replay", "/submit"),
        *("/head-to-head", "/history", "/bot?bot=alpha"),
        *("/tournaments", "/tournaments?name=cup"),
    ],
)
def test_no_page_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    expect(
        page.locator(".ba-table, .ba-scene, pre, [data-testid=stVegaLiteChart]").first
    ).to_be_visible()
    page.wait_for_timeout(500)
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('[data-testid=stMainBlockContainer] *')]"
        ".filter(e => !e.closest('pre, .ba-scroll table'))"
        ".map(e => e.getBoundingClientRect().right))"
    )
    assert widest <= 391


def test_the_matrix_is_reached_and_scrolled_with_keys_alone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/head-to-head")
    matrix = page.get_by_role("region", name="Who beat whom")
    expect(matrix.locator(".ba-heat")).to_have_count(9)
    matrix.focus()
    expect(matrix).to_be_focused()
    # Whatever does not fit is one key away, inside the region.
    hidden = matrix.evaluate("e => e.scrollWidth - e.clientWidth")
    if hidden > 0:
        page.keyboard.press("ArrowRight")
        page.wait_for_function("e => e.scrollLeft > 0", arg=matrix.element_handle())
