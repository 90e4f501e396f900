"""Sums over what was played, and the standings they make."""

from fractions import Fraction

from arena.scheduling.pairings import (
    Pairing,
    PlayedPairing,
    blocks_by_entry,
    points_by_entry,
    ranked,
)

HALF, ONE, NOTHING = Fraction(1, 2), Fraction(1), Fraction(0)
PLAYED = (
    PlayedPairing(Pairing(1, 1, (1, 2)), ((ONE, NOTHING), (HALF, HALF))),
    PlayedPairing(Pairing(1, 2, (3,))),
    PlayedPairing(Pairing(2, 1, (3, 1)), ((ONE, NOTHING),)),
)


def test_points_are_summed_over_all_blocks_of_a_bot() -> None:
    assert points_by_entry(PLAYED) == {1: ONE + HALF, 2: HALF, 3: ONE}


def test_blocks_are_counted_by_bot() -> None:
    assert blocks_by_entry(PLAYED) == {1: 3, 2: 2, 3: 1}


def test_the_points_of_a_pairing_can_be_those_of_its_first_blocks() -> None:
    assert PLAYED[0].total() == (ONE + HALF, HALF)
    assert PLAYED[0].total(1) == (ONE, NOTHING)
    assert PLAYED[1].total() == (NOTHING,)


def test_standings_go_by_points_then_tie_breaks_and_share_a_rank_where_nothing_differs() -> None:
    points = {1: HALF, 2: ONE, 3: HALF, 4: HALF}
    tie_breaks = {1: NOTHING, 2: NOTHING, 3: ONE, 4: NOTHING, 5: ONE}
    lines = ranked(5, points, lambda entry: (tie_breaks[entry],), {2: 7})
    assert [(line.rank, line.entry) for line in lines] == [(1, 2), (2, 3), (3, 1), (3, 4), (5, 5)]
    assert [line.points for line in lines] == [ONE, HALF, HALF, HALF, NOTHING]
    assert [line.blocks for line in lines] == [7, 0, 0, 0, 0]


def test_only_a_table_of_one_is_a_bye() -> None:
    assert [one.pairing.is_bye for one in PLAYED] == [False, True, False]
