"""Groups of bots that results connect, against the definition."""

from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from arena.rating.links import strong_groups, well_linked

GRAPHS = st.integers(1, 9).flatmap(
    lambda count: arrays.arrays(
        bool, (count, count), elements=st.integers(0, 3).map(lambda n: not n)
    )
)


@given(GRAPHS)
def test_groups_are_those_who_reach_each_other_the_largest_first(edges: np.ndarray) -> None:
    count = len(edges)
    reached = edges | np.eye(count, dtype=bool)
    for _ in range(count):
        reached = reached @ reached
    both = reached & reached.T
    groups = {tuple(np.flatnonzero(row).tolist()) for row in both}
    expected = sorted(groups, key=lambda group: (-len(group), group[0]))
    assert [tuple(group) for group in strong_groups(edges)] == expected


WEIGHTS = st.integers(1, 7).flatmap(
    lambda count: arrays.arrays(
        float, (count, count), elements=st.sampled_from([0.0, 0.0, 1.0, 2.5, 5.0, 9.0])
    )
)


@given(WEIGHTS)
def test_no_cut_between_two_of_a_well_linked_group_weighs_too_little(half: np.ndarray) -> None:
    upper = np.triu(half, 1)
    weights = upper + upper.T
    groups = well_linked(weights, 9.0)
    for chosen in range(1, 2 ** len(weights) - 1):
        inside = (chosen >> np.arange(len(weights))) & 1 == 1
        if weights[inside][:, ~inside].sum() < 9.0:
            assert not set(groups[inside]) & set(groups[~inside])


def cut_of(weights: np.ndarray, members: list[int]) -> float:
    """The weight of the lightest cut through the links among some bots."""
    inside = weights[np.ix_(members, members)]
    sides = ((number >> np.arange(len(members))) & 1 == 1 for number in range(1, 2 ** len(members)))
    return min((inside[side][:, ~side].sum() for side in sides if not side.all()), default=np.inf)


FEW_WEIGHTS = st.integers(1, 5).flatmap(
    lambda count: arrays.arrays(
        float, (count, count), elements=st.sampled_from([0.0, 1.0, 2.5, 3.0, 5.0])
    )
)


@given(FEW_WEIGHTS)
def test_a_group_is_a_largest_set_without_a_light_cut(half: np.ndarray) -> None:
    upper = np.triu(half, 1)
    weights = upper + upper.T
    bots = range(len(weights))
    expected = list(bots)
    for size in range(2, len(bots) + 1):
        for members in combinations(bots, size):
            if cut_of(weights, list(members)) >= 7.0:
                for bot in members:
                    expected[bot] = members[0]
    assert well_linked(weights, 7.0).tolist() == expected


def test_the_order_of_the_bots_does_not_matter() -> None:
    # All but bot 1 have enough links, but some of these are to bot 1.
    half = [[0, 8, 1, 8, 10], [0, 0, 1, 0, 6], [0, 0, 0, 12, 8], [0, 0, 0, 0, 3], [0, 0, 0, 0, 0]]
    weights = np.array(half, float) + np.array(half, float).T
    for order in permutations(range(5)):
        assert well_linked(weights[np.ix_(order, order)], 20.0).tolist() == [0, 1, 2, 3, 4]
        groups = well_linked(weights[np.ix_(order, order)], 18.0)
        linked = {
            bot for bot, group in zip(order, groups, strict=True) if (groups == group).sum() > 1
        }
        assert linked == {0, 2, 3, 4}


def test_bots_that_are_linked_well_are_one_group_and_others_are_none() -> None:
    # A ring of five with six clusters between neighbours, so twelve from each; one bot more, whose
    # eleven clusters are with two of them; and one alone.
    weights = np.zeros((7, 7))
    for at in range(5):
        weights[at, (at + 1) % 5] = 6.0
    weights[5, 0], weights[5, 1] = 5.0, 6.0
    weights += weights.T
    assert well_linked(weights, 12.0).tolist() == [0, 0, 0, 0, 0, 5, 6]
    assert well_linked(weights, 11.0).tolist() == [0, 0, 0, 0, 0, 0, 6]
    assert well_linked(weights, 13.0).tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_many_newcomers_do_not_make_each_other_established() -> None:
    weights = np.zeros((40, 40))
    weights[:10, :10] = 5.0
    weights[10:, 10:] = 0.5
    np.fill_diagonal(weights, 0.0)
    groups = well_linked(weights, 20.0)
    assert groups[:10].tolist() == [0] * 10
    assert groups[10:].tolist() == list(range(10, 40))
