"""A whole course on the pages: an operator runs it, students take part, anybody checks it."""

import csv
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from arena.server.app.store import Store, open_store
from tests.browser.axe import assert_nothing_serious, needs_axe
from tests.browser.conftest import attach, dashboard
from tests.browser.playground import in_own_loop, program
from tests.browser.select_boxes import choose
from tests.databases import plain
from tests.free_port import free_port
from tests.jobs import accept_build
from tests.server.events.cups import let_pass, played_out, uploaded

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True)
class Place:
    """An arena with a dashboard, and the key of an operator."""

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
        "ARENA_SIGNUP": "open",
    }

    async def operator() -> str:
        async with open_store(shared_database) as store:
            owner, key = await store.owners.sign_up("Lecturer", None)
            await store.owners.make_operator(owner.name, "test")
            return key

    key = in_own_loop(operator())
    with ExitStack() as stack:
        serve = ["-m", "arena", "serve", "--port", str(port)]
        stack.enter_context(program(serve, home / "referee.log", own))
        yield Place(shared_database, stack.enter_context(dashboard(shared_database, **own)), key)


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


def sees(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.get_by_text(words).locator("visible=true").first).to_be_visible()


class Course:
    """The event of a test; behind its back time passes, builds are accepted and blocks played."""

    def __init__(self, place: Place, name: str) -> None:
        self.name = name
        self._database = place.database

    def _do(self, what: Callable[[Store, "psycopg.Connection[Any]"], Awaitable[None]]) -> None:
        async def run() -> None:
            async with open_store(self._database) as store:
                with psycopg.connect(plain(self._database), autocommit=True) as sql:
                    await what(store, sql)
                    sql.execute("SELECT pg_notify('arena_events', '')")

        in_own_loop(run())

    def accept(self, bot: str) -> None:
        """The check accepts the newest build of a bot."""
        self._do(lambda store, _: accept_build(store, self._database, bot))

    def enter_another(self, bot: str, code: str) -> None:
        """Another student enters."""

        async def enter(store: Store, _sql: object) -> None:
            owner, _ = await store.owners.sign_up(bot, None)
            await uploaded(store, owner, bot)
            await accept_build(store, self._database, bot)
            await store.events.enter(owner, self.name, bot, code=code)

        self._do(enter)

    def pass_time(self, days: float) -> None:
        async def later(_store: Store, sql: "psycopg.Connection[Any]") -> None:
            let_pass(sql, self.name, days)

        self._do(later)

    def play(self) -> None:
        """A worker plays the final to its end."""

        async def out(store: Store, sql: "psycopg.Connection[Any]") -> None:
            await store.finals.keep(store.record)
            await played_out(store, sql, (await store.events.named(self.name))[0])

        self._do(out)


def make(page: Page, name: str, title: str) -> str:
    """Make an event by the form, for owners with a code and the roster; return its link."""
    field(page, "Name").fill(name)
    field(page, "Title").fill(title)
    page.get_by_role("combobox", name="Who may enter").click()
    page.get_by_role("option", name="Owners with a code").click()
    field(page, "Most builds of a bot a day (0: any number)").fill("3")
    field(page, "Deal blocks of a pairing").fill("2")
    page.get_by_role("button", name="Make the event").locator("visible=true").click()
    sees(page, f"{name} is made")
    link = page.get_by_role("link", name="events?name=").get_attribute("href")
    assert link is not None
    return link


def enroll(page: Page, name: str, roster: str) -> list[dict[str, str]]:
    """Add people to the roster; return them with their keys."""
    page.goto(f"/organise?event={name}")
    page.get_by_text("Add people to the roster").click()
    field(page, "The roster as CSV").fill(roster)
    page.get_by_role("button", name="Make keys for new people").click()
    sees(page, "2 are new.")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download the keys").click()
    keys = list(csv.DictReader(Path(got.value.path()).read_text().splitlines()))
    page.get_by_role("button", name="I have stored them: add these people").click()
    sees(page, "2 are on the roster now.")
    return keys


def upload(page: Page, text: str) -> None:
    file = FilePayload(name="ace.py", mimeType="text/x-python", buffer=text.encode())
    attach(page, file)
    page.get_by_role("button", name="Submit this build").click()


@pytest.mark.timeout(240)
def test_a_course_from_its_announcement_to_a_final_that_anybody_checks(
    place: Place, open_tab: Callable[..., Page], tmp_path: Path
) -> None:
    view = {"viewport": {"width": 390, "height": 900}, "color_scheme": "dark"}
    mark = secrets.token_hex(3)
    name, ace, late = f"course-{mark}", f"ace-{mark}", f"{mark} Cooks"
    course = Course(place, name)

    # The operator makes it and enrolls two people; students get a link.
    operator = open_tab(**view)
    sign_in(operator, "/organise", place.key)
    link = make(operator, name, "A course")
    roster = f"name,email,number,team\nBob <b>Baker</b>,b@example.org,1002,{late}\n"
    keys = enroll(operator, name, roster + f"Carl Cook,c@example.org,1003,{late}\n")
    assert [(one["team"], one["role"]) for one in keys] == [(late, "captain"), (late, "member")]

    # A student signs up, uploads a build, enters by the link, and is told what is left.
    student = open_tab(**view)
    student.goto("/submit")
    field(student, "Your name").fill(f"Ann {mark}")
    student.keyboard.press("Enter")
    sees(student, "This is your key")
    field(student, "Name of the bot").fill(ace)
    upload(student, "# the first")
    sees(student, f"{ace}, version 1")
    course.accept(ace)
    student.goto(link)
    student.get_by_role("button", name="Enter", exact=True).click()
    sees(student, "Version 1 would play the final now.")
    sees(student, re.compile(r"counts if its check accepts it within 1[34] days"))
    student.goto("/submit")
    sees(student, "Builds left today (UTC): 2 of 3.")

    # The operator sees who is missing, and writes to them.
    course.enter_another(f"owl-{mark}", parse_qs(urlsplit(link).query)["code"][0])
    operator.goto(f"/organise?event={name}")
    sees(operator, "2 of 3 have entered, 2 with an accepted build")
    lines = operator.locator(".ba-participants tbody tr")
    expect(lines).to_have_count(3)
    operator.get_by_text("Not entered", exact=True).click()
    expect(lines).to_have_count(1)
    expect(lines.first).to_contain_text("Bob <b>Baker</b>")  # as text
    shot(operator, "missing")
    assert operator.evaluate(OVERFLOW) <= 0
    with operator.expect_download() as got:
        operator.get_by_role("button", name="This one as CSV").click()
    shown = list(csv.DictReader(Path(got.value.path()).read_text().splitlines()))
    assert [(one["name"], one["bot"]) for one in shown] == [
        ("Bob <b>Baker</b>", ""),
        ("Carl Cook", ""),
    ]
    field(operator, "Message").fill("You have not entered.\n<i>Hurry</i>.")
    operator.get_by_role("button", name="Send", exact=True).click()
    sees(operator, f"Sent to {late}.")
    carl = open_tab(**view)
    sign_in(carl, "/my-bots", keys[1]["key"])
    sees(carl, "<i>Hurry</i>.")
    carl.get_by_role("button", name="Mark as read").click()
    expect(carl.get_by_role("heading", name="New messages")).to_have_count(0)
    carl.goto(f"/organise?event={name}")  # students see neither the page nor the names of others
    sees(carl, f"You do not organise {name}")
    assert "Bob" not in carl.content()

    # The freeze refuses what is late, with its date; then the final is blind.
    course.pass_time(14.003)
    page = f"/events?name={name}"
    student.goto(page)
    sees(student, "builds are fixed")
    student.goto("/submit")
    choose(student, "Which bot it becomes", f"A new version of {ace}")
    upload(student, "# the second")
    sees(
        student,
        re.compile(rf"entered in {name}, whose builds were fixed at 20\d\d-\d\d-\d\d \d\d:"),
    )
    course.pass_time(0.01)
    course.play()
    student.goto(page)
    sees(student, "The final is played in secret.")
    expect(student.get_by_text("Points", exact=True)).to_have_count(0)

    # The results, and the archive from which anybody recomputes them.
    course.pass_time(1)
    sees(student, re.compile("Won by|First place is shared by"))
    sees(student, "Points ± half of their 95 % interval")
    shot(student, "released")
    assert student.evaluate(OVERFLOW) <= 0
    with student.expect_download() as got:
        student.locator(f'a[href$="/{name}.zip"]').click()
    archive = tmp_path / "course.zip"
    got.value.save_as(archive)
    verify = [sys.executable, "-m", "arena", "event", "verify", str(archive)]
    said = subprocess.run(verify, capture_output=True, text=True, check=True).stdout
    assert "1 pairing, 4 matches refereed again" in said


@needs_axe
def test_the_organisers_page_is_accessible(place: Place, open_tab: Callable[..., Page]) -> None:
    page = open_tab()
    sign_in(page, "/organise", place.key)
    expect(page.get_by_role("heading", name="Make an event")).to_be_visible()
    assert_nothing_serious(page)
