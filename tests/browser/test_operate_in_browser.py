"""An operator looks after owners in a real browser, wide and narrow."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.records import Allowance
from arena.server.app.store import open_store
from tests.browser.axe import assert_nothing_serious_in_light_and_dark, needs_axe
from tests.browser.conftest import dashboard
from tests.browser.playground import in_own_loop, program
from tests.browser.test_course_in_browser import Place
from tests.dashboard.played import fill
from tests.free_port import free_port

ALLOWED = Allowance(50, 50, 50)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def owners(database: str) -> str:
    """Make owners with uploads, frozen and banned ones, and an operator; return her key."""
    await fill(database, blocks=4)
    async with open_store(database) as store:
        code = await store.owners.invite(9, None, "operator")
        for number, name in enumerate(("Zoë", "The team with a long name", "Cy")):
            owner, _ = await store.owners.sign_up(name, code)
            for bot, content in ((f"bluffer-{number}", b"same"), (f"own-{number}", name.encode())):
                build = read_build("mine.py", b"# " + content)
                await store.builds.upload(owner, bot, "", build, HostingTerms(), ALLOWED)
        await store.owners.freeze("own-0", "operator")
        await store.owners.ban("Cy", "operator")
        _, key = await store.owners.sign_up("Ann", None)
        await store.owners.make_operator("Ann", "operator")
        await store.policies.change({"bot_pace": 600, "ranked_days": 30}, "operator")
    return key


@pytest.fixture(scope="module")
def place(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    key = in_own_loop(owners(shared_database))
    port, home = free_port(), tmp_path_factory.mktemp("arena")
    own = {"ARENA_DATABASE_URL": shared_database, "ARENA_HOME": str(home)}
    own |= {"ARENA_ADDRESS": f"127.0.0.1:{port}", "ARENA_PORT": str(port)}
    serve = ["-m", "arena", "serve", "--port", str(port)]
    with program(serve, home / "referee.log", own), dashboard(shared_database, **own) as pages:
        yield Place(shared_database, pages, key)


def sign_in(page: Page, key: str) -> None:
    """Sign in on the page by keys alone."""
    page.goto("/operate")
    page.get_by_role("tab", name="I have a key").click()
    page.locator('input[aria-label="Your key"]').fill(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Owners and their bots")).to_be_visible()


@needs_axe
def test_nothing_serious_bars_an_operator(place: Place, open_tab: Callable[..., Page]) -> None:
    page = open_tab()
    sign_in(page, place.key)
    assert_nothing_serious_in_light_and_dark(page)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (390, "dark")], ids=["wide", "narrow and dark"]
)
def test_an_operator_finds_who_needs_a_look_and_freezes_a_bot(
    place: Place,
    open_tab: Callable[..., Page],
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = open_tab(**options)

    def shoot(name: str) -> None:
        assert page.evaluate(OVERFLOW) <= 0
        if shots := os.environ.get("ARENA_SCREENSHOTS"):
            page.screenshot(path=f"{Path(shots)}/{name}-{width}.png", full_page=True)

    sign_in(page, place.key)
    table = page.get_by_role("region", name="Owners and their bots")
    expect(table.get_by_role("link", name="Cy", exact=True).first).to_be_visible()
    expect(table.get_by_text("banned")).to_be_visible()
    shoot("operate")
    page.goto("/operate?kind=identical")
    expect(table.get_by_role("link", name="bluffer-0")).to_be_visible()
    expect(table.get_by_role("link", name="invite 1").first).to_be_visible()
    page.goto("/operate?owner=Zo%C3%AB")
    page.get_by_role("button", name="Freeze bluffer-0", exact=True).click()
    expect(page.get_by_role("button", name="Unfreeze bluffer-0", exact=True)).to_be_visible()
    shoot("operate-owner")
    page.get_by_role("button", name="Unfreeze bluffer-0", exact=True).click()
    expect(page.get_by_role("button", name="Freeze bluffer-0", exact=True)).to_be_visible()
    page.goto("/my-bots")
    expect(page.get_by_role("link", name="Operate the arena")).to_be_visible()
    page.goto("/leaderboard")
    expect(page.get_by_text("Old versions")).to_be_visible()
    page.get_by_text("Old versions").click()
    page.wait_for_url("**old=1**")
    shoot("old-versions")
    page.goto("/bot?bot=bluffer-0")
    expect(page.get_by_text("plays at most 600 rated matches an hour")).to_be_visible()
    shoot("bot")
