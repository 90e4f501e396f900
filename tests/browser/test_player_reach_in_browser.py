"""The player on every screen and for everybody: on a phone, by keys alone, with a screen reader."""

import pytest
from playwright.sync_api import Page, expect

from arena.games import GAMES
from tests.browser.axe import assert_nothing_serious_in_light_and_dark, needs_axe
from tests.browser.conftest import Site
from tests.browser.replays import watch


def height(page: Page) -> float:
    box = page.locator(".player svg.table").bounding_box()
    assert box is not None
    return box["height"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("width", "tall"), [(1440, 900), (390, 844)])
def test_table_and_controls_are_above_the_fold_and_never_jump(
    page: Page, site: Site, game: str, width: int, tall: int
) -> None:
    page.set_viewport_size({"width": width, "height": tall})
    watch(page, site.others[game])
    first = height(page)
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        assert height(page) == first
    box = page.locator("svg.table").bounding_box()
    assert box is not None and box["y"] + box["height"] <= tall
    for control in page.locator(".buttons .control").all():
        place = control.bounding_box()
        assert place is not None and place["y"] + place["height"] <= tall
        assert place["width"] >= 44 and place["height"] >= 44


@pytest.mark.parametrize("name", ["bluff", "crowded"])
@pytest.mark.parametrize("width", [1440, 390])
def test_every_viewpoint_is_in_sight_however_many_and_long_the_names(
    page: Page, site: Site, name: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    match = site.others[name]
    watch(page, match)
    buttons = page.locator(".view").all()
    places = [place for one in buttons if (place := one.bounding_box()) is not None]
    assert len(places) == len(match.transcript.setup.entrants) + 3  # and the analysis
    table = page.locator("svg.table").bounding_box()
    scrubber = page.locator(".scrubber").bounding_box()
    assert table is not None and scrubber is not None
    assert table["y"] + table["height"] <= scrubber["y"]
    for place in places:
        assert place["x"] >= 0 and place["x"] + place["width"] <= width
        assert place["y"] + place["height"] <= table["y"]
        for other in places:
            beside = place["x"] + place["width"] <= other["x"] or place["x"] > other["x"]
            assert place is other or beside or place["y"] != other["y"]
    last = buttons[-2]
    last.click()
    expect(last).to_have_attribute("aria-pressed", "true")
    assert last.get_attribute("title") == f"Seen by: {match.transcript.setup.entrants[-1].bot}"


@pytest.mark.parametrize("width", [1280, 390])
def test_what_happens_has_room_over_the_table_and_moves_nothing(
    page: Page, site: Site, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    match = site.others["sealed"]
    watch(page, match, "&step=0")
    told = page.locator(".told")
    heights = set()
    # The last one has the results of all, which stand below, too.
    for _ in range(len(match.transcript.steps) - 1):
        needed, given = told.evaluate("e => [e.scrollHeight, e.clientHeight]")
        assert needed <= given + 1, told.inner_text()
        heights.add(given)
        page.keyboard.press("ArrowRight")
    assert len(heights) == 1


def test_on_a_phone_the_focus_is_never_out_of_sight(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    watch(page, site.others["bluff"])
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        name, sides, in_sight = page.evaluate(FOCUS)
        assert in_sight, (name, sides)
        seen.add(name)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_role("link", name="Leaderboard")).to_be_in_viewport()
    assert {"Seen by: Everything", "Analysis", "Play (Space)", "Copy a link to this moment"} <= seen


FOCUS = """() => {
    let one = document.activeElement
    while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    const { left, right, top, bottom } = one.getBoundingClientRect()
    const middle = [(left + right) / 2, (top + bottom) / 2]
    let on = document.elementFromPoint(...middle)
    while (on?.shadowRoot) on = on.shadowRoot.elementFromPoint(...middle)
    const name = one.getAttribute("aria-label") ?? one.textContent
    const around = each => each ? [each, ...around(each.parentNode ?? each.host)] : []
    const inSight = around(on).includes(one) || (on && around(one).includes(on))
    return [name, [left, right, top, bottom], inSight]
}"""
"""What has the focus, where it is, and whether it is what one sees there."""


@needs_axe
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_serious_bars_anybody_from_an_analysis(page: Page, site: Site, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    watch(page, site.matches[0], "&step=6&analysis=1")
    expect(page.locator(".costliest")).to_be_attached()
    assert_nothing_serious_in_light_and_dark(page, "{include: [['.stBidiComponent']]}")


@needs_axe
@pytest.mark.parametrize("game", GAMES)
def test_nothing_serious_bars_anybody_from_the_player(page: Page, site: Site, game: str) -> None:
    watch(page, site.others[game], "&step=6")
    assert_nothing_serious_in_light_and_dark(page, "{include: [['.stBidiComponent']]}")
