"""Somebody signs in by an identity provider in a real browser, and becomes an owner."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.browser.playground import invite, program
from tests.browser.test_submit_in_browser import code_with, field
from tests.dashboard_server import answering, listening
from tests.free_port import free_port
from tests.identity_server import CLIENT, CLIENT_SECRET, IdentityServer, identity_server

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Place:
    """An arena whose owners sign in at a provider."""

    provider: IdentityServer
    database: str
    address: str


@pytest.fixture(scope="module")
def place(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    del chromium  # skips without it
    home = tmp_path_factory.mktemp("arena")
    port, pages = free_port(), free_port()
    with ExitStack() as stack:
        provider = stack.enter_context(identity_server())
        address = f"http://127.0.0.1:{pages}"
        own = {
            "ARENA_DATABASE_URL": shared_database,
            "ARENA_HOME": str(home),
            "ARENA_ADDRESS": f"127.0.0.1:{port}",
            "ARENA_PORT": str(port),
            "ARENA_SIGNUP": "invite",
            "ARENA_OIDC_ISSUER": provider.issuer,
            "ARENA_OIDC_CLIENT_ID": CLIENT,
        }
        serve = ["-m", "arena", "serve", "--port", str(port)]
        stack.enter_context(program(serve, home / "referee.log", own))
        alone = {"ARENA_OIDC_CLIENT_SECRET": CLIENT_SECRET, "ARENA_DASHBOARD_URL": address}
        dashboard = ["-m", "arena_dashboard", *listening(pages)]
        stack.enter_context(answering(dashboard, pages, **own, **alone))
        yield Place(provider, shared_database, address)


@pytest.fixture
def page(place: Place, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=place.address)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    yield opened
    context.close()


def test_a_first_sign_in_makes_an_owner_and_a_later_one_finds_it(
    place: Place, page: Page, browser: Browser
) -> None:
    page.goto("/submit")
    page.get_by_role("button", name="Sign in at 127.0.0.1").click()
    # Back from the provider, on the page that the visitor came from.
    expect(page.get_by_text("You are signed in, but not an owner here yet.")).to_be_visible()
    expect(field(page, "Your name")).to_have_value("Zoë")
    field(page, "Invite").fill("AAAA-BBBB-CCCC-DDDD")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("This invite is not known here")).to_be_visible()
    field(page, "Invite").fill(invite(place.database))
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("You are Zoë")).to_be_visible()
    # Another session of the same browser, which the ID token does not sign in twice.
    page.goto("/my-bots")
    expect(page.get_by_text("You have no bot yet.")).to_be_visible()
    page.get_by_text("A new key").first.click()
    page.get_by_role("button", name="New key").click()
    expect(page.get_by_text("This is your key")).to_be_visible()
    key = code_with(page, "arena_owner_").inner_text().strip()
    page.goto("/submit")
    expect(page.get_by_text("You are Zoë")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    # By way of an address that clears the cookie.
    expect(page).to_have_url(f"{place.address}/")
    page.goto("/submit")
    expect(page.get_by_role("button", name="Sign in at 127.0.0.1")).to_be_visible()

    other = browser.new_context(base_url=place.address).new_page()
    other.goto("/submit")
    other.get_by_role("button", name="Sign in at 127.0.0.1").click()
    expect(other.get_by_text("You are Zoë")).to_be_visible()
    other.context.close()
    third = browser.new_context(base_url=place.address).new_page()
    third.goto("/submit")
    third.get_by_role("tab", name="I have a key").click()
    field(third, "Your key").fill(key)
    third.keyboard.press("Enter")
    expect(third.get_by_text("You are Zoë")).to_be_visible()
    third.context.close()
