"""The chart of how often a bot bluffs."""

import pytest

from arena_dashboard.bots.deception_tables import BluffPoint, bluff_chart


@pytest.mark.parametrize(("solved", "layers"), [(None, 2), (0.4, 3)])
def test_it_has_a_layer_for_the_equilibrium_only_where_one_is_known(
    solved: float | None, layers: int
) -> None:
    points = [
        BluffPoint("opening", 0.3, 0.2, 0.4, None, 50),
        BluffPoint("raising", 0.3, 0.2, 0.4, solved, 50),
    ]
    assert len(bluff_chart(points).to_dict()["layer"]) == layers
