"""The trend of a ladder: what its latest matches changed."""

from arena.boards.trend import FEWEST_MATCHES, rating_trend
from arena.rating.results import Results
from arena.records import VersionId

ANCHOR, RISING, STEADY, NEW = (VersionId(number) for number in range(1, 5))


def log(*pairs: tuple[VersionId, VersionId]) -> Results[VersionId]:
    """Matches of two, each won by the first."""
    rows = [
        (number, None, ((winner, 1), (loser, 2))) for number, (winner, loser) in enumerate(pairs)
    ]
    return Results.of_rows(rows)


def even(one: VersionId, other: VersionId, rounds: int) -> list[tuple[VersionId, VersionId]]:
    return [(one, other), (other, one)] * rounds


def test_a_bot_that_lately_won_rises_and_one_that_went_on_as_before_stays() -> None:
    before = even(ANCHOR, RISING, 100) + even(ANCHOR, STEADY, 100)
    lately = [(RISING, ANCHOR)] * 30 + even(ANCHOR, STEADY, 7)
    trend = rating_trend(log(*before, *lately), anchor=ANCHOR)
    assert trend[RISING] > 10
    assert abs(trend[STEADY]) < 3
    assert trend[ANCHOR] == 0


def test_a_bot_that_is_new_has_no_trend() -> None:
    matches = even(ANCHOR, STEADY, 100) + even(ANCHOR, NEW, 5)
    assert set(rating_trend(log(*matches), anchor=ANCHOR)) == {ANCHOR, STEADY}


def test_a_ladder_of_few_matches_or_with_a_new_anchor_has_none() -> None:
    few = even(ANCHOR, STEADY, FEWEST_MATCHES // 2 - 1)
    assert rating_trend(log(*few), anchor=ANCHOR) == {}
    late = even(RISING, STEADY, 100) + even(ANCHOR, STEADY, 5)
    assert rating_trend(log(*late), anchor=ANCHOR) == {}
