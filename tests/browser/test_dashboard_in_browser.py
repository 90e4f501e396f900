"""The pages in a real browser: they render, and nothing is fetched from elsewhere. Needs Chromium,
which CI has."""

import pytest
from playwright.sync_api import Page, expect


def test_the_leaderboard_shows_the_bots_and_their_intervals(page: Page) -> None:
    page.goto("/")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    # Which of the other two is better, luck decides after so few matches.
    expect(rows.nth(2)).to_contain_text("beta")
    expect(rows.filter(has_text="honest")).to_contain_text("anchor")
    expect(page.get_by_text("measured from honest 1 = 1500")).to_be_visible()
    expect(
        page.locator(
            "[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg"
        ).first
    ).to_be_visible()


def test_a_match_of_the_list_leads_to_its_replay(page: Page) -> None:
    page.goto("/matches")
    page.get_by_role("link", name="Replay of the match").first.click()
    expect(page.locator(".player svg.table")).to_be_visible()
    expect(page.get_by_text("dealing verified")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/matches", "/replay", "/submit"),
        *("/head-to-head", "/history", "/bot?bot=alpha"),
        *("/tournaments", "/tournaments?name=cup"),
    ],
)
def test_no_page_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    expect(
        page.locator(".ba-table, .player, pre, [data-testid=stVegaLiteChart]").first
    ).to_be_visible()
    page.wait_for_timeout(500)
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('[data-testid=stMainBlockContainer] *')]"
        ".filter(e => !e.closest('pre, .ba-scroll table'))"
        ".map(e => e.getBoundingClientRect().right))"
    )
    assert widest <= 391


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
