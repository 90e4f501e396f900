"""Knockout: the bracket, byes, and ties that are decided."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.knockout import MOST_EXTRA_BLOCKS, Decision, Knockout, first_round
from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from tests.scheduling.playing import chance, drawn, entries, play_out, stronger_wins

fields = st.integers(2, 33)


def test_the_bracket_keeps_the_best_apart_for_longest() -> None:
    assert first_round(8) == [(1, 8), (4, 5), (2, 7), (3, 6)]
    assert first_round(6) == [(1,), (4, 5), (2,), (3, 6)]


@given(fields)
def test_byes_go_to_the_best_seeded_and_only_in_the_first_round(field: int) -> None:
    played = play_out(Knockout(1, "s"), field, stronger_wins)
    byes = sorted(one.pairing.entries[0] for one in played if one.pairing.is_bye)
    size = 1 << (field - 1).bit_length()
    assert byes == list(range(1, size - field + 1))
    assert all(one.pairing.round == 1 for one in played if one.pairing.is_bye)


@given(fields)
def test_if_the_stronger_always_wins_the_rounds_are_lost_in_the_order_of_the_seeding(
    field: int,
) -> None:
    plan = Knockout(1, "s")
    lines = plan.standings(field, play_out(plan, field, stronger_wins))
    assert [line.rank for line in lines if line.entry == 1] == [1]
    assert [line.rank for line in lines if line.entry == 2] == [2]
    semi_finalists = {line.entry for line in lines if line.rank <= 4}
    assert semi_finalists >= set(range(1, min(field, 4) + 1))


@pytest.mark.slow
@given(fields, st.integers(1, 4), st.data())
def test_losing_ends_it_and_one_remains(field: int, blocks: int, data: st.DataObject) -> None:
    plan = Knockout(blocks, "s")
    played = play_out(plan, field, chance(data))
    meetings = [one for one in played if not one.pairing.is_bye]
    assert len(meetings) == field - 1
    out: set[int] = set()
    for one in sorted(played, key=lambda one: one.pairing.round):
        decided = plan.decided(one)
        assert decided is not None
        assert not out.intersection(one.pairing.entries)
        out.update(set(one.pairing.entries) - {decided.winner})
    assert len(out) == field - 1
    assert entries(plan, field, played)[0] not in out


def meeting(*points: str) -> PlayedPairing:
    """3 against 2; what 3 scored in each block."""
    scored = tuple((Fraction(own), 1 - Fraction(own)) for own in points)
    return PlayedPairing(Pairing(1, 1, (3, 2)), scored)


@pytest.mark.parametrize(
    ("played", "wanted", "winner", "by"),
    [
        (meeting(), 2, None, None),
        (meeting("1"), 2, None, None),
        (meeting("1", "1/4"), 2, 3, Decision.POINTS),
        (meeting("1/4", "1/2"), 2, 2, Decision.POINTS),
        (meeting("1", "0"), 3, None, None),
        (meeting("1", "0", "1/2"), 4, None, None),
        (meeting("1", "0", "1/2", "0"), 4, 2, Decision.EXTRA_BLOCKS),
        (meeting(*["1/2"] * 7), 7, 2, Decision.SEEDING),
    ],
)
def test_level_pairings_are_played_on_until_they_are_not(
    played: PlayedPairing, wanted: int, winner: int | None, by: Decision | None
) -> None:
    plan = Knockout(2, "s")
    assert plan.blocks_wanted(played) == wanted
    decided = plan.decided(played)
    assert (decided and decided.winner, decided and decided.by) == (winner, by)


def test_equals_are_decided_by_the_seeding_in_the_end() -> None:
    plan = Knockout(2, "s")
    played = play_out(plan, 4, drawn)
    assert [len(one.blocks) for one in played] == [2 + MOST_EXTRA_BLOCKS] * 3
    assert entries(plan, 4, played) == [1, 2, 3, 4]


def test_both_halves_go_on_without_waiting_for_each_other() -> None:
    plan = Knockout(1, "s")
    first = plan.next_pairings(8, [])
    assert first is not None
    upper = [PlayedPairing(pairing, (stronger_wins(pairing),)) for pairing in first[:2]]
    added = plan.next_pairings(8, [*upper, *(PlayedPairing(pairing) for pairing in first[2:])])
    assert added is not None
    assert [(one.round, one.table, set(one.entries)) for one in added] == [(2, 1, {1, 4})]


def test_one_bot_alone_is_refused() -> None:
    with pytest.raises(FormatError, match="at least 2"):
        Knockout(1, "s").check(1)
