"""The trend of a ladder: what its latest matches changed."""

from arena.boards.trend import rating_trend
from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
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


def trend(
    before: list[tuple[VersionId, VersionId]], lately: list[tuple[VersionId, VersionId]]
) -> dict[VersionId, float]:
    whole, latest = Aggregate.of(log(*before, *lately)), Aggregate.of(log(*lately))
    return rating_trend(whole.without(latest), fit(whole, anchor=Anchor(ANCHOR)))


def test_a_bot_that_lately_won_rises_and_one_that_went_on_as_before_stays() -> None:
    before = even(ANCHOR, RISING, 100) + even(ANCHOR, STEADY, 100)
    gained = trend(before, [(RISING, ANCHOR)] * 30 + even(ANCHOR, STEADY, 7))
    assert gained[RISING] > 10
    assert abs(gained[STEADY]) < 3
    assert gained[ANCHOR] == 0


def test_a_bot_that_is_new_has_no_trend() -> None:
    assert set(trend(even(ANCHOR, STEADY, 100), even(ANCHOR, NEW, 5))) == {ANCHOR, STEADY}


def test_a_ladder_that_is_new_or_has_a_new_anchor_has_none() -> None:
    assert trend([], even(ANCHOR, STEADY, 50)) == {}
    assert trend(even(RISING, STEADY, 100), even(ANCHOR, STEADY, 5)) == {}


def test_what_is_left_without_the_latest_is_what_was_before() -> None:
    before, lately = even(ANCHOR, RISING, 3), [(STEADY, ANCHOR), (RISING, STEADY)]
    left = Aggregate.of(log(*before, *lately)).without(Aggregate.of(log(*lately)))
    then = Aggregate.of(log(*before))
    assert left.wins[:2, :2].tolist() == then.wins.tolist()
    assert left.matches.tolist() == [*then.matches.tolist(), 0]
    assert left.wins[2].sum() == left.wins[:, 2].sum() == 0
