"""Swiss: no rematches, one bye at most, floats no larger than they must be."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from arena.scheduling.swiss import Swiss, usual_rounds
from tests.scheduling.playing import chance, drawn, entries, play_out, stronger_wins
from tests.thoroughness import tries


def rounds_of(played: list[PlayedPairing]) -> list[list[Pairing]]:
    found: dict[int, list[Pairing]] = {}
    for one in played:
        found.setdefault(one.pairing.round, []).append(one.pairing)
    return [found[number] for number in sorted(found)]


def as_pairs(pairings: list[Pairing]) -> set[frozenset[int]]:
    return {frozenset(pairing.entries) for pairing in pairings}


def points_before(played: list[PlayedPairing], number: int) -> dict[int, Fraction]:
    """Pairing points from the rounds before, told independently of the format's own sums."""
    points: dict[int, Fraction] = defaultdict(Fraction)
    for one in played:
        if one.pairing.round < number:
            totals = one.total()
            for entry, own in zip(one.pairing.entries, totals, strict=True):
                if one.pairing.is_bye or own > min(totals):
                    points[entry] += Fraction(1)
                elif own == max(totals):
                    points[entry] += Fraction(1, 2)
    return points


def all_ways(entries: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not entries:
        yield []
        return
    first, *rest = entries
    for other in rest:
        for others in all_ways([entry for entry in rest if entry != other]):
            yield [(first, other), *others]


def badness(
    way: list[tuple[int, int]], met: Counter[frozenset[int]], points: dict[int, Fraction]
) -> tuple[Fraction | int, ...]:
    """Second byes, then rematches, then the bye's points, then floats."""
    byes = [pair for pair in way if 0 in pair]
    tables = [pair for pair in way if 0 not in pair]
    return (
        sum(met[frozenset(pair)] for pair in byes),
        sum(met[frozenset(pair)] for pair in tables),
        sum(points[max(pair)] for pair in byes),
        sum((points[one] - points[other]) ** 2 for one, other in tables),
    )


@settings(max_examples=tries(60, quick=15))
@given(st.integers(2, 16), st.data())
def test_everybody_plays_once_a_round_and_has_one_bye_at_most(
    field: int, data: st.DataObject
) -> None:
    played = play_out(Swiss(1, usual_rounds(field), "s"), field, chance(data))
    for pairings in rounds_of(played):
        playing = [entry for pairing in pairings for entry in pairing.entries]
        assert sorted(playing) == list(range(1, field + 1))
        assert sum(pairing.is_bye for pairing in pairings) == field % 2
    byes = [one.pairing.entries for one in played if one.pairing.is_bye]
    assert len(set(byes)) == len(byes)


@settings(max_examples=tries(60, quick=15))
@given(st.integers(4, 16), st.data())
def test_nobody_meets_again_in_the_rounds_that_can_always_be_paired(
    field: int, data: st.DataObject
) -> None:
    # Up to half the field's size, those who have not met can always be matched (Dirac 1952).
    rounds = (field + 1) // 2
    played = play_out(Swiss(1, rounds, "s"), field, chance(data))
    met = Counter(frozenset(one.pairing.entries) for one in played)
    assert set(met.values()) == {1}


@settings(max_examples=tries(40, quick=10))
@given(st.integers(2, 8), st.data())
def test_no_other_way_to_pair_a_round_is_better(field: int, data: st.DataObject) -> None:
    rounds = field if field % 2 else field - 1
    played = play_out(Swiss(1, rounds, "s"), field, chance(data))
    for number, pairings in enumerate(rounds_of(played), start=1):
        points = points_before(played, number)
        met = Counter(
            frozenset({*one.pairing.entries, *([0] if one.pairing.is_bye else [])})
            for one in played
            if one.pairing.round < number
        )

        everybody = list(range(1 - field % 2, field + 1))
        chosen = [(min(p.entries), max(p.entries)) for p in pairings if not p.is_bye]
        chosen += [(0, p.entries[0]) for p in pairings if p.is_bye]
        ways = [badness(way, met, points) for way in all_ways(everybody)]
        assert badness(chosen, met, points) == min(ways)


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    first = Swiss(1, 3, "s").next_pairings(8, [])
    assert first is not None
    assert as_pairs(list(first)) == {frozenset({n, n + 4}) for n in range(1, 5)}


def test_an_odd_fields_first_bye_is_its_last() -> None:
    first = Swiss(1, 3, "s").next_pairings(7, [])
    assert first is not None
    assert first[-1] == Pairing(1, 4, (7,))


def test_winners_meet_winners() -> None:
    played = play_out(Swiss(1, 2, "s"), 8, stronger_wins)
    assert as_pairs(rounds_of(played)[1]) == {
        frozenset(pair) for pair in ((1, 3), (2, 4), (5, 7), (6, 8))
    }


def test_who_floated_down_does_not_float_down_again() -> None:
    # Six bots; 1 to 3 win. Of three with a point one meets a lower group, in each round.
    played = play_out(Swiss(1, 4, "s"), 6, stronger_wins)
    last: set[int] = set()
    for number, pairings in enumerate(rounds_of(played), start=1):
        points = points_before(played, number)
        down = {
            max(pairing.entries, key=lambda entry: points[entry])
            for pairing in pairings
            if len({points[entry] for entry in pairing.entries}) > 1
        }
        assert not down & last
        last = down


@pytest.mark.parametrize(("field", "rounds"), [(2, 1), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6)])
def test_the_usual_rounds_leave_one_unbeaten(field: int, rounds: int) -> None:
    assert usual_rounds(field) == rounds
    plan = Swiss(1, rounds, "s")
    lines = plan.standings(field, play_out(plan, field, stronger_wins))
    assert [line.entry for line in lines if line.points == rounds] == [1]


def test_the_seed_and_nothing_else_makes_the_schedule() -> None:
    first, again, other = (
        [one.pairing for one in play_out(Swiss(1, 4, seed), 11, drawn)] for seed in "aab"
    )
    assert first == again != other


def test_points_count_by_pairing_and_opponents_break_ties() -> None:
    plan = Swiss(2, 3, "s")
    played = play_out(plan, 8, stronger_wins)
    lines = plan.standings(8, played)
    assert plan.tie_breaks == ("Buchholz", "points per block")
    assert (lines[0].entry, int(lines[0].points), lines[0].blocks) == (1, 3, 6)
    points = {line.entry: line.points for line in lines}
    for line in lines:
        opponents = [
            other
            for one in played
            if line.entry in one.pairing.entries
            for other in one.pairing.entries
            if other != line.entry
        ]
        assert line.tie_breaks[0] == sum(points[other] for other in opponents)


def test_a_pairing_that_is_being_played_counts_for_nobody_yet() -> None:
    plan = Swiss(2, 1, "s")
    paired = plan.next_pairings(2, [])
    assert paired is not None
    half_played = [PlayedPairing(paired[0], (stronger_wins(paired[0]),))]
    assert plan.next_pairings(2, half_played) == ()
    assert [line.points for line in plan.standings(2, half_played)] == [0, 0]


def test_more_rounds_than_opponents_are_refused() -> None:
    Swiss(1, 7, "s").check(8)
    Swiss(1, 7, "s").check(7)
    with pytest.raises(FormatError, match="8 bots can play at most 7 rounds without a rematch"):
        Swiss(1, 8, "s").check(8)


@pytest.mark.slow
def test_a_hundred_bots_are_paired_in_a_moment() -> None:
    played = play_out(Swiss(1, 2, "s"), 101, stronger_wins)
    pairs = {frozenset(one.pairing.entries) for one in played}
    assert len(pairs) == len(played) == 102


def test_entries_of_the_standings_are_the_field() -> None:
    plan = Swiss(1, 2, "s")
    assert sorted(entries(plan, 5, play_out(plan, 5, drawn))) == [1, 2, 3, 4, 5]


def test_a_round_that_is_being_played_puts_nobody_ahead_who_has_played_it() -> None:
    won, tied = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    first = [
        PlayedPairing(Pairing(1, 1, (1, 3)), (won,)),
        PlayedPairing(Pairing(1, 2, (2, 4)), (tied,)),
    ]
    running = [
        PlayedPairing(Pairing(2, 1, (1, 4))),
        PlayedPairing(Pairing(2, 2, (2, 3)), (won,)),
    ]
    lines = Swiss(1, 2, "s").standings(4, first + running)
    assert [(one.entry, one.points, one.mean) for one in lines] == [
        (1, 1, 1),
        (2, Fraction(3, 2), Fraction(3, 4)),
        (4, Fraction(1, 2), Fraction(1, 2)),
        (3, 0, 0),
    ]


def test_a_bot_that_left_early_is_not_ahead_by_the_rounds_that_it_did_not_play() -> None:
    won = (Fraction(1), Fraction(0))
    played = [
        PlayedPairing(Pairing(1, 1, (1, 3)), (won,)),
        PlayedPairing(Pairing(1, 2, (2, 4)), (won,)),
        PlayedPairing(Pairing(2, 1, (2, 3)), (won,)),
        PlayedPairing(Pairing(2, 2, (4,))),
    ]
    lines = Swiss(1, 2, "s").standings(4, played)
    assert lines[0].entry == 2
    assert {one.entry: one.mean for one in lines}[1] == Fraction(1, 2)
