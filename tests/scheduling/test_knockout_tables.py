"""Knockout at larger tables: full tables, the better half goes on, one is left."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling.knockout import MOST_EXTRA_BLOCKS, Decision
from arena.scheduling.knockout_tables import Stage, TableKnockout, stages
from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from tests.scheduling.playing import chance, drawn, play_out, stronger_wins
from tests.thoroughness import tries


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    """Field and seats."""
    seats = draw(st.integers(3, 8))
    return draw(st.integers(seats, 60)), seats


@given(sizes())
def test_every_round_is_smaller_and_the_last_is_one_full_table(size: tuple[int, int]) -> None:
    field, seats = size
    found = stages(field, seats)
    left = field
    for stage in found:
        assert stage.byes + len(stage.through) * seats == left
        assert min(stage.through) >= 1 and max(stage.through) < seats
        assert max(stage.through) - min(stage.through) <= 1
        left = stage.survivors
    assert (found[-1], left) == (Stage(0, (1,)), 1)
    assert found[0].byes == (field % seats if field > seats else 0)
    assert all(stage.byes == 0 for stage in found[1:])


def test_the_rounds_of_some_fields() -> None:
    assert [stage.through for stage in stages(16, 4)] == [(2, 2, 2, 2), (2, 2), (1,)]
    assert [stage.through for stage in stages(27, 3)] == [(1,) * 9, (1,) * 3, (1,)]
    assert [stage.through for stage in stages(12, 6)] == [(3, 3), (1,)]
    assert stages(9, 4) == (Stage(1, (2, 1)), Stage(0, (1,)))
    assert stages(15, 4) == (Stage(3, (2, 2, 1)), Stage(0, (2, 2)), Stage(0, (1,)))
    assert stages(5, 4) == (Stage(1, (3,)), Stage(0, (1,)))


@pytest.mark.slow
@settings(max_examples=tries(50, quick=12))
@given(sizes(), st.integers(1, 3), st.data())
def test_who_goes_on_plays_or_has_a_bye_until_one_is_left(
    size: tuple[int, int], blocks: int, data: st.DataObject
) -> None:
    field, seats = size
    plan = TableKnockout(blocks, "s", seats, field)
    played = play_out(plan, field, chance(data))
    left = set(range(1, field + 1))
    for number in range(1, max(one.pairing.round for one in played) + 1):
        tables = [one for one in played if one.pairing.round == number]
        sitting = [entry for one in tables for entry in one.pairing.entries]
        assert sorted(sitting) == sorted(left)
        assert {len(one.pairing.entries) for one in tables} <= {seats, 1}
        left = set()
        for one in tables:
            decided = plan.decided(one)
            assert decided is not None
            total = dict(zip(one.pairing.entries, one.total(), strict=True))
            out = set(one.pairing.entries) - set(decided.through)
            assert min(total[entry] for entry in decided.through) >= max(
                (total[entry] for entry in out), default=Fraction(0)
            )
            left |= set(decided.through)
    (winner,) = left
    lines = plan.standings(field, played)
    rounds = len(stages(field, seats))
    assert (lines[0].entry, lines[0].rank, lines[0].points) == (winner, 1, rounds)
    assert [line.rank for line in lines].count(1) == 1
    assert {line.points for line in lines[1:]} == set(range(rounds))


@given(sizes())
def test_byes_go_to_the_best_seeded_in_the_first_round(size: tuple[int, int]) -> None:
    field, seats = size
    played = play_out(TableKnockout(1, "s", seats, field), field, stronger_wins)
    byes = [one.pairing for one in played if one.pairing.is_bye]
    assert {one.round for one in byes} <= {1}
    expected = field % seats if field > seats else 0
    assert sorted(one.entries[0] for one in byes) == list(range(1, expected + 1))


@given(sizes())
def test_the_best_are_apart_for_as_long_as_there_are_tables_enough(size: tuple[int, int]) -> None:
    field, seats = size
    played = play_out(TableKnockout(1, "s", seats, field), field, stronger_wins)
    for number, stage in enumerate(stages(field, seats), start=1):
        pairings = [one.pairing for one in played if one.pairing.round == number]
        playing = sorted(entry for one in pairings if not one.is_bye for entry in one.entries)
        best = set(playing[: len(stage.through)])
        for one in pairings:
            assert one.is_bye or len(best.intersection(one.entries)) == 1


@given(sizes())
def test_if_the_stronger_always_wins_the_best_seeded_wins(size: tuple[int, int]) -> None:
    field, seats = size
    plan = TableKnockout(1, "s", seats, field)
    lines = plan.standings(field, play_out(plan, field, stronger_wins))
    assert lines[0].entry == 1
    assert [line.entry for line in lines[:2]] == [1, 2]


def meeting(*blocks: tuple[int, ...], first: int = 1) -> PlayedPairing:
    """A first-round table of four; quarters of points by block."""
    scored = tuple(tuple(Fraction(own, 4) for own in block) for block in blocks)
    return PlayedPairing(Pairing(first, 1, (7, 2, 5, 4)), scored)


@pytest.mark.parametrize(
    ("played", "wanted", "through", "by"),
    [
        (meeting(), 2, None, None),
        (meeting((4, 3, 2, 1)), 2, None, None),
        (meeting((4, 3, 2, 1), (4, 3, 2, 1)), 2, (7, 2), Decision.POINTS),
        # Level at the top, where it does not matter: the better seeded is named first.
        (meeting((4, 4, 1, 1), (4, 4, 2, 1)), 2, (2, 7), Decision.POINTS),
        (meeting((4, 1, 1, 0), (4, 1, 1, 0)), 3, None, None),
        (meeting((4, 1, 1, 0), (4, 1, 1, 0), (0, 1, 2, 0)), 3, (7, 5), Decision.EXTRA_BLOCKS),
        (meeting(*[(4, 1, 1, 1)] * 7), 7, (7, 2), Decision.SEEDING),
        (meeting(*[(4, 3, 2, 1)] * 2, first=2), 2, (7,), Decision.POINTS),
    ],
)
def test_tables_are_played_on_until_it_is_clear_who_goes_on(
    played: PlayedPairing, wanted: int, through: tuple[int, ...] | None, by: Decision | None
) -> None:
    plan = TableKnockout(2, "s", 4, 8)
    assert plan.blocks_wanted(played) == wanted
    decided = plan.decided(played)
    assert (decided and decided.through, decided and decided.by) == (through, by)


def test_equals_are_decided_by_the_seeding_in_the_end() -> None:
    plan = TableKnockout(2, "s", 3, 9)
    played = play_out(plan, 9, drawn)
    assert {len(one.blocks) for one in played} == {2 + MOST_EXTRA_BLOCKS}
    assert plan.standings(9, played)[0].entry == 1


def test_the_next_round_waits_for_the_whole_of_this_one() -> None:
    plan = TableKnockout(1, "s", 3, 9)
    first = plan.next_pairings(9, [])
    assert first is not None
    played = [PlayedPairing(one, (stronger_wins(one),)) for one in first]
    assert plan.next_pairings(9, [*played[:-1], PlayedPairing(first[-1])]) == ()
    assert plan.next_pairings(9, played) == (plan.next_pairings(9, played[::-1]) or ())


def test_the_seed_and_nothing_else_makes_the_schedule() -> None:
    first, again, other = (
        [one.pairing for one in play_out(TableKnockout(1, seed, 3, 11), 11, drawn)]
        for seed in "aab"
    )
    assert first == again != other


def test_too_few_for_a_table_are_refused() -> None:
    with pytest.raises(FormatError, match="at least 4 bots"):
        TableKnockout(1, "s", 4, 3).check(3)
