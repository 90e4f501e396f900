"""Copies are told from programs that only follow the same ideas, in simulated answers."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from arena.rating.agreement import GROUP, MOST_TOLD, Agreement, Answer, Answers, agreements
from arena.rating.holm import holm

POSITIONS = 500
CHOICES = {"Bet": 20, "Doubt": 1}
DOUBT: Answer = ("Doubt", "doubt")

Policy = Sequence[Answer]


def bet(number: int) -> Answer:
    return ("Bet", str(number))


def idea(seed: int) -> Policy:
    """A program of its own: some action in each position."""
    random = Random(seed)
    return [DOUBT if random.random() < 0.3 else bet(random.randrange(20)) for _ in range(POSITIONS)]


def changed(policy: Policy, share: float, seed: int) -> Policy:
    random, other = Random(seed), idea(1_000 + seed)
    return [new if random.random() < share else old for old, new in zip(policy, other, strict=True)]


def asked(policy: Policy, runs: int = 3, noise: float = 0.0, seed: int = 0) -> list[Answers]:
    random = Random(seed)
    return [
        Counter(bet(random.randrange(20)) if random.random() < noise else one for _ in range(runs))
        for one in policy
    ]


OBVIOUS = idea(1)


def compared(programs: Sequence[Sequence[Answers]]) -> dict[tuple[int, int], Agreement]:
    pairs = list(combinations(range(len(programs)), 2))
    found = agreements(programs, [asked(OBVIOUS)], [CHOICES] * POSITIONS, pairs)
    return {(one.one, one.other): one for one in found}


def test_a_copy_is_marked_also_with_a_tenth_of_its_answers_changed() -> None:
    mine = idea(2)
    field = [mine, mine, changed(mine, 0.1, 3), *(idea(seed) for seed in range(10, 18))]
    found = compared([asked(one) for one in field])
    assert {pair for pair, one in found.items() if one.marked} == {(0, 1), (0, 2), (1, 2)}
    assert found[0, 1].kappa == pytest.approx(1.0)
    assert found[0, 2].kappa == pytest.approx(0.9, abs=0.05)
    assert found[0, 2].low < 0.9 < found[0, 2].high


def test_programs_that_follow_an_obvious_play_have_nothing_of_their_own_to_share() -> None:
    field = [OBVIOUS, OBVIOUS, *(idea(seed) for seed in range(10, 18))]
    first = compared([asked(one) for one in field])[0, 1]
    assert first.agreed == 1.0
    assert not first.marked


def test_variants_of_an_obvious_play_that_differ_in_their_own_ways_are_not_marked() -> None:
    field = [changed(OBVIOUS, 0.3, seed) for seed in range(12)]
    found = compared([asked(one) for one in field])
    assert not any(one.marked for one in found.values())
    assert all(abs(one.kappa or 0.0) < 0.4 for one in found.values())


def test_an_idea_that_many_have_explains_itself_and_a_small_group_does_not() -> None:
    common, rare = idea(3), idea(4)
    many = [changed(common, 0.1, seed) for seed in range(8)]
    few = [rare] * 4
    found = compared([asked(one) for one in [*many, *few]])
    marked = {pair for pair, one in found.items() if one.marked}
    assert marked == set(combinations(range(8, 12), 2))


def test_what_one_of_the_others_always_says_is_fully_expected() -> None:
    field = [*[idea(2)] * (2 + GROUP + 1), *(idea(seed) for seed in range(10, 14))]
    assert compared([asked(one) for one in field])[0, 1].expected > 0.95


def test_a_copy_of_a_program_that_plays_at_random_agrees_as_often_as_the_program_with_itself() -> (
    None
):
    mine = idea(5)
    field = [
        asked(mine, noise=0.5, seed=1),
        asked(mine, noise=0.5, seed=2),
        *(asked(idea(seed), seed=seed) for seed in range(10, 18)),
    ]
    first = compared(field)[0, 1]
    assert first.copies < 0.4
    assert first.kappa == pytest.approx(1.0, abs=0.15)
    assert first.marked


def test_two_that_play_at_random_have_nothing_of_their_own() -> None:
    field = [asked(idea(2), noise=1.0, seed=seed) for seed in range(6)]
    for one in compared(field).values():
        assert one.expected == pytest.approx(one.copies, abs=0.04)
        assert one.kappa is None


def test_the_telling_positions_are_those_where_agreement_was_least_expected() -> None:
    mine = [bet(7), *OBVIOUS[1:]]
    field = [mine, mine, *(idea(seed) for seed in range(10, 18))]
    first = compared([asked(one) for one in field])[0, 1].telling[0]
    assert (first.position, first.answer) == (0, bet(7))
    assert first.expected < 0.3


def test_of_two_that_agree_half_of_the_time_the_telling_positions_are_where_they_do() -> None:
    mine = idea(2)
    field = [mine, changed(mine, 0.5, 3), *(idea(seed) for seed in range(10, 18))]
    telling = compared([asked(one) for one in field])[0, 1].telling
    assert len(telling) == MOST_TOLD
    assert all(mine[one.position] == field[1][one.position] == one.answer for one in telling)
    expected = [one.expected for one in telling]
    assert expected == sorted(expected)


def test_positions_that_one_was_not_asked_do_not_count() -> None:
    mine = asked(idea(2))
    cut: list[Answers] = [*mine[:100], *[{}] * (POSITIONS - 100)]
    none: list[Answers] = [{}] * POSITIONS
    found = compared([mine, cut, none, *(asked(idea(seed)) for seed in range(10, 16))])
    assert (found[0, 1].positions, found[0, 1].marked) == (100, True)
    assert (found[0, 2].positions, found[0, 2].kappa, found[0, 2].marked) == (0, None, False)


def test_holm_corrects_the_smallest_for_all_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.001], tests=100) == pytest.approx([0.1])
    assert holm([]) == []
