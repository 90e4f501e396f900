"""The luck of a bot in a series: mean zero, from the other half of it, and most of the variance."""

from dataclasses import replace

import numpy as np
import pytest

from arena.games import make_game
from arena.lab.analysis.bluff.pair_values import SETS
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import ESTIMATES, MatchLuck
from arena.match.faults import FaultKind
from arena.match.transcript import Transcript
from arena.rating.luck import luck_adjusted
from tests.lab.analysis.one_die import aivat, declared, every_match, fitted, stranger, values
from tests.thoroughness import thorough


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_intervals_hold_the_truth_where_values_are_fitted_to_the_same_series() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared("cfr", game), stranger
    courses = list(every_match(game, policies))
    chances = np.array([chance for chance, _ in courses])
    won = np.array([one.result.placing[1] == 1 for _, one in courses], float)
    luck, random = MatchLuck(values(), aivat("cfr", game)), np.random.default_rng(9)
    found = []
    for drawn in random.choice(len(courses), (60, 80), p=chances / chances.sum()):
        lucks = luck.of_blocks([[(1, courses[number][1])] for number in drawn])
        found.append(luck_adjusted(won[drawn], lucks))
    truth = chances @ won
    gaps = np.array([(one.adjusted - truth) / one.adjusted_se for one in found])
    assert np.mean(np.abs(gaps) <= 1.96) >= 0.9
    assert abs(gaps.mean()) < 3 / np.sqrt(len(gaps))
    assert np.mean([one.variance_factor for one in found]) < 0.6


def test_the_luck_of_a_match_has_mean_zero_by_all_that_both_declare() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    luck = MatchLuck(values(), aivat("bayes", game), aivat("cfr", game))
    more = fitted("cfr", "bayes")[::-1]
    rows = [
        (chance, *luck._of(one, 0, more))
        for chance, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
    ]
    chances, *lucks = np.array(rows).T
    assert len(lucks) == 2 * (SETS + 1) + 1
    for each in lucks[:-1]:  # the luck column's own numbers are rounded
        assert chances @ each == pytest.approx(0, abs=1e-9)
    assert chances @ lucks[-1] == pytest.approx(0, abs=1e-4)
    # It is luck of the seat that is asked for: the better, the more is won.
    won = np.array(
        [
            one.result.placing[0] == 1
            for _, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
        ]
    )
    for each in lucks:
        assert chances[won] @ each[won] > 0


def some_blocks(count: int, dice: int = 2) -> list[list[tuple[int, Transcript]]]:
    game = make_game("bluff", {"dice_per_player": dice})
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    return [
        [(match.contenders.index(0), match.transcript)]
        for match in play_series(game, contenders, count, "blocks")
    ]


@pytest.mark.slow
def test_the_luck_of_a_half_of_the_blocks_follows_from_the_decisions_in_the_other() -> None:
    *blocks, another = some_blocks(7)
    luck = MatchLuck(values(), aivat("cfr", make_game("bluff", {"dice_per_player": 2})))
    found = luck.of_blocks(blocks)
    assert found.shape == (6, ESTIMATES)
    assert {seat for block in blocks[:2] for seat, _ in block} == {0, 1}
    changed = luck.of_blocks([another, *blocks[1:]])
    first_half, second_half = [1, 4, 5], [2, 3]
    assert np.array_equal(changed[first_half], found[first_half])
    assert not np.array_equal(changed[second_half], found[second_half])
    double = luck.of_blocks([blocks[0] + blocks[1], blocks[1], *blocks[2:4]])
    same = luck.of_blocks([blocks[0], blocks[1], *blocks[2:4]])
    assert double[0] == pytest.approx((same[0] + same[1]) / 2)


def test_a_block_alone_and_matches_without_decisions_have_luck_too() -> None:
    luck = MatchLuck(values(), aivat("cfr", make_game("bluff", {"dice_per_player": 2})))
    (((seat, match),),) = some_blocks(1)
    at_fault = replace(
        match, steps=tuple(step._replace(fault=FaultKind.LATE) for step in match.steps)
    )
    forfeited = replace(match.result, placing=(1, 2), forfeited=(False, True))
    for each in (match, at_fault, replace(match, result=forfeited)):
        found = luck.of_blocks([[(seat, each)]])
        assert found.shape == (1, ESTIMATES)
        assert np.isfinite(found).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "other"),
    [
        thorough("bayes", "cfr"),
        thorough("bayes", "bayes"),
        ("bayes", "honest"),
    ],
)
def test_a_fifth_of_the_variance_is_left_against_bayes_where_both_declare_their_play(
    known: str, other: str
) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    own, luck = aivat(other, game), aivat(known, game)
    alone, both = MatchLuck(values(), luck), MatchLuck(values(), luck, own)
    contenders = [Contender("other", load_bot(other)), Contender("known", load_bot(known))]
    blocks = [
        [(played.contenders.index(0), played.transcript)]
        for played in play_series(game, contenders, 200, "both")
    ]
    results = np.array([float(match.result.placing[seat] == 1) for ((seat, match),) in blocks])
    one, two = (luck_adjusted(results, each.of_blocks(blocks)) for each in (alone, both))
    assert two.variance_factor < min(0.2, one.variance_factor)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "other", "most"),
    [
        ("bayes", "honest", 0.2),
        ("cfr", "honest", 0.1),
        thorough("honest", "exploiter", 0.3),
    ],
)
def test_values_fit_play_far_from_equilibrium(known: str, other: str, most: float) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    contenders = [Contender("other", load_bot(other)), Contender("known", load_bot(known))]
    blocks = [
        [(played.contenders.index(0), played.transcript)]
        for played in play_series(game, contenders, 200, "models")
    ]
    results = np.array([float(match.result.placing[seat] == 1) for ((seat, match),) in blocks])
    luck = MatchLuck(values(), aivat(known, game)).of_blocks(blocks)
    assert luck_adjusted(results, luck).variance_factor < most
