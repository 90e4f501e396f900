"""A dashboard on an arena that has played, and a browser."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    FilePayload,
    Page,
    Request,
    expect,
    sync_playwright,
)

from arena.database.private_socket import url_of
from arena.database.roles import READER_ROLE
from arena.games import GAMES
from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from tests.chromium import CHROMIUM
from tests.dashboard.cups import hold
from tests.dashboard.played import anyhow, creeping, fill
from tests.dashboard_server import answering, listening
from tests.databases import TEMPLATE, Copies
from tests.free_port import free_port

PATIENCE_MS = 30_000
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


@dataclass(frozen=True)
class Site:
    """A dashboard on an arena that has played."""

    address: str
    database: str
    matches: list[FinishedMatch]
    """Of Bluff at two seats."""
    others: dict[str, FinishedMatch]
    """One of each game at three seats; "long": one of more than 1,000 steps; "crowded": one of
    six bots with long names; "sealed": Blöff of four of them."""


@pytest.fixture(scope="package")
def chromium() -> str:
    """The browser's program."""
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("Chromium is not installed: apt-get install chromium")
    assert CHROMIUM is not None, "CI must install Chromium"
    return CHROMIUM


# One for all tests: they only look.
@pytest.fixture(scope="package")
def site(copies: Copies, chromium: str) -> Iterator[Site]:
    with copies.of(TEMPLATE) as database:
        matches = asyncio.run(fill(database, blocks=20))
        others = {
            game: asyncio.run(fill(database, game=game, seats=3, blocks=1))[0] for game in GAMES
        }
        creepers = [(f"creeper{number}", creeping) for number in range(6)]
        plan: dict[str, Any] = {"seats": 6, "blocks": 1, "policies": creepers}
        options: dict[str, Any] = {"start_mode": "seat", "dice_per_player": 9}
        others["long"] = asyncio.run(fill(database, **plan, **options))[0]
        crowd = [(f"the-bot-with-the-very-long-name-{number}", anyhow) for number in range(6)]
        plan = {"seats": 6, "blocks": 1, "policies": crowd}
        others["crowded"] = asyncio.run(fill(database, **plan))[0]
        plan = {"seats": 4, "blocks": 1, "policies": crowd[:4], "game": "bloeff"}
        others["sealed"] = asyncio.run(fill(database, **plan))[0]
        bots = ("honest", "alpha", "beta", "gamma", "a_name_of_some_thirty_letters")
        asyncio.run(hold(database, "cup", FormatName.SWISS, bots, seats=3))
        with dashboard(database) as address:
            yield Site(address, database, matches, others)


@pytest.fixture(scope="module")
def shared_database(copies: Copies) -> Iterator[str]:
    """The URL of a migrated database for all tests of a module."""
    with copies.of(TEMPLATE) as url:
        yield url


@contextmanager
def dashboard(database: str, **environment: str) -> Iterator[str]:
    """The address of a running dashboard, which has the role of readers in the database."""
    port = free_port()
    program = ["-m", "arena_dashboard", *listening(port)]
    mine = environment | {"ARENA_DATABASE_URL": url_of(READER_ROLE, database)}
    with answering(program, port, **mine):
        yield f"http://127.0.0.1:{port}"


# Closed before other tests begin, which may have an event loop of their own; and opened after the
# site, which needs one to be made.
@pytest.fixture(scope="package")
def browser(chromium: str, site: Site) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def place(site: Site) -> Any:
    """The fixture with the `address` of the tabs of `open_tab`; some modules have another."""
    return site


@pytest.fixture
def open_tab(place: Any, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens tabs, each of a visitor who was never here, with the options of a browser's context."""
    with tabs(place.address, browser) as open_tab:
        yield open_tab


@contextmanager
def tabs(address: str, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens tabs at an address, each of a visitor who was never there."""
    contexts = []
    with listened_to(address) as listen:

        def open_tab(**options: Any) -> Page:
            context = browser.new_context(base_url=address, **options)
            contexts.append(context)
            return listen(context.new_page())

        yield open_tab
        for context in contexts:
            context.close()


@contextmanager
def listened_to(address: str) -> Iterator[Callable[[Page], Page]]:
    """Prepares tabs; a request to anywhere but the address, or one that the policy refuses, or an
    error of a script, fails the test at its end."""
    elsewhere: list[str] = []
    refused: list[str] = []
    errors: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            elsewhere.append(request.url)

    def note_refusal(said: ConsoleMessage) -> None:
        if "Content Security" in said.text:
            refused.append(said.text)

    def listen(opened: Page) -> Page:
        opened.on("request", note)
        opened.on("console", note_refusal)
        opened.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        opened.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        return opened

    yield listen
    assert errors == []
    assert elsewhere == []
    assert refused == []  # the policy allows all that the pages do


@pytest.fixture(scope="package")
def visitor(site: Site, browser: Browser) -> Iterator[BrowserContext]:
    """A visitor who comes back: the site's files are in the browser's cache."""
    with browser.new_context(base_url=site.address) as context:
        yield context


@pytest.fixture
def page(site: Site, visitor: BrowserContext) -> Iterator[Page]:
    """A tab of the visitor who comes back. Tests that need a first visit use `open_tab`."""
    with listened_to(site.address) as listen, visitor.new_page() as opened:
        yield listen(opened)


def attach(page: Page, file: FilePayload | str | Path) -> None:
    """Choose a file to upload, and wait until the dashboard has it: a form sends what it has."""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        page.locator('input[type="file"]').set_input_files(file)
