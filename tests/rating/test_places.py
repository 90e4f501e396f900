"""Places where only some bots are ranked."""

from hypothesis import given
from hypothesis import strategies as st

from arena.rating.ladder import ladder
from arena.rating.ranks import LadderPlace, ladder_order, places
from tests.rating.test_intervals import measured_with

ELO = [100, 80, 60, 55, 0]
MEASURED = measured_with([float(elo) for elo in ELO], [10.0] * 5)
ORDER = ladder_order(MEASURED).tolist()


def test_where_all_are_ranked_the_places_are_those_of_the_ladder() -> None:
    assert places(MEASURED, ORDER, [True] * 5) == [
        LadderPlace(rank, one.rank_low, one.rank_high, one.band)
        for rank, one in enumerate(ladder(MEASURED).ratings, start=1)
    ]


def test_bots_that_are_not_ranked_leave_their_places_to_others() -> None:
    found = places(MEASURED, ORDER, [False, True, False, True, True])
    # 80 and 55 cannot be told apart at a standard error of 14.1 (27.7).
    assert found[1] == LadderPlace(rank=1, rank_low=1, rank_high=2, band=0)
    assert found[3] == LadderPlace(rank=2, rank_low=1, rank_high=2, band=0)
    assert found[4] == LadderPlace(rank=3, rank_low=3, rank_high=3, band=1)
    # The places that the others would have: 100 is better than 55, not surely better than 80.
    assert found[0] == LadderPlace(rank=1, rank_low=1, rank_high=2, band=0)
    assert found[2] == LadderPlace(rank=2, rank_low=1, rank_high=3, band=0)


@given(st.lists(st.booleans(), min_size=5, max_size=5))
def test_ranks_count_ranked_bots_alone(ranked: list[bool]) -> None:
    found = places(MEASURED, ORDER, ranked)
    ranks = [place.rank for place, counts in zip(found, ranked, strict=True) if counts]
    assert ranks == list(range(1, sum(ranked) + 1))
    for place, counts in zip(found, ranked, strict=True):
        assert 1 <= place.rank_low <= place.rank <= place.rank_high <= sum(ranked) + (not counts)
