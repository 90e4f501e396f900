"""A stranger signs up in a real browser, registers a bot, starts it, and sees its first match."""

import io
import os
import re
import secrets
import stat
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from arena.commands.serving.children import house_tokens
from arena.commands.serving.table_option import table_types
from arena.local.loading import bot_file
from arena.server.app.store import open_store
from arena.worker.sandbox import why_not_here
from tests.browser.axe import assert_nothing_serious_in_light_and_dark, needs_axe
from tests.browser.conftest import attach, dashboard
from tests.browser.playground import in_own_loop, invite, program
from tests.browser.select_boxes import choose
from tests.free_port import free_port

FIRST_BOT = bot_file("honest").parent / "starters" / "first_bot.py"
FROM_THE_RIGHT = """button => {
  const edge = document.querySelector("h1").closest("[data-testid=stElementContainer]");
  return Math.abs(edge.getBoundingClientRect().right - button.getBoundingClientRect().right);
}"""
"""How far the right edge of a button is from that of the page's content."""
HOSTILE = '<img src=x onerror="document.title=1">'


@dataclass(frozen=True)
class Place:
    """A dashboard of an arena with one house bot, and what programs need to reach the referee."""

    database: str
    address: str
    home: Path
    environment: dict[str, str]
    referee: ExitStack
    """Closed to stop the referee."""

    @contextmanager
    def without_referee(self) -> Iterator[None]:
        """While the block runs, no referee does."""
        self.referee.close()
        try:
            yield
        finally:
            self.referee.enter_context(referee(self.home, self.environment))

    def worker_token(self) -> str:
        async def make() -> str:
            async with open_store(self.database) as store:
                return await store.workers.add(f"w{secrets.token_hex(4)}", "operator")

        return in_own_loop(make())


def referee(home: Path, environment: dict[str, str]) -> AbstractContextManager[None]:
    serve = ["-m", "arena", "serve", "--port", environment["ARENA_PORT"]]
    return program(serve, home / "referee.log", environment)


@pytest.fixture(scope="module")
def place(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    port = free_port()
    home = tmp_path_factory.mktemp("arena")
    own = {
        "ARENA_DATABASE_URL": shared_database,
        "ARENA_HOME": str(home),
        "ARENA_ADDRESS": f"127.0.0.1:{port}",
        "ARENA_PUBLIC_ADDRESS": f"localhost:{port}",
        "ARENA_PORT": str(port),
    }

    async def tokens() -> dict[str, str]:
        async with open_store(shared_database) as store:
            return await house_tokens(store, table_types(["bluff:2"]))

    bots = in_own_loop(tokens())
    with ExitStack() as stack:
        running = stack.enter_context(ExitStack())
        running.enter_context(referee(home, own))
        mine = own | {"ARENA_TOKEN": bots["honest"]}
        stack.enter_context(program([str(bot_file("honest"))], home / "honest.log", mine))
        pages = stack.enter_context(dashboard(shared_database, **own))
        yield Place(shared_database, pages, home, own, running)


def new(name: str) -> str:
    """A name that the arena has not heard: in CI a second try follows on the same arena."""
    return f"{name} {secrets.randbelow(1_000_000)}"


def sign_up(page: Page, place: Place, name: str) -> str:
    """Sign up on the page by keys alone. Returns the key."""
    page.goto("/submit")
    field(page, "Your name").fill(name)
    page.keyboard.press("Tab")
    field(page, "Invite").fill(invite(place.database))
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is your key")).to_be_visible()
    return code_with(page, "arena_owner_").inner_text().strip()


def run_it_myself(page: Page) -> None:
    """Choose how the bot is to run."""
    page.get_by_role("tab", name="Connect: you run it").click()


def field(page: Page, label: str) -> Locator:
    return page.locator(f'input[aria-label="{label}"], textarea[aria-label="{label}"]')


def code_with(page: Page, words: str) -> Locator:
    return page.locator('[data-testid="stCode"]').filter(has_text=words).first


@needs_axe
def test_nothing_serious_bars_anybody_from_submitting_a_bot(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    page.goto("/submit")
    expect(field(page, "Your name")).to_be_visible()
    assert_nothing_serious_in_light_and_dark(page)
    sign_up(page, place, new("Reader"))
    assert_nothing_serious_in_light_and_dark(page)
    run_it_myself(page)
    expect(page.get_by_role("button", name="Register")).to_be_visible()
    assert_nothing_serious_in_light_and_dark(page)


def sign_in_cookies(page: Page) -> list[Any]:
    """The cookies by which the browser stays signed in."""
    return [one for one in page.context.cookies() if one["name"].startswith("arena_sign_in_")]


def test_who_signed_up_stays_signed_in_when_the_page_is_loaded_again_until_signing_out(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    owner = new("Lasting")
    with page.expect_response("**/signed-in") as kept:
        key = sign_up(page, place, owner)
    assert kept.value.status == 204
    who = page.get_by_text(f"You are {owner}")
    leave = page.get_by_role("button", name="Sign out")
    assert leave.evaluate(FROM_THE_RIGHT) < 1
    (cookie,) = sign_in_cookies(page)
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["value"] != key
    page.reload()
    expect(who).to_be_visible()
    expect(code_with(page, key)).to_be_visible()
    page.get_by_role("button", name="I have stored it").click()
    expect(page.get_by_text("This is your key")).to_have_count(0)
    page.reload()
    expect(who).to_be_visible()
    expect(page.get_by_text("This is your key")).to_have_count(0)
    # Whoever did not copy it makes another; what is signed in goes on with that.
    with page.expect_response("**/signed-in"):
        page.get_by_role("link", name="My bots").click()
        page.get_by_text("A new key").first.click()
        page.get_by_role("button", name="New key").click()
        expect(page.get_by_text("This is your key")).to_be_visible()
    other = page.context.new_page()
    with other.expect_response("**/signed-in"):  # every visit prolongs it
        other.goto("/submit")
        expect(other.get_by_text(f"You are {owner}")).to_be_visible()
    stolen = sign_in_cookies(page)
    with other.expect_response("**/signed-in"):
        other.get_by_role("button", name="Sign out").click()
        expect(field(other, "Your name")).to_be_visible()
    assert sign_in_cookies(page) == []
    page.goto("/submit")
    expect(field(page, "Your name")).to_be_visible()
    # The sign-in has ended, not the cookie alone.
    page.context.add_cookies(stolen)
    with page.expect_response("**/signed-in"):
        page.goto("/submit")
        expect(field(page, "Your name")).to_be_visible()
    secrets_of_it = [cookie["value"], stolen[0]["value"], key]
    assert not [url for url in asked for secret in secrets_of_it if secret in url]


@pytest.mark.parametrize(
    ("look", "width", "height", "scheme"),
    [("wide", 1440, 900, "light"), ("phone", 390, 844, "dark")],
)
def test_a_stranger_signs_up_registers_a_bot_starts_it_and_sees_its_first_match(
    look: str,
    width: int,
    height: int,
    scheme: str,
    place: Place,
    open_tab: Callable[..., Page],
) -> None:
    shots = os.environ.get("ARENA_SHOTS")
    page = open_tab(viewport={"width": width, "height": height}, color_scheme=scheme)
    key = sign_up(page, place, new("Zoë"))
    run_it_myself(page)
    # The page shows the key once more above what follows; then it is a secret of the session.
    bot = new("Лиса")
    field(page, "The bot's name").fill(bot)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Start {bot}")).to_be_visible()
    expect(page.get_by_text("Waiting for it to connect")).to_be_visible()
    with page.expect_download() as got:
        page.get_by_role("button", name="Download the Python starter").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(got.value.path()).read_bytes()))
    (script,) = (one for one in archive.namelist() if one.endswith("/run.sh"))
    mode = stat.S_IMODE(archive.getinfo(script).external_attr >> 16)
    assert mode == 0o700
    (sdk,) = (one for one in archive.namelist() if one.endswith(".whl"))
    shown = code_with(page, "/download/").inner_text()
    (wheel,) = re.findall(r"http://\S+\.whl", shown)
    with urllib.request.urlopen(wheel) as served:
        assert served.read() == archive.read(sdk)
    exports = dict(
        line.removeprefix("export ").split("=", 1)
        for line in archive.read(script).decode().splitlines()
        if line.startswith("export ")
    )
    assert exports["ARENA_ADDRESS"] == place.environment["ARENA_PUBLIC_ADDRESS"]
    address = f"export ARENA_ADDRESS={exports['ARENA_ADDRESS']}\n"
    expect(page.locator('[data-testid="stCode"]').filter(has_text="ARENA_ADDRESS")).to_have_text(
        [re.compile(re.escape(address))] * 3
    )
    assert page.get_by_text(exports["ARENA_TOKEN"]).count() >= 1
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    with program([str(FIRST_BOT)], place.home / f"{look}.log", place.environment | exports):
        for words in (
            "It has connected",
            "A match was offered to it",
            "Its first match is recorded",
            "It has a rating",
        ):
            expect(page.get_by_text(words)).to_be_visible()
        if shots is not None:
            page.screenshot(path=f"{shots}/submit-{look}.png", full_page=True)
        page.get_by_role("link", name="Watch the latest").click()
        expect(page.locator(".player svg.table g.seat").first).to_be_visible()

    other = open_tab(viewport={"width": width, "height": height}, color_scheme=scheme)
    other.goto("/my-bots")
    other.get_by_role("tab", name="I have a key").click()
    field(other, "Your key").fill("arena_owner_wrong")
    other.keyboard.press("Enter")
    expect(other.get_by_text("No owner has this key")).to_be_visible()
    field(other, "Your key").fill(key)
    other.keyboard.press("Enter")
    line = other.locator(".ba-table tbody tr").filter(has_text=bot)
    expect(line).to_contain_text("v1")
    expect(other.get_by_text(exports["ARENA_TOKEN"])).to_have_count(0)
    other.locator("summary").filter(has_text="Team").click()
    field(other, "Name of the member").fill("Bob")
    other.keyboard.press("Enter")
    expect(other.get_by_text("Bob is in your team")).to_be_visible()
    expect(other.locator(".ba-table tr").filter(has_text="(you)")).to_contain_text("captain")
    assert other.evaluate(overflow) <= 0
    if shots is not None:
        other.screenshot(path=f"{shots}/my-bots-{look}.png", full_page=True)


def test_what_an_owner_says_of_a_bot_is_text_on_its_page_and_its_link_leads_out(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    owner = new("Mallory")
    bot = new("fox")
    sign_up(page, place, owner)
    run_it_myself(page)
    field(page, "The bot's name").fill("<b>fox")
    page.keyboard.press("Enter")
    expect(page.get_by_text("cannot name the bot: use 1 to 40 letters of any")).to_be_visible()
    field(page, "The bot's name").fill(bot)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Start {bot}")).to_be_visible()
    page.get_by_role("link", name="My bots").click()
    page.get_by_text(f"Builds, logs and settings of {bot}").click()
    field(page, "Text").fill(HOSTILE)
    field(page, "Link").fill('https://example.org/"><script>alert(1)</script>')
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The link is no address of a page")).to_be_visible()
    field(page, "Link").fill("https://example.org/?a='b'&c=%22")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The link is no address of a page")).to_have_count(0)
    page.goto(f"/bot?{urlencode({'bot': bot})}")
    expect(page.get_by_text(HOSTILE)).to_be_visible()
    link: Any = page.locator(".ba-said a")
    assert link.get_attribute("rel") == "nofollow noopener noreferrer"
    assert link.get_attribute("href") == "https://example.org/?a='b'&c=%22"
    assert page.locator(".ba-said img, .ba-said script").count() == 0
    expect(page.get_by_text(f"by {owner}")).to_be_visible()


def upload(page: Page, bot: str, text: str) -> None:
    """Upload a .py file with this text."""
    file = FilePayload(name="mine.py", mimeType="text/x-python", buffer=text.encode())
    attach(page, file)
    field(page, "Name of the bot").fill(bot)
    page.get_by_role("button", name="Submit this build").click()
    expect(page.get_by_role("heading", name=f"{bot}, version 1")).to_be_visible()


def test_a_page_goes_on_telling_of_an_upload_when_the_referee_was_away(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    sign_up(page, place, new("Patient"))
    upload(page, new("patient"), "# It waits.")
    expect(page.get_by_text("Being checked")).to_be_visible()
    with place.without_referee():
        expect(page.get_by_text("cannot be reached")).to_be_visible()
        expect(page.get_by_text("Being checked")).to_be_visible()
    expect(page.get_by_text("cannot be reached")).to_have_count(0)
    expect(page.get_by_text("Being checked")).to_be_visible()


def test_a_build_that_cannot_play_is_refused_on_the_page_with_what_it_printed(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    shots = os.environ.get("ARENA_SHOTS")
    why_not = in_own_loop(why_not_here())
    if why_not is not None:
        pytest.skip(why_not)
    page = open_tab()
    sign_up(page, place, new("Hasty"))
    environment = place.environment | {"ARENA_WORKER_TOKEN": place.worker_token()}
    with program(["-m", "arena", "work"], place.home / "worker.log", environment):
        bot = new("hasty")
        upload(page, bot, "raise SystemExit('no table of mine')")
        expect(page.get_by_text("Refused by the check.")).to_be_visible(timeout=120_000)
    why = code_with(page, "It did not start: it ended with code 1")
    expect(why).to_contain_text("no table of mine")
    expect(page.get_by_text("Being checked")).to_have_count(0)
    if shots is not None:
        page.screenshot(path=f"{shots}/refused.png", full_page=True)
    page.get_by_role("link", name="My bots").first.click()
    page.get_by_text(f"Builds, logs and settings of {bot}").click()
    expect(page.locator(".ba-table td", has_text="no table of mine")).to_be_visible()
    choose(page, "Log of version")
    expect(code_with(page, "no table of mine")).to_be_visible()


@pytest.mark.timeout(400)
def test_a_bot_that_is_uploaded_is_checked_and_plays_while_one_watches(
    place: Place, open_tab: Callable[..., Page]
) -> None:
    shots = os.environ.get("ARENA_SHOTS")
    why_not = in_own_loop(why_not_here())
    if why_not is not None:
        pytest.skip(why_not)
    page = open_tab()
    sign_up(page, place, new("Uploader"))
    bot = new("uploaded")
    expect(page.get_by_text("The build: a .py file of up to 1 MiB")).to_be_visible()
    expect(page.get_by_text("per file")).to_be_hidden()  # Streamlit's limit, one for all kinds
    attach(page, FIRST_BOT)
    field(page, "Name of the bot").fill(bot)
    environment = place.environment | {"ARENA_WORKER_TOKEN": place.worker_token()}
    with program(["-m", "arena", "work"], place.home / "worker.log", environment):
        page.get_by_role("button", name="Submit this build").click()
        expect(page.get_by_role("heading", name=f"{bot}, version 1")).to_be_visible()
        expect(page.get_by_text("It has a rating")).to_be_visible(timeout=300_000)
        if shots is not None:
            page.screenshot(path=f"{shots}/uploaded.png", full_page=True)
    page.get_by_role("link", name="My bots").first.click()
    expect(page.get_by_text(bot).first).to_be_visible()
    page.get_by_text(f"Builds, logs and settings of {bot}").click()
    choose(page, "Log of version")
    expect(page.get_by_text("It played its shift.")).to_be_visible()
    choose(page, "Log of one match")
    expect(page.get_by_text(re.compile("It (played|printed) .+ in that time"))).to_be_visible()
    expect(page.get_by_text("It played its shift.")).to_have_count(0)
    if shots is not None:
        page.screenshot(path=f"{shots}/my-uploaded.png", full_page=True)
