"""The trend of a ladder: what its latest matches changed."""

from random import Random

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.intervals import intervals
from arena.rating.results import Results
from arena.records import VersionId
from arena.server.boards.trend import rating_trend

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
    results = log(*before, *lately)
    whole = Aggregate.of(results)
    now = intervals(fit(whole, anchor=Anchor(ANCHOR)), results)
    return rating_trend(whole.without(Aggregate.of(log(*lately))), now)


def test_a_bot_that_lately_won_rises_and_one_that_went_on_as_before_has_no_trend() -> None:
    before = even(ANCHOR, RISING, 100) + even(ANCHOR, STEADY, 100)
    gained = trend(before, [(RISING, ANCHOR)] * 30 + even(ANCHOR, STEADY, 7))
    assert set(gained) == {RISING}
    assert gained[RISING] > 10
    assert set(trend(before, [(ANCHOR, RISING)] * 30)) == {RISING}


def test_what_may_be_chance_is_no_trend() -> None:
    before = even(ANCHOR, RISING, 20) + even(ANCHOR, STEADY, 20)
    # Three wins in a row move an Elo by some points, ten are more than luck.
    assert trend(before, [(RISING, ANCHOR)] * 3 + even(ANCHOR, STEADY, 3)) == {}
    assert RISING in trend(before, [(RISING, ANCHOR)] * 10 + even(ANCHOR, STEADY, 3))


def test_of_a_bot_most_of_whose_matches_are_the_latest_more_may_be_chance() -> None:
    before = even(ANCHOR, STEADY, 200) + even(ANCHOR, RISING, 1)
    assert trend(before, [(RISING, ANCHOR)] * 4) == {}
    assert RISING in trend(
        even(ANCHOR, STEADY, 200) + even(ANCHOR, RISING, 20), [(RISING, ANCHOR)] * 12
    )


def test_of_bots_that_play_as_ever_about_one_in_twenty_has_a_trend() -> None:
    random, shown, bots = Random(1), 0, [VersionId(number) for number in range(1, 9)]
    for _ in range(50):
        pairs = [(one, other) for one, other in (random.sample(bots, 2) for _ in range(600))]
        shown += len(trend(pairs[:540], pairs[540:]))
    assert 0.02 < shown / (50 * 7) < 0.08


def test_a_bot_that_is_new_has_no_trend() -> None:
    lately = [(NEW, ANCHOR)] * 20 + [(ANCHOR, STEADY)] * 20
    assert set(trend(even(ANCHOR, STEADY, 50), lately)) == {STEADY}


def test_a_ladder_that_is_new_or_has_a_new_anchor_has_none() -> None:
    assert trend([], [(STEADY, ANCHOR)] * 50) == {}
    assert trend(even(RISING, STEADY, 100), [(STEADY, RISING)] * 50 + even(ANCHOR, STEADY, 5)) == {}


def test_what_is_left_without_the_latest_is_what_was_before() -> None:
    before, lately = even(ANCHOR, RISING, 3), [(STEADY, ANCHOR), (RISING, STEADY)]
    left = Aggregate.of(log(*before, *lately)).without(Aggregate.of(log(*lately)))
    then = Aggregate.of(log(*before))
    assert left.wins[:2, :2].tolist() == then.wins.tolist()
    assert left.matches.tolist() == [*then.matches.tolist(), 0]
    assert left.wins[2].sum() == left.wins[:, 2].sum() == 0


def test_sums_that_are_newer_than_the_ratings_have_no_trend() -> None:
    results = log(*even(ANCHOR, STEADY, 50))
    now = intervals(fit(Aggregate.of(results), anchor=Anchor(ANCHOR)), results)
    newer = Aggregate.of(log(*even(ANCHOR, STEADY, 65)))
    assert rating_trend(newer, now) == {}
