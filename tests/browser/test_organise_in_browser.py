"""An organiser runs a course on the pages, and a student reads what the organiser writes."""

import csv
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from arena.records import Owner
from arena.server.app.store import Store, open_store
from tests.browser.axe import assert_nothing_serious, needs_axe
from tests.browser.conftest import dashboard, tabs
from tests.browser.playground import in_own_loop, program
from tests.free_port import free_port
from tests.server.events.cups import uploaded

ROSTER = """name,email,number,team
Ann Archer,ann@example.org,1001,The Aces
Bob <b>Baker</b>,bob@example.org,1002,The Aces
Carl Cook,carl@example.org,1003,The Cooks
"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True)
class Place:
    """An arena with a dashboard, and the key of an owner who may make events."""

    database: str
    address: str
    key: str


@pytest.fixture(scope="module")
def place(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    del chromium  # skips without it
    port, home = free_port(), tmp_path_factory.mktemp("arena")
    own = {
        "ARENA_DATABASE_URL": shared_database,
        "ARENA_HOME": str(home),
        "ARENA_ADDRESS": f"127.0.0.1:{port}",
        "ARENA_PORT": str(port),
    }

    async def lecturer() -> str:
        async with open_store(shared_database) as store:
            owner, key = await store.owners.sign_up("Lecturer", None)
            await store.organisers.allow(owner.name, "test")
            return key

    key = in_own_loop(lecturer())
    with ExitStack() as stack:
        serve = ["-m", "arena", "serve", "--port", str(port)]
        stack.enter_context(program(serve, home / "referee.log", own))
        yield Place(shared_database, stack.enter_context(dashboard(shared_database, **own)), key)


@pytest.fixture
def open_tab(place: Place, browser: Browser) -> Iterator[Callable[..., Page]]:
    with tabs(place.address, browser) as open_tab:
        yield open_tab


def field(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True).locator("visible=true").first


def sign_in(page: Page, path: str, key: str) -> None:
    page.goto(path)
    page.get_by_role("tab", name="I have a key").click()
    field(page, "Your key").fill(key)
    page.keyboard.press("Enter")


def shot(page: Page, name: str) -> None:
    """Keep a picture for whoever wants to look."""
    if folder := os.environ.get("ARENA_SHOTS"):
        page.screenshot(path=f"{folder}/organise-{name}.png", full_page=True)


async def enter(store: Store, key: str, event: str) -> Owner:
    """The captain of The Aces uploads a build, which waits for its check, and enters it."""
    owner = await store.owners.by_key(key)
    assert owner is not None
    await uploaded(store, owner, "ace")
    await store.events.enter(owner, event, "ace")
    return owner


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("look", "width"), [("dark", 390)])
def test_an_organiser_runs_a_course_and_a_student_reads_the_message(
    place: Place, open_tab: Callable[..., Page], tmp_path: Path, look: str, width: int
) -> None:
    view = {"viewport": {"width": width, "height": 900}, "color_scheme": look}
    page = open_tab(**view)
    name = f"course-{secrets.token_hex(3)}"
    roster = ROSTER.replace("The ", f"{secrets.token_hex(3)} ")
    team = roster.splitlines()[1].split(",")[3]
    other = roster.splitlines()[3].split(",")[3]
    sign_in(page, "/organise", place.key)
    expect(page.get_by_role("heading", name="Make an event")).to_be_visible()
    shot(page, f"make-{look}")
    field(page, "Name").fill(name)
    field(page, "Title").fill(f"A course of {look}")
    page.get_by_role("button", name="Make the event").locator("visible=true").click()
    expect(page.get_by_text(f"{name} is made")).to_be_visible()
    # What is wrong with a text stands below it.
    page.get_by_role("tab", name="By an event.toml").click()
    field(page, "Name").fill("wrong")
    text = field(page, "event.toml")
    text.fill(text.input_value().replace("seats = 2", "seats = 99"))
    page.get_by_role("button", name="Make the event").locator("visible=true").click()
    expect(page.get_by_text("final.seats is 99")).to_be_visible()
    shot(page, f"wrong-{look}")

    page.goto(f"/organise?event={name}")
    expect(page.get_by_role("heading", name=f"A course of {look}")).to_be_visible()
    page.get_by_text("Add people to the roster").click()
    field(page, "The roster as CSV").fill(roster)
    page.get_by_role("button", name="Make keys for those who are new").click()
    expect(page.get_by_text("3 are new.")).to_be_visible()
    with page.expect_download() as got:
        page.get_by_role("button", name="Download the keys").click()
    keys = list(csv.DictReader(Path(got.value.path()).read_text().splitlines()))
    assert [(one["team"], one["role"]) for one in keys] == [
        (team, "captain"),
        (team, "member"),
        (other, "captain"),
    ]
    page.get_by_role("button", name="I have stored them: add these people").click()
    expect(page.get_by_text("3 are on the roster now.")).to_be_visible()

    async def entered() -> None:
        async with open_store(place.database) as store:
            owner = await store.owners.by_key(keys[0]["key"])
            assert owner is not None
            bot = f"ace-{look}"
            await uploaded(store, owner, bot)
            await store.events.enter(owner, name, bot)

    in_own_loop(entered())
    page.goto(f"/organise?event={name}")
    lines = page.locator(".ba-participants tbody tr")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("Bob <b>Baker</b>")  # as text
    expect(lines.first).to_contain_text("v1 checking")
    expect(lines.last).to_contain_text("not entered")
    shot(page, f"course-{look}")
    assert page.evaluate(OVERFLOW) <= 0
    page.get_by_text("No accepted build", exact=True).click()
    expect(lines).to_have_count(1)
    expect(lines.first).to_contain_text(f"ace-{look}")
    with page.expect_download() as got:
        page.get_by_role("button", name="This one as CSV").click()
    shown = list(csv.DictReader(Path(got.value.path()).read_text().splitlines()))
    assert [(one["name"], one["state"]) for one in shown] == [
        ("Ann Archer", "checking"),
        ("Bob <b>Baker</b>", "checking"),
    ]
    field(page, "Message").fill("Your build waits.\n<i>Patience</i>.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text(f"Sent to {team}.")).to_be_visible()
    shot(page, f"sent-{look}")

    student = open_tab(**view)
    sign_in(student, "/my-bots", keys[1]["key"])
    expect(student.get_by_role("heading", name="New messages")).to_be_visible()
    expect(student.get_by_text("<i>Patience</i>.")).to_be_visible()
    expect(student.get_by_text("Lecturer, organiser of A course")).to_be_visible()
    shot(student, f"student-{look}")
    student.get_by_role("button", name="Mark as read").click()
    expect(student.get_by_role("heading", name="New messages")).to_have_count(0)
    # Students see neither the page nor the names of others.
    student.goto(f"/organise?event={name}")
    expect(student.get_by_text(f"You do not organise {name}")).to_be_visible()
    assert "Carl Cook" not in student.content()
    carl = open_tab(**view)
    sign_in(carl, "/my-bots", keys[2]["key"])
    expect(carl.get_by_text("You have no bot yet.")).to_be_visible()
    expect(carl.get_by_role("heading", name="New messages")).to_have_count(0)


@needs_axe
def test_the_organisers_page_is_accessible(place: Place, open_tab: Callable[..., Page]) -> None:
    page = open_tab()
    sign_in(page, "/organise", place.key)
    expect(page.get_by_role("heading", name="Make an event")).to_be_visible()
    assert_nothing_serious(page)
