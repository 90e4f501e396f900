"""Pages about a ladder of a thousand bots: each shows a part of it, and finds any bot."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.rating.ladder_id import LadderId
from arena_dashboard.ladders import comparison_data, comparison_tables, ladder_table
from arena_dashboard.ladders.comparison_tables import MATRIX_BOTS, MOST_OPPONENTS
from benchmarks.scale_load.filling import fill_database
from tests.dashboard.pages import component, html, ladder_bots, open_page, texts
from tests.databases import TEMPLATE, Copies

BOTS = 1_000
TWO = LadderId("bluff", "{}", (2,))


@pytest.fixture(scope="module")
def large(copies: Copies) -> Iterator[str]:
    with copies.of(TEMPLATE) as url:
        fill_database(url, BOTS, 4_000)
        yield url


@pytest.fixture(autouse=True)
def pages(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", large)


@pytest.mark.slow
def test_the_leaderboard_is_shown_page_by_page_or_around_a_bot() -> None:
    first = open_page("leaderboard")
    assert not first.exception
    best = ladder_bots(first)
    assert len(best) == ladder_table.MOST_ROWS
    assert "1 to 500 of 1,002" in html(first) and "page=1" in html(first)
    second = open_page("leaderboard", page="1")
    assert [row[1] for row in component(second, "ladder")["rows"]] == list(range(501, 1_001))
    last = open_page("leaderboard", page="99999")
    (*_, weakest) = ladder_bots(last)
    assert len(ladder_bots(last)) == 2
    sought = open_page("leaderboard", bot=weakest.upper())
    assert weakest in ladder_bots(sought)
    assert component(sought, "ladder")["sought"] == weakest
    assert "There is no bot" in texts(open_page("leaderboard", bot="nobody"))


@pytest.mark.slow
def test_the_matrix_and_the_numbers_are_those_of_a_page_of_bots() -> None:
    lines = comparison_data.ladder_details(TWO).board.lines
    app = open_page("head_to_head", bot=lines[700].bot)
    assert not app.exception
    page = html(app)
    assert page.count('scope="row"') == MATRIX_BOTS
    assert page.count("ba-heat ") == MATRIX_BOTS**2
    assert f'bot={lines[700].bot}"' in page and f'bot={lines[0].bot}"' not in page
    assert "701 to 725 of 1,002" in page
    assert len(page) < 200_000


@pytest.mark.slow
def test_a_bot_with_many_opponents_lists_those_next_to_it_in_rank() -> None:
    facts = comparison_data.ladder_details(TWO)
    compared, lines = facts.comparisons, facts.board.lines
    assert compared is not None
    # Everybody met everybody.
    everybody = replace(compared, matrix=replace(compared.matrix, wins=compared.matrix.wins + 1))
    page = comparison_tables.opponents(lines, everybody, lines[500].version_id, TWO)
    assert page.count("<tr>") == 1 + MOST_OPPONENTS
    assert "The 50 nearest in rank, of 1,002." in page
    assert f'bot={lines[490].bot}"' in page and f'bot={lines[400].bot}"' not in page
