"""Swiss at larger tables: everybody plays or has a bye, score groups, and few meet again."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from arena.scheduling.swiss import Swiss
from tests.scheduling.playing import Points, chance, drawn, entries, play_out, stronger_wins
from tests.thoroughness import tries


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[int, int, int]:
    """Field, seats and rounds."""
    seats = draw(st.integers(3, 6))
    return draw(st.integers(seats, 20)), seats, draw(st.integers(1, 5))


def by_round(played: list[PlayedPairing]) -> dict[int, list[Pairing]]:
    found: dict[int, list[Pairing]] = defaultdict(list)
    for one in played:
        found[one.pairing.round].append(one.pairing)
    return found


def meetings(pairings: list[Pairing]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for one in pairings for pair in combinations(one.entries, 2))


@settings(max_examples=tries(40, quick=10))
@given(tournaments(), st.data())
def test_in_every_round_everybody_sits_at_one_full_table_or_has_a_bye(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    field, seats, rounds = sizes
    played = play_out(Swiss(1, rounds, "s", seats), field, chance(data))
    assert sorted(by_round(played)) == list(range(1, rounds + 1))
    for pairings in by_round(played).values():
        assert sorted(entry for one in pairings for entry in one.entries) == list(
            range(1, field + 1)
        )
        assert {len(one.entries) for one in pairings} <= {seats, 1}
        assert sum(one.is_bye for one in pairings) == field % seats
        assert [one.table for one in pairings] == list(range(1, len(pairings) + 1))


@settings(max_examples=tries(40, quick=10))
@given(tournaments(), st.data())
def test_nobody_has_a_second_bye_before_everybody_had_one(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    field, seats, rounds = sizes
    played = play_out(Swiss(1, rounds, "s", seats), field, chance(data))
    byes = Counter(one.pairing.entries[0] for one in played if one.pairing.is_bye)
    counts = [byes[entry] for entry in range(1, field + 1)]
    assert max(counts) - min(counts) <= 1


@settings(max_examples=tries(25, quick=10))
@given(tournaments(), st.data())
def test_points_are_the_share_of_a_table_left_behind_and_half_for_a_bye(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    field, seats, rounds = sizes
    plan = Swiss(1, rounds, "s", seats)
    played = play_out(plan, field, chance(data))
    points: dict[int, Fraction] = defaultdict(Fraction)
    opponents: dict[int, list[int]] = defaultdict(list)
    for one in played:
        total = dict(zip(one.pairing.entries, one.total(), strict=True))
        for entry, own in total.items():
            if one.pairing.is_bye:
                points[entry] += Fraction(1, 2)
                opponents[entry] += [entry] * (seats - 1)
                continue
            others = [total[other] for other in total if other != entry]
            opponents[entry] += [other for other in total if other != entry]
            won = sum(2 * (other < own) + (other == own) for other in others)
            points[entry] += Fraction(won, 2 * len(others))
    for line in plan.standings(field, played):
        assert line.points == points[line.entry]
        assert line.tie_breaks[0] == sum(points[other] for other in opponents[line.entry])
    assert sorted(entries(plan, field, played)) == list(range(1, field + 1))


def all_ways(left: list[int], seats: int) -> Iterator[list[tuple[int, ...]]]:
    if not left:
        yield []
        return
    first, *rest = left
    for others in combinations(rest, seats - 1):
        for more in all_ways([entry for entry in rest if entry not in others], seats):
            yield [(first, *others), *more]


def floats(plan: Swiss, field: int, before: list[PlayedPairing]) -> dict[int, int]:
    """By entry: 1 if it met stronger ones (on average) in the last round, -1 if weaker ones."""
    last = max((one.pairing.round for one in before), default=0)
    earlier = [one for one in before if one.pairing.round < last]
    points = {line.entry: line.points for line in plan.standings(field, earlier)}
    found = dict.fromkeys(points, 0)
    for one in before:
        for entry in one.pairing.entries if one.pairing.round == last else ():
            others = [points[other] for other in one.pairing.entries if other != entry]
            mean = sum(others, Fraction(0)) / len(others) if others else Fraction(-1)
            found[entry] = (mean > points[entry]) - (mean < points[entry])
    return found


@pytest.mark.parametrize(("field", "seats"), [(6, 3), (8, 3), (9, 3), (8, 4), (11, 5), (12, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_of_a_few_bots_no_other_way_repeats_fewer_meetings_or_spans_or_floats_less(
    field: int, seats: int, seed: int
) -> None:
    # Results by chance, but the same on every run.
    random = Random(seed)

    def result(pairing: Pairing) -> Points:
        return tuple(Fraction(random.randrange(5), 4) for _ in pairing.entries)

    plan = Swiss(1, 5, str(seed), seats)
    played = play_out(plan, field, result)
    for number, pairings in by_round(played).items():
        before = [one for one in played if one.pairing.round < number]
        met = meetings([one.pairing for one in before])
        points = {line.entry: line.points for line in plan.standings(field, before)}
        floated = floats(plan, field, before)

        def same_way(one: int, other: int) -> int:
            upper, lower = sorted((one, other), key=lambda entry: -points[entry])  # noqa: B023
            if points[upper] == points[lower]:  # noqa: B023
                return 0
            return (floated[upper] < 0) + (floated[lower] > 0)  # noqa: B023

        def badness(tables: list[tuple[int, ...]]) -> tuple[int, Fraction, int]:
            pairs = [pair for table in tables for pair in combinations(table, 2)]
            return (
                sum(met[frozenset(pair)] for pair in pairs),  # noqa: B023  called in this round
                sum(((points[a] - points[b]) ** 2 for a, b in pairs), Fraction(0)),  # noqa: B023
                sum(same_way(*pair) for pair in pairs),
            )

        tables = [one.entries for one in pairings if not one.is_bye]
        playing = sorted(entry for table in tables for entry in table)
        assert badness(tables) == min(map(badness, all_ways(playing, seats)))


@pytest.mark.slow
@pytest.mark.parametrize(("field", "seats", "rounds"), [(36, 3, 5), (50, 4, 5), (60, 6, 4)])
def test_in_a_large_field_nobody_meets_twice(field: int, seats: int, rounds: int) -> None:
    played = play_out(Swiss(1, rounds, "s", seats), field, stronger_wins)
    assert set(meetings([one.pairing for one in played]).values()) == {1}


def test_the_first_round_spreads_the_strong() -> None:
    first = Swiss(1, 2, "s", 4).next_pairings(12, [])
    assert first is not None
    for pairing in first:
        assert sorted((entry - 1) // 3 for entry in pairing.entries) == [0, 1, 2, 3]


def test_winners_meet_winners() -> None:
    played = play_out(Swiss(1, 2, "s", 3), 27, stronger_wins)
    points = {line.entry: line.points for line in Swiss(1, 2, "s", 3).standings(27, played[:9])}
    for pairing in by_round(played)[2]:
        assert len({points[entry] for entry in pairing.entries}) == 1


def test_byes_go_to_the_last_and_stand_last() -> None:
    first = Swiss(1, 2, "s", 4).next_pairings(10, [])
    assert first is not None
    assert [one.entries for one in first if one.is_bye] == [(9,), (10,)]
    assert [one.is_bye for one in first] == [False, False, True, True]


def test_the_seed_and_nothing_else_makes_the_schedule() -> None:
    first, again, other = (
        [one.pairing for one in play_out(Swiss(1, 4, seed, 3), 11, drawn)] for seed in "aab"
    )
    assert first == again
    assert {frozenset(one.entries) for one in first} != {frozenset(one.entries) for one in other}


def test_rounds_are_bounded_but_not_by_the_opponents() -> None:
    Swiss(1, 100, "s", 3).check(3)
    with pytest.raises(FormatError, match="at most 100 rounds"):
        Swiss(1, 101, "s", 3).check(30)
    with pytest.raises(FormatError, match="at least 4 bots"):
        Swiss(1, 1, "s", 4).check(3)
