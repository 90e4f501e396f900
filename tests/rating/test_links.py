"""Groups of bots that results connect, against the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from arena.rating.links import strong_groups

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
