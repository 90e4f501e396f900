"""Groups of bots that results connect, against the definition."""

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
