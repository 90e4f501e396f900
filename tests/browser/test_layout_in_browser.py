"""What a page shows stays where it is while the page fills."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import arena_dashboard
from tests.browser import shifts
from tests.browser.conftest import Site

LINES = """rows => rows.map((row) => {
  const middle = (box) => box.y + box.height / 2;
  const text = document.createRange();
  text.selectNodeContents(row.querySelector(".ba-number"));
  const dot = row.querySelector(".ba-interval b").getBoundingClientRect();
  return middle(dot) - middle(text.getClientRects()[0]);
})"""
"""How far below the middle of its row's first line of text each dot lies."""
PATHS = (
    *("/", "/leaderboard", "/bot", "/bot?q=alp", "/bot?bot=alpha", "/bot?bot=nobody"),
    *("/matches", "/matches?bot=alpha&sort=closest", "/matches?sort=boldest"),
    *("/tournaments", "/tournaments?name=cup", "/play", "/submit", "/my-bots"),
    *("/head-to-head", "/versus?bot=alpha&opponent=beta", "/history", "/replay"),
)


@pytest.mark.parametrize("width", [1280, 390])
def test_what_a_page_shows_stays_where_it_is_while_the_page_fills(
    open_tab: Callable[..., Page], site: Site, width: int
) -> None:
    page = open_tab(viewport={"width": width, "height": 844})
    shifts.listen(page)
    too_far = {}
    for path in (*PATHS, f"/replay?match={site.matches[0].transcript.setup.match_id}"):
        page.goto(path)
        shifts.filled(page)
        far, moved = shifts.moved(page)
        if far >= shifts.MOST:
            too_far[path] = (far, moved)
    assert too_far == {}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_dot_of_an_interval_lies_on_the_line_of_its_row(
    open_tab: Callable[..., Page], width: int
) -> None:
    page = open_tab(viewport={"width": width, "height": 844})
    page.goto("/leaderboard")
    rows = page.locator(".ba-table tbody tr")
    expect(rows).to_have_count(3)
    assert [far for far in rows.evaluate_all(LINES) if abs(far) > 1] == []


STYLE = Path(arena_dashboard.__file__).with_name("style.css")
FILLING = """<div data-testid="stVerticalBlock">
  <div id="first"><div data-testid="stSkeleton"></div></div>
  <div><a id="link" href="#">A link</a></div>
  <div><input id="field"></div>
</div>"""
"""An element whose script is still loading, and what follows it, as Streamlit draws it."""


def test_what_follows_an_element_is_hidden_for_four_seconds_at_most_and_not_from_who_is_there(
    browser: Browser,
) -> None:
    with browser.new_page() as page:
        page.set_content(f"<style>{STYLE.read_text()}</style>{FILLING}")
        link, field = page.locator("#link"), page.locator("#field")
        page.evaluate("document.querySelector('style').disabled = true")
        field.focus()
        page.evaluate("document.querySelector('style').disabled = false")
        expect(link).to_be_hidden()
        expect(field).to_be_visible()
        late = "one => one.parentElement.getAnimations().map(it => it.effect.getTiming().delay)"
        assert link.evaluate(late) == [4000]
        link.evaluate("one => one.parentElement.getAnimations()[0].finish()")
        expect(link).to_be_visible()
        page.set_content(f"<style>{STYLE.read_text()}</style>{FILLING}")
        expect(link).to_be_hidden()
        page.evaluate("document.querySelector('#first').textContent = 'It has come.'")
        expect(link).to_be_visible()
