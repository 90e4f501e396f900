"""A person plays whole matches of every game in a real browser, against sample bots."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from arena.games import GAMES
from tests.bot_programs import bot_program
from tests.browser.axe import assert_nothing_serious_in_light_and_dark, needs_axe
from tests.browser.playground import OPPONENTS, Playground, open_playground, play_on, sit_down

LOOKS = [("wide", 1440, 900, "light"), ("phone", 390, 844, "dark")]


@pytest.fixture(scope="module")
def place(
    shared_database: str, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Playground]:
    with open_playground(shared_database, tmp_path_factory.mktemp("arena")) as place:
        yield place


@pytest.mark.parametrize(("look", "width", "height", "scheme"), LOOKS)
@pytest.mark.parametrize("game", list(GAMES))
def test_a_person_plays_a_whole_match_and_watches_its_replay(
    game: str,
    look: str,
    width: int,
    height: int,
    scheme: str,
    place: Playground,
    open_tab: Callable[..., Page],
    request: pytest.FixtureRequest,
) -> None:
    shots = os.environ.get("ARENA_SHOTS")
    page = open_tab(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        has_touch=look == "phone",
    )

    def shot(name: str) -> None:
        if shots is not None:
            page.screenshot(path=f"{shots}/{game}-{look}-{name}.png")

    sit_down(page, game)
    turns = play_on(page, shot)
    shot("over")
    assert turns > 0
    row = place.newest()
    assert (row.game, row.casual, row.rated) == (game, True, False)
    assert sorted(seat.bot for seat in row.seats) == sorted(["person", OPPONENTS[game]])
    (mine,) = (seat for seat in row.seats if seat.bot == "person")
    assert mine.faults == 0
    told = page.locator(".ending h3").text_content()
    assert told == ("You win." if mine.placing == 1 else "You take 2nd place of 2.")
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.locator(".player svg.table g.seat").first).to_be_visible()
    expect(page.get_by_text("unrated", exact=True)).to_be_visible()


def test_a_match_is_played_by_keys_alone_and_left(open_tab: Callable[..., Page]) -> None:
    page = open_tab()
    sit_down(page, "bluff")
    expect(page.locator(".person.asked .choices")).to_be_visible()
    with page.expect_response("**/answer") as answered:
        page.keyboard.press("1")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    assert answered.value.status == 200
    page.get_by_role("button", name="Leave").first.click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()


@needs_axe
@pytest.mark.parametrize("game", list(GAMES))
def test_nothing_serious_bars_anybody_from_playing(
    game: str, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    page.goto(f"/play?game={game}")
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()
    assert_nothing_serious_in_light_and_dark(page)
    sit_down(page, game)
    expect(page.locator(".person.asked .choices")).to_be_visible()
    assert_nothing_serious_in_light_and_dark(page)
    page.get_by_role("button", name="Leave").first.click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()


def test_everything_to_press_is_large_enough_for_a_finger_and_nothing_runs_out_of_a_phone(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab(viewport={"width": 390, "height": 844}, has_touch=True)
    sit_down(page, "bluff")
    expect(page.locator(".person.asked .choices")).to_be_visible()
    for button in page.locator(".person button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, button.text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".person .log").scroll_into_view_if_needed()
    log, go = (page.locator(f".person {one}").bounding_box() for one in (".log", ".choices .go"))
    assert log is not None and go is not None
    assert go["y"] + go["height"] <= log["y"]


def test_the_browser_is_sent_what_the_seat_knows_and_no_address_tells_its_key(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab()
    asked: list[str] = []
    keys: set[str] = set()

    def note(request: Request) -> None:
        asked.append(request.url)
        keys.add(request.headers.get("x-arena-person", ""))

    page.on("request", note)
    sit_down(page, "bluff")
    expect(page.locator(".person.asked .choices")).to_be_visible()
    (url,) = {url for url in asked if url.endswith("/news")}
    (key,) = keys - {""}
    assert len(key) >= 32
    assert not [one for one in (*asked, page.url) if key in one]
    told = page.evaluate(
        """url => new Promise(done => {
            const news = new EventSource(url);
            news.onmessage = event => { news.close(); done(event.data); };
        })""",
        url,
    )
    news = json.loads(told)
    seats = news["frames"][-1]["table"]["seats"]
    (other,) = (seat for seat in seats if seat != news["match"]["view"])
    assert (seats[other]["dice"], seats[other]["hidden"]) == ([], 5)
    assert len(seats[news["match"]["view"]]["dice"]) == 5
    answer = page.evaluate(
        """async url => (await fetch(url, {method: "POST", body: "{}"})).status""",
        url.replace("/news", "/answer"),
    )
    assert answer == 400
    assert f"arena_person={key}" not in page.evaluate("document.cookie")
    nobody = open_tab()
    nobody.goto("/play")
    for path, method, status in (
        *(("here", "POST", 404), ("news", "GET", 204), ("answer", "POST", 404)),
    ):
        found = nobody.evaluate(
            "async ([path, method]) => (await fetch(path, {method})).status",
            [f"/person/{path}", method],
        )
        assert found == status


def log(page: Page) -> list[str]:
    return page.locator(".person .log .said").all_text_contents()


def test_a_page_that_is_loaded_again_comes_back_to_its_match_and_to_its_end(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab()
    sit_down(page, "bluff")
    asked = page.locator(".person.asked .choices")
    expect(asked).to_be_visible()
    told = log(page)
    page.reload()
    expect(asked).to_be_visible()
    assert told and log(page) == told
    play_on(page, lambda _: None)
    ending = page.locator(".ending h3").text_content()
    page.reload()
    expect(page.get_by_role("link", name="Watch the replay")).to_be_visible()
    assert page.locator(".ending h3").text_content() == ending
    # Who leaves has left: the next visit begins anew.
    expect(page.get_by_role("button", name="Leave")).to_have_count(0)
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()
    expect(page.get_by_text("you were away")).not_to_be_attached()


def test_the_options_of_the_game_are_chosen_within_its_bounds(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab()
    page.goto("/play?game=bluff")
    page.get_by_text("Options of the game").click()
    dice = page.get_by_label("Dice per player", exact=True)
    expect(dice).to_have_value("5")
    assert (dice.get_attribute("min"), dice.get_attribute("max")) == ("1", "16")
    dice.fill("2")
    dice.press("Enter")
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator(".person.asked .choices")).to_be_visible()
    expect(page.locator(".person svg.table")).to_contain_text("4 dice in play")
    page.get_by_role("button", name="Leave").first.click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()


THINKER = """
import os

from arena.bot import run
from arena_sample_bots.honest import Honest


class Thinker(Honest):
    def act(self, turn):
        bets = turn.view.bets
        with open(os.environ["THOUGHTS"], "a") as thoughts:
            print(bets[-1].bet if bets else "nothing", file=thoughts)
        with open(os.environ["PERMISSIONS"]) as permissions:
            permissions.read(1)
        return super().act(turn)


run(Thinker)
"""
"""Says on which bet it thinks, and answers once it is permitted to."""


def test_what_the_others_do_is_seen_while_a_slow_bot_still_thinks(
    open_tab: Callable[..., Page], place: Playground, tmp_path: Path
) -> None:
    bot, thoughts, permissions = tmp_path / "bot.py", tmp_path / "thoughts", tmp_path / "may"
    bot.write_text(THINKER)
    thoughts.touch()
    os.mkfifo(permissions)
    thinker = bot_program(
        [sys.executable, str(bot), "--challenges"],
        place.referee,
        place.token("thinker"),
        log=tmp_path / "log",
        environment={"THOUGHTS": str(thoughts), "PERMISSIONS": str(permissions)},
    )
    page = open_tab()
    with thinker:
        choose_beside_honest(page, "thinker")
        page.get_by_role("button", name="Sit down").click()
        asked = page.locator(".person.asked .choices")
        permitted = 0
        while True:
            found = thoughts.read_text().splitlines()
            if len(found) > permitted and found[-1] != "nothing":
                break
            if len(found) > permitted:
                permitted += 1
                with permissions.open("w") as permission:
                    permission.write(".")
            elif asked.is_visible():
                bet_as_little_as_possible(page)
            page.wait_for_timeout(20)
        bet = found[-1].replace("*", "★")
        expect(page.locator(".person .log .said").last).to_contain_text(f"bets {bet}")
        expect(page.locator(".person .told")).to_contain_text(f"bets {bet}")
        expect(asked).not_to_be_visible()
        page.get_by_role("button", name="Leave").first.click()
        expect(page.get_by_role("button", name="Sit down")).to_be_visible()


def choose_beside_honest(page: Page, bot: str) -> None:
    """Choose a second opponent, once it has connected."""
    opponents = page.get_by_role("combobox", name="Opponents")
    option = page.get_by_role("option", name=bot)
    for _ in range(50):
        page.goto("/play?game=bluff")
        opponents.click()
        expect(page.get_by_role("listbox")).to_be_visible()
        if option.is_visible():
            break
    option.click()
    page.keyboard.press("Escape")


def bet_as_little_as_possible(page: Page) -> None:
    rows, go = page.locator(".person.asked .choice-row"), page.locator(".person.asked .go")
    with page.expect_response("**/answer"):
        rows.first.locator(".choice").last.click()
        if go.is_disabled():
            rows.nth(1).locator(".choice").first.click()
        go.click()
