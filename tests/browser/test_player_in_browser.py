"""The player in a real browser: every way to a moment, from every viewpoint."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from arena.games import KITS
from arena.games.skull import Bid
from arena.match.transcript_json import read_json
from arena.records import FinishedMatch
from tests.browser.conftest import Site
from tests.browser.replays import at_step, watch

BENEATH_THE_TABLE = (
    "e => e.getBoundingClientRect().y - e.closest('.player').getBoundingClientRect().y"
)
GRADE = re.compile("^(best|fine|inaccurate|mistake|blunder)$")

CLAIMING = [name for name, kit in KITS.items() if kit.part("claims")]
"""The games whose claims are as likely as a view says; their first decision is one."""


def test_a_link_opens_a_moment_as_a_seat_saw_it(page: Page, site: Site) -> None:
    watch(page, site.matches[0], "&step=2&view=1")
    at_step(page, 2)
    expect(page.locator(".view[aria-pressed=true]")).to_have_count(1)
    seats = page.locator("svg.table g.seat")
    expect(seats.nth(0).locator(".die.hidden").first).to_be_visible()
    expect(seats.nth(1).locator(".die.hidden")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    at_step(page, 3)
    page.wait_for_url("**step=3**")
    assert "view=1" in page.url
    page.reload()
    at_step(page, 3)


@pytest.mark.parametrize("game", CLAIMING)
def test_a_link_without_a_step_opens_at_the_first_claim_and_play_goes_on_from_there(
    page: Page, site: Site, game: str
) -> None:
    match = site.others[game]
    watch(page, match)
    expect(page.locator("svg.table")).to_contain_text("claims")
    step = first_claim(match)
    at_step(page, step)
    page.wait_for_url(f"**step={step}**")
    page.get_by_role("button", name="Play (Space)").click()
    at_step(page, step + 1)
    watch(page, match, "&step=0")
    at_step(page, 0)


def first_claim(match: FinishedMatch) -> int:
    """The first step in which a seat claimed: in Skull a bid, in others the first decision here."""
    return next(
        number
        for number, step in enumerate(match.transcript.steps, 1)
        if isinstance(step.actor, int)
        and (match.transcript.setup.game != "skull" or isinstance(step.action, Bid))
    )


def test_twenty_fast_key_presses_move_twenty_steps(page: Page, site: Site) -> None:
    watch(page, site.others["bluff_you"], "&step=0")
    before = page.evaluate("history.length")
    for _ in range(20):
        page.keyboard.press("ArrowRight", delay=0)
        page.wait_for_timeout(30)
    at_step(page, 20)
    page.wait_for_url("**step=20**")
    assert page.evaluate("history.length") == before


def test_stepping_asks_the_server_nothing_and_a_viewpoint_once(page: Page, site: Site) -> None:
    sent: list[object] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda payload: sent.append(payload))

    page.on("websocket", listen)
    watch(page, site.others["bluff"])
    page.wait_for_timeout(500)
    sent.clear()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "End", "Home", " ", " "):
        page.keyboard.press(key)
    page.locator(".entry").nth(3).click()
    assert sent == []
    before = page.evaluate("history.length")
    page.keyboard.press("2")
    expect(page.locator(".view[aria-pressed=true]")).to_have_text(
        site.others["bluff"].transcript.setup.entrants[1].bot
    )
    page.wait_for_timeout(500)
    assert len(sent) == 1
    assert "view=1" in page.url and page.evaluate("history.length") == before
    at_step(page, 3)


def test_every_control_leads_to_its_moment(page: Page, site: Site) -> None:
    match = site.others["bluff"]
    last = len(match.transcript.steps)
    watch(page, match, "&step=0")
    at_step(page, 0)
    for name, step in (("Last (End)", last), ("Step back (←)", last - 1), ("First (Home)", 0)):
        page.get_by_role("button", name=name).click()
        at_step(page, step)
    page.get_by_role("button", name="Next round (Shift →)").click()
    at_step(page, 2)  # the starting roll is step 1
    page.get_by_role("slider").evaluate(
        "(e, at) => { e.value = at; e.dispatchEvent(new Event('input', {bubbles: true})) }", 4
    )
    at_step(page, 4)
    page.locator(".entry").nth(6).click()
    at_step(page, 6)
    chart = page.locator(".chart-picture")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] - 7, "y": 30})
    at_step(page, last)


def test_a_match_plays_to_its_end_and_again_in_a_loop(page: Page, site: Site) -> None:
    match = site.matches[0]
    last = len(match.transcript.steps)
    watch(page, match)
    for _ in range(4):
        page.keyboard.press("+")
    expect(page.get_by_role("button", name="Speed 60×")).to_be_visible()
    page.keyboard.press(" ")
    at_step(page, last)
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    page.keyboard.press("l")
    page.keyboard.press(" ")
    page.wait_for_timeout(400)
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


@pytest.mark.parametrize("game", CLAIMING)
def test_a_lie_is_seen_as_one_and_only_where_it_may_be(page: Page, site: Site, game: str) -> None:
    watch(page, site.others[game])
    expect(page.locator(".entry .tag.bad", has_text="bluff").first).to_be_attached()
    expect(page.locator(".mark.bluff").first).to_be_attached()
    page.locator(".entry", has=page.locator(".tag.bad", has_text="bluff")).first.click()
    expect(page.locator("svg.table .pill.bad")).to_contain_text("bluff")
    expect(page.locator("svg.table text.chance")).to_have_count(3)
    page.get_by_role("button", name="Seen by: Spectator").click()
    expect(page.locator(".view[aria-pressed=true]")).to_have_text("Spectator")
    expect(page.locator(".mark.bluff")).to_have_count(0)
    expect(page.locator("svg.table .pill.bad")).to_have_count(0)
    expect(page.locator("svg.table")).to_contain_text("P(true), Spectator")


def test_each_of_a_thousand_steps_is_shown_at_once(page: Page, site: Site) -> None:
    match = site.others["long"]
    last = len(match.transcript.steps)
    assert last >= 1000
    watch(page, match)
    # The new picture is there when the key has been handled; how long that takes, the benchmark of
    # the dashboard measures.
    shown = page.evaluate(
        """() => {
            const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot
            return ["End", "ArrowLeft", "ArrowLeft", "Home", "ArrowRight"].map(key => {
                document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))
                return Number(root.querySelector(".entry[aria-current] .number").textContent)
            })
        }"""
    )
    assert shown == [last, last - 1, last - 2, 0, 1]


def test_a_moment_is_saved_as_svg_and_as_png(page: Page, site: Site) -> None:
    watch(page, site.matches[0], "&step=3")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this moment as SVG").click()
    svg = Path(saved.value.path()).read_text()
    assert svg.startswith("<svg ") and "step 3" in svg and "class=" not in svg
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this moment as PNG").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    assert saved.value.suggested_filename.endswith("-3.png")


def test_the_transcript_is_saved_as_the_verifier_reads_it(page: Page, site: Site) -> None:
    watch(page, site.matches[0])
    with page.expect_download() as saved:
        page.get_by_role("button", name="Transcript").click()
    assert read_json(Path(saved.value.path()).read_bytes()) == site.matches[0].transcript


def test_the_next_match_of_the_block_is_a_page_of_its_own(page: Page, site: Site) -> None:
    first, second = (match.transcript.setup.match_id for match in site.matches[:2])
    watch(page, site.matches[0], "&step=2&view=spectator")
    page.get_by_role("link", name="next match").click()
    expect(page.get_by_role("link", name="previous match")).to_be_visible()
    at_step(page, first_claim(site.matches[1]))
    assert second in page.url and "view=spectator" in page.url
    page.go_back()
    expect(page.get_by_role("link", name="next match")).to_be_visible()
    assert first in page.url


def test_the_keys_are_told_and_belong_to_fields_where_one_types(page: Page, site: Site) -> None:
    watch(page, site.matches[0], "&step=0")
    page.keyboard.press("?")
    expect(page.get_by_role("note", name="Keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("note", name="Keys")).to_be_hidden()
    page.get_by_role("button", name="Step on (→)").focus()
    page.keyboard.press(" ")
    at_step(page, 1)
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def test_embedded_there_is_the_player_and_nothing_else(page: Page, site: Site) -> None:
    watch(page, site.matches[0], "&embed=1&step=2")
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(page.get_by_text("dealing verified")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("step=3"))
    page.keyboard.press("s")
    expect(page.locator(".view[aria-pressed=true]")).to_have_text("Spectator")
    assert "embed=1" in page.url
    expect(page.get_by_test_id("stHeader")).to_be_hidden()


@pytest.mark.parametrize(("width", "tall"), [(1440, 900), (390, 844)])
def test_an_analysis_grades_decisions_and_leads_to_the_worst(
    page: Page, site: Site, width: int, tall: int
) -> None:
    page.set_viewport_size({"width": width, "height": tall})
    match = site.matches[0]
    watch(page, match, "&step=2")
    expect(page.locator(".entry .better")).to_have_count(0)
    analysis = page.get_by_role("button", name="Analysis", exact=True)
    analysis.click()
    expect(page.locator(".chart-choice [aria-pressed=true]")).to_have_text("chance to win")
    expect(analysis).to_have_attribute("aria-pressed", "true")
    at_step(page, 2)
    assert "analysis=1" in page.url
    assert all(line.get_attribute("d") for line in page.locator(".chart .line").all())
    expect(page.locator(".chart").get_by_text("by what each seat knew")).to_be_visible()
    worst = page.get_by_role("button", name=re.compile(r"^Step \d+$"))
    step = int((worst.text_content() or "").removeprefix("Step "))
    worst.click()
    at_step(page, step)
    expect(page.locator(".graded .tag")).to_be_visible()
    expect(page.locator(".entry[aria-current] .better")).to_be_visible()
    picture = page.locator(".chart-picture")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] - 7, "y": 30})
    at_step(page, len(match.transcript.steps))
    page.keyboard.press("a")
    expect(analysis).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".graded")).to_have_count(0)
    assert "analysis=1" not in page.url


def test_an_analysis_tells_a_seat_of_its_own_decisions_and_a_spectator_of_none(
    page: Page, site: Site
) -> None:
    match = site.matches[0]
    watch(page, match, "&analysis=1&view=1")
    expect(page.locator(".entry .tag", has_text=GRADE).first).to_be_attached()
    graded = page.locator(".entry", has=page.locator(".tag", has_text=GRADE))
    steps = [int(text) for text in graded.locator(".number").all_text_contents()]
    assert steps and all(match.transcript.steps[step - 1].actor == 1 for step in steps)
    lines = [line.get_attribute("d") for line in page.locator(".chart .line").all()]
    assert [bool(line) for line in lines] == [False, True]
    page.keyboard.press("s")
    expect(page.locator(".costliest")).to_contain_text("hidden dice")
    expect(page.locator(".entry .tag", has_text=GRADE)).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_choosing_a_viewpoint_moves_nothing(
    open_tab: Callable[..., Page], site: Site, width: int
) -> None:
    page = open_tab(viewport={"width": width, "height": 844})
    for name in ("bluff", "bluff_you", "bloeff", "crowded", "sealed"):
        match_id = site.others[name].transcript.setup.match_id
        page.goto(f"/replay?match={match_id}&view=spectator")
        slider = page.locator(".player input[type=range]").first
        expect(slider).to_be_visible()
        views = page.locator(".player .views .view")
        expect(views).not_to_have_count(0)
        places = {}
        for button in views.all():
            button.click()
            expect(button).to_have_attribute("aria-pressed", "true")
            places[button.inner_text()] = slider.evaluate(BENEATH_THE_TABLE)
        assert len(set(places.values())) == 1, (name, places)
