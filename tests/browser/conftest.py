"""A dashboard on an arena that has played, and a browser."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from tests.dashboard.cups import hold
from tests.dashboard.played import anyhow, creeping, fill
from tests.dashboard_server import answering, streamlit_options
from tests.databases import execute, named
from tests.free_port import free_port

PATIENCE_MS = 30_000
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass(frozen=True)
class Site:
    """A dashboard on an arena that has played."""

    address: str
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
def site(postgres_server: str, chromium: str) -> Iterator[Site]:
    execute(postgres_server, "CREATE DATABASE browsed TEMPLATE arena_template")
    database = named(postgres_server, "browsed")
    matches = asyncio.run(fill(database, blocks=20))
    others = {
        game: asyncio.run(fill(database, game=game, seats=3, blocks=1))[0]
        for game in ("bluff", "bluff_you", "bloeff")
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
        yield Site(address, matches, others)
    execute(postgres_server, "DROP DATABASE browsed WITH (FORCE)")


@contextmanager
def dashboard(database: str, **environment: str) -> Iterator[str]:
    """The address of a running dashboard."""
    port = free_port()
    program = ["-m", "arena_dashboard", *streamlit_options(port)]
    with answering(program, port, **environment | {"ARENA_DATABASE_URL": database}):
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
def within(site: Site, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens tabs of the site, with the options of a browser's context."""
    with tabs(site.address, browser) as open_tab:
        yield open_tab


@contextmanager
def tabs(address: str, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens tabs at an address; a request to anywhere else, or one that the policy refuses, is an
    error at the end."""
    elsewhere: list[str] = []
    refused: list[str] = []
    contexts = []

    def note(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            elsewhere.append(request.url)

    def note_refusal(said: ConsoleMessage) -> None:
        if "Content Security" in said.text:
            refused.append(said.text)

    def open_tab(**options: Any) -> Page:
        context = browser.new_context(base_url=address, **options)
        contexts.append(context)
        opened = context.new_page()
        opened.on("request", note)
        opened.on("console", note_refusal)
        opened.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        return opened

    yield open_tab
    for context in contexts:
        context.close()
    assert elsewhere == []
    assert refused == []  # the policy allows all that the pages do


@pytest.fixture
def page(within: Callable[..., Page]) -> Page:
    """A tab."""
    return within()
