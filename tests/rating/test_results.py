"""The log: what it accepts, and that its columns hold what was put in."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from arena.rating.errors import ResultError
from arena.rating.results import NO_BLOCK, MatchColumns, MatchResult, Results
from tests.rating.leagues import matches_strategy, random_results


@pytest.mark.parametrize(
    ("seats", "fault"),
    [
        ([("A", 1)], "at least two"),
        ([("A", 1), ("A", 2)], "two seats"),
        ([("A", 1), ("B", 3)], "outside 1 to 2"),
        ([("A", 0), ("B", 1)], "outside 1 to 2"),
        ([("A", 2), ("B", 2)], "nobody in first place"),
    ],
)
def test_a_match_that_cannot_be_rated_is_refused(seats: list[tuple[str, int]], fault: str) -> None:
    with pytest.raises(ResultError, match=fault):
        MatchResult("m", tuple(seats))


def test_a_match_comes_once() -> None:
    log = Results([MatchResult("m", (("A", 1), ("B", 2)))])
    with pytest.raises(ResultError, match="m comes twice"):
        log.append(MatchResult("m", (("C", 1), ("B", 2))))
    assert len(log) == 1


@given(matches_strategy())
def test_the_log_gives_back_what_it_was_given(matches: list[MatchResult[str]]) -> None:
    log = Results(matches)
    assert list(log.matches()) == matches
    assert len(log) == len(matches)


def test_a_long_log_grows_without_losing_anything() -> None:
    rows = [(n, n // 4, [("A", 1 + n % 2), ("B", 2 - n % 2)]) for n in range(1000)]
    log = Results.of_rows(rows)
    (table,) = log.tables
    assert table.numbers.tolist() == list(range(1000))
    assert table.blocks.tolist() == [n // 4 for n in range(1000)]
    assert (table.placings[:, 0] == 1 + np.arange(1000) % 2).all()


def test_columns_and_rows_make_the_same_log() -> None:
    columns = random_results(np.random.default_rng(1), bots=8, matches=50, block=5)
    rows = Results(columns.matches())
    assert list(rows.matches()) == list(columns.matches())
    rows.append(MatchResult("new", ((0, 1), (1, 2)), "new block"))
    columns.append(MatchResult("new", ((0, 1), (1, 2)), "new block"))
    assert list(rows.matches())[-1] == list(columns.matches())[-1]
    with pytest.raises(ResultError):
        columns.append(MatchResult(3, ((0, 1), (1, 2))))


@pytest.mark.parametrize(
    ("bots", "placings", "fault"),
    [
        ([[0, 2]], [[1, 2]], "not in the list"),
        ([[0, 0]], [[1, 2]], "two seats"),
        ([[0, 1]], [[1, 3]], "outside"),
        ([[0, 1]], [[2, 2]], "first place"),
        ([[0]], [[1]], "at least two"),
    ],
)
def test_columns_are_checked_like_rows(
    bots: list[list[int]], placings: list[list[int]], fault: str
) -> None:
    table = MatchColumns(
        np.array(bots, np.int32),
        np.array(placings, np.int16),
        np.array([NO_BLOCK]),
        np.array([0]),
    )
    with pytest.raises(ResultError, match=fault):
        Results.of_tables("AB", [table])


def test_the_first_matches_are_a_log_of_their_own() -> None:
    log = Results.of_rows(
        [
            ("1", "x", [("A", 1), ("B", 2)]),
            ("2", None, [("C", 1), ("B", 2), ("A", 2)]),
            ("3", "x", [("B", 1), ("A", 2)]),
        ]
    )
    first = log.first(2)
    assert first.bots == ("A", "B", "C")
    assert [match.seats for match in first.matches()] == [
        (("A", 1), ("B", 2)),
        (("C", 1), ("B", 2), ("A", 2)),
    ]
    assert log.first(1).bots == ("A", "B")
    assert len(log.first(0)) == 0
    assert [match.block is None for match in log.first(3).matches()] == [False, True, False]


def test_a_sample_holds_whole_blocks_or_none_of_their_matches() -> None:
    rows = [
        (number, number // 3 if number < 60 else None, [("A", 1), (f"B{number % 7}", 2)])
        for number in range(90)
    ]
    log = Results.of_rows(rows)
    sample = log.every(4)
    assert len(log.every(1)) == 90
    sizes = Counter(match.block for match in sample.matches() if match.block is not None)
    assert set(sizes.values()) == {3}
    assert len(sizes) == 5
    assert 20 <= len(sample) <= 25
