"""Which lines of a long leaderboard are shown."""

from dataclasses import replace

import pytest

from arena.server.boards.board_page import around, page_of, place_of
from tests.dashboard.test_ladder_table import LINE


@pytest.mark.parametrize(
    ("place", "count", "most", "shown"),
    [
        (0, 3, 5, range(3)),
        (0, 10, 4, range(4)),
        (5, 10, 4, range(3, 7)),
        (9, 10, 4, range(6, 10)),
        (0, 0, 4, range(0)),
    ],
)
def test_a_bot_is_in_the_middle_of_the_lines_around_it(
    place: int, count: int, most: int, shown: range
) -> None:
    assert around(place, count, most) == shown


@pytest.mark.parametrize(
    ("place", "count", "most", "shown"),
    [
        (0, 3, 5, range(3)),
        (3, 10, 4, range(4)),
        (4, 10, 4, range(4, 8)),
        (99, 10, 4, range(8, 10)),
        (0, 0, 4, range(0)),
    ],
)
def test_a_page_has_its_place_whoever_is_looked_for(
    place: int, count: int, most: int, shown: range
) -> None:
    assert page_of(place, count, most) == shown


def test_a_bot_is_found_by_its_name_in_any_case() -> None:
    lines = [LINE, replace(LINE, bot="Straße")]
    assert place_of(lines, "STRASSE") == 1
    assert place_of(lines, "Strase") is None
