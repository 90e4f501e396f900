"""The pages in a real browser: they render, and nothing is fetched from elsewhere. Needs Chromium,
which CI has."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from arena_dashboard.serving import index_page
from tests.browser.axe import assert_nothing_serious_in_light_and_dark, needs_axe

PATHS = (
    *("/", "/leaderboard", "/bot", "/bot?bot=alpha", "/matches", "/matches?sort=boldest"),
    *("/head-to-head", "/versus?bot=alpha&opponent=beta", "/history", "/replay", "/submit"),
    *("/tournaments", "/tournaments?name=cup"),
)
SHOWN = ".ba-table, .player, pre, [data-testid=stVegaLiteChart], [data-testid=stAlert]"
"""The content of a page."""


def test_the_leaderboard_shows_the_bots_and_their_intervals(page: Page) -> None:
    page.goto("/leaderboard")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    # Which of the other two is better, luck decides after so few matches.
    expect(rows.nth(2)).to_contain_text("beta")
    expect(rows.filter(has_text="honest")).to_contain_text("anchor")
    expect(page.get_by_text("measured from honest 1 = 1500")).to_be_visible()
    expect(page).to_have_title("Leaderboard · Bluff Arena")
    interval = rows.filter(has_text="alpha").get_by_role("img")
    expect(interval).to_have_attribute("aria-label", re.compile(r"^\d+ to \d+$"))
    assert interval.locator("i").evaluate("e => e.getBoundingClientRect().width") > 3
    head = page.get_by_role("button", name="Bot").evaluate("e => getComputedStyle(e).borderWidth")
    assert head == "0px"


def test_the_leaderboard_is_sorted_and_searched_in_the_page(page: Page) -> None:
    page.goto("/leaderboard")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Bot").click()
    expect(rows.first).to_contain_text("alpha")
    page.get_by_role("button", name="Bot").click()
    expect(rows.first).to_contain_text("honest")
    expect(page.get_by_role("columnheader", name="Bot")).to_have_attribute(
        "aria-sort", "descending"
    )
    page.get_by_role("searchbox").fill("BETA")
    expect(rows).to_have_count(1)
    expect(page.get_by_text("1 of 3 bots")).to_be_visible()


def test_links_lead_to_other_pages_and_back_without_reloading_the_app(page: Page) -> None:
    page.goto("/leaderboard")
    page.evaluate("window.stillHere = true")
    page.locator(".ba-table").get_by_role("link", name="beta").click()
    expect(page.get_by_role("heading", name="beta", exact=True)).to_be_visible()
    assert "bot?bot=beta" in page.url
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page).to_have_title(re.compile("^Bluff: .* · Bluff Arena$"))
    page.go_back()
    expect(page.get_by_role("heading", name="beta", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="Rating history")).to_be_visible()
    assert page.evaluate("window.stillHere") is True


WITHIN_SECTIONS = {
    "/?seen=1": ("Home", "Now playing"),
    "/leaderboard?game=bluff&score=first_place": ("Leaderboard", "Leaderboard"),
    "/bot?bot=alpha": ("Bots", "Bots"),
    "/bot?q=alp": ("Bots", "Bots"),
    "/matches?bot=alpha&sort=boldest&faults=1": ("Matches", "Matches"),
    "/tournaments?name=cup": ("Tournaments", "Tournaments"),
    "/play?game=bloeff": ("Play", "Play"),
    "/submit?seen=1": ("Submit a bot", "Submit a bot"),
}
"""Where a visitor may be, what the menu calls that section, and the heading of its start."""


@pytest.mark.parametrize("path", WITHIN_SECTIONS)
def test_the_menu_leads_to_the_start_of_the_section_in_which_one_is(page: Page, path: str) -> None:
    section, heading = WITHIN_SECTIONS[path]
    page.goto(path)
    page.evaluate("window.stillHere = true")
    menu = page.get_by_test_id("stTopNavLink").filter(has_text=section)
    assert_the_start_of_a_section_follows(page, path, menu, heading)


def test_the_menu_of_a_phone_leads_to_the_start_of_the_section_in_which_one_is(
    open_tab: Callable[..., Page],
) -> None:
    page = open_tab(viewport={"width": 390, "height": 844})
    page.goto("/bot?bot=alpha")
    page.evaluate("window.stillHere = true")
    page.get_by_test_id("stExpandSidebarButton").click()
    menu = page.get_by_test_id("stSidebarNavLink").filter(has_text="Bots")
    assert_the_start_of_a_section_follows(page, "/bot?bot=alpha", menu, "Bots")
    expect(menu).not_to_be_in_viewport()


def assert_the_start_of_a_section_follows(
    page: Page, path: str, menu: Locator, heading: str
) -> None:
    """A click on the menu's link leads there without reloading the app, and Back leads back."""
    main = page.get_by_test_id("stMain")
    expect(page.get_by_label("Theme")).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    menu.click()
    expect(page).to_have_url(re.compile(f"{re.escape(path.partition('?')[0])}$"))
    expect(main.get_by_role("heading", name=heading, exact=True, level=1)).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    assert not urlsplit(page.url).query  # nor did the page write it again
    page.go_back()
    expect(page).to_have_url(re.compile(f"{re.escape(path)}$"))
    assert page.evaluate("window.stillHere") is True


def test_the_menu_takes_the_filters_off_the_list_of_matches(page: Page) -> None:
    page.goto("/matches?bot=alpha&opponent=beta&game=bluff&sort=closest")
    order = page.get_by_role("combobox", name="Order")
    expect(order).to_have_value("Closest")
    filtered = page.locator(".ba-matches tbody tr").all_inner_texts()
    page.get_by_test_id("stTopNavLink").filter(has_text="Matches").click()
    expect(order).to_have_value("Newest")
    for filtered_by in ("Bot", "Opponent", "Game"):
        expect(page.get_by_role("combobox", name=filtered_by, exact=True)).to_have_value("")
    expect(page.get_by_role("link", name="Older")).to_be_visible()
    assert page.locator(".ba-matches tbody tr").all_inner_texts() != filtered


def test_times_are_local_and_relative_with_utc_as_their_title(page: Page) -> None:
    page.goto("/matches")
    time_of = page.locator("time[datetime]").first
    expect(time_of).to_have_text(re.compile("(ago|last|yesterday|just now|in )"))
    expect(time_of).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d .* UTC$"))


def test_a_theme_chosen_on_one_page_is_that_of_all_pages(open_tab: Callable[..., Page]) -> None:
    page = open_tab()
    page.goto("/matches")
    expect(page.get_by_role("heading", name="Matches")).to_be_visible()
    with page.expect_navigation():
        page.get_by_label("Theme").select_option("Dark")
    for path in ("/matches", "/"):
        page.goto(path)
        expect(page.locator(".ba-table").first).to_be_visible()
        colour = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        assert colour == "rgb(21, 23, 28)"


@pytest.mark.parametrize("path", index_page.NEEDED_BY)
def test_the_html_names_every_module_that_its_page_loads(page: Page, path: str) -> None:
    response = page.goto(f"/{path}")
    expect(page.locator(SHOWN).first).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    modules = {urlsplit(one).path for one in loaded if one.endswith(".js")}
    assert response is not None
    named = {f"/{one}" for one in re.findall(r'"\./([^"]+\.js)"', response.text())}
    assert modules - named == set()


def test_a_match_of_the_list_leads_to_its_replay(page: Page) -> None:
    page.goto("/matches")
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page.locator(".player svg.table")).to_be_visible()
    expect(page.get_by_text("dealing verified")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/leaderboard", "/matches", "/replay", "/submit"),
        *("/head-to-head", "/history", "/bot", "/bot?bot=alpha"),
        *("/tournaments", "/tournaments?name=cup"),
    ],
)
def test_no_page_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    expect(page.locator(SHOWN).first).to_be_visible()
    page.wait_for_timeout(500)
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('[data-testid=stMainBlockContainer] *')]"
        ".filter(e => !e.closest('pre, .ba-scroll table'))"
        ".map(e => e.getBoundingClientRect().right))"
    )
    assert widest <= 391


def test_on_a_phone_the_list_of_bots_tears_no_name_and_has_the_owner_under_it(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/bot")
    link = page.get_by_role("link", name="honest", exact=True)
    expect(link).to_be_visible()
    assert link.evaluate("e => e.getClientRects().length") == 1
    owner = page.locator(".ba-table tr").filter(has=link).get_by_text("arena").filter(visible=True)
    above, below = link.bounding_box(), owner.bounding_box()
    assert above is not None and below is not None
    assert below["y"] >= above["y"] + above["height"]


def test_on_a_phone_a_place_and_a_name_are_on_one_line_of_the_list_of_matches(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/matches?tournament=cup&bot=a_name_of_some_thirty_letters")
    seat = page.locator(".ba-placings li").filter(has_text="a_name_of_some_thirty_letters").first
    expect(seat).to_be_visible()
    # At once, for the page still grows.
    place, name = seat.evaluate(
        "e => [...e.querySelectorAll(':scope > span:first-child, a')]"
        ".map(one => one.getClientRects()[0].top)"
    )
    assert abs(place - name) < 4
    assert seat.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_what_does_not_count_says_why_without_a_mouse(page: Page) -> None:
    page.goto("/matches?tournament=cup")
    badge = page.locator("summary", has_text="unrated").first
    why = page.get_by_text("It was played for an unrated tournament").first
    expect(badge).to_be_visible()
    expect(why).to_be_hidden()
    badge.press("Enter")
    expect(why).to_be_visible()


def test_the_matrix_is_reached_and_scrolled_with_keys_alone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/head-to-head")
    matrix = page.get_by_role("region", name="Who beat whom")
    expect(matrix.locator(".ba-heat")).to_have_count(9)
    matrix.focus()
    expect(matrix).to_be_focused()
    # Whatever does not fit is one key away, inside the region.
    hidden = matrix.evaluate("e => e.scrollWidth - e.clientWidth")
    if hidden > 0:
        page.keyboard.press("ArrowRight")
        page.wait_for_function("e => e.scrollLeft > 0", arg=matrix.element_handle())


@needs_axe
@pytest.mark.parametrize("path", PATHS)
def test_no_page_has_a_serious_finding_of_axe(page: Page, path: str) -> None:
    page.goto(path)
    expect(
        page.locator(".ba-table, .player svg.table, pre, [data-testid=stVegaLiteChart]").first
    ).to_be_visible()
    assert_nothing_serious_in_light_and_dark(page)


def test_the_menu_of_a_phone_closes_when_a_page_is_chosen(open_tab: Callable[..., Page]) -> None:
    page = open_tab(viewport={"width": 390, "height": 844})
    page.goto("/")
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Matches").click()
    expect(page.get_by_role("heading", name="Matches", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stSidebarNavLink").first).not_to_be_in_viewport()


def test_home_leads_to_ladders_matches_and_tournaments(page: Page) -> None:
    page.goto("/")
    page.evaluate("window.stillHere = true")
    page.get_by_role("link", name="Bluff, 2 seats").click()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page.locator(".player svg.table")).to_be_visible()
    assert page.evaluate("window.stillHere") is True
