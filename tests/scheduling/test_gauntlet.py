"""Gauntlet: the first of the field against all others."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.gauntlet import Gauntlet
from arena.scheduling.pairings import FormatError
from tests.scheduling.playing import drawn, entries, play_out, stronger_wins


@given(st.integers(2, 20), st.integers(2, 6), st.integers(1, 3))
def test_the_first_meets_all_others_equally_often(field: int, seats: int, cycles: int) -> None:
    if field < seats:
        return
    plan = Gauntlet(seats, 2, cycles, "s")
    played = play_out(plan, field, drawn)
    tables = [one.pairing.entries for one in played]
    assert all(1 in table and len(set(table)) == seats for table in tables)
    sat = Counter(entry for table in tables for entry in table if entry != 1)
    assert set(sat) == set(range(2, field + 1)) and len(set(sat.values())) == 1
    if seats == 2:
        assert set(sat.values()) == {cycles}
    assert sum(len(one.blocks) for one in played) == plan.expected_blocks(field)


def test_the_one_that_plays_most_does_not_lead_for_that() -> None:
    plan = Gauntlet(2, 1, 1, "s")
    played = play_out(plan, 4, lambda pairing: stronger_wins(pairing)[::-1])
    assert entries(plan, 4, played) == [2, 3, 4, 1]


def test_too_few_bots_are_refused() -> None:
    with pytest.raises(FormatError, match="at least 3 bots"):
        Gauntlet(3, 1, 1, "s").check(2)
