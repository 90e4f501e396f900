"""A bot that loses on purpose to its friend is found; one that is only weak or strong is not."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from arena.lab.analysis import SeatLoss, soft_play

BOTS = [f"bot {number}" for number in range(8)]


def played(
    seed: int, *, thrown: float = 0.0, bots: list[str] = BOTS, blocks: int = 20
) -> Iterator[SeatLoss]:
    """Blocks among bots of different skill; the first loses on purpose against the second."""
    random = np.random.default_rng(seed)
    own = dict(zip(bots, np.linspace(0.01, 0.08, len(bots)), strict=True))
    for pair in combinations(bots, 2):
        for one, other in (pair, pair[::-1]):
            # Against a weak one there is less to lose.
            mean = own[one] * (1.2 - 5 * own[other])
            for block in range(blocks):
                losses = random.exponential(3 * mean, 20) * (random.random(20) < 1 / 3)
                if (one, other) == (bots[0], bots[1]):
                    losses += 0.2 * (random.random(20) < thrown)
                yield SeatLoss((pair, block), one, (other,), 20, float(losses.sum()))


def marked(seats: Iterator[SeatLoss]) -> list[tuple[str, str]]:
    return [(one.bot, one.other) for one in soft_play(seats, BOTS) if one.marked]


def test_a_bot_that_loses_on_purpose_to_one_other_is_marked() -> None:
    found = soft_play(played(1, thrown=0.4), BOTS)
    assert [(one.bot, one.other) for one in found if one.marked] == [("bot 0", "bot 1")]
    first = found[0]
    assert first.clusters == 20
    assert first.decisions == 400
    assert first.loss.mean == pytest.approx(0.09, abs=0.02)
    assert first.elsewhere.mean < 0.02
    assert first.more.mean - first.more.error > 0.04


@pytest.mark.slow
def test_in_fields_without_soft_play_hardly_any_pair_is_marked() -> None:
    assert sum(bool(marked(played(seed))) for seed in range(60)) <= 2


def test_a_pair_that_met_rarely_is_not_tested() -> None:
    assert soft_play(played(3, thrown=1.0, blocks=9), BOTS) == []


def test_three_bots_are_too_few_to_tell_play_from_soft_play() -> None:
    assert soft_play(played(4, thrown=1.0, bots=BOTS[:3]), BOTS[:3]) == []


def test_only_pairs_that_are_asked_about_are_told_and_all_others_count_for_the_fit() -> None:
    found = soft_play(played(5, thrown=0.4), BOTS[:2])
    assert [(one.bot, one.other, one.marked) for one in found] == [
        ("bot 0", "bot 1", True),
        ("bot 1", "bot 0", False),
    ]


def test_who_never_loses_anything_breaks_nothing() -> None:
    seats = [
        SeatLoss((pair, block), one, (other,), 20, 0.0)
        for pair in combinations(BOTS[:4], 2)
        for one, other in (pair, pair[::-1])
        for block in range(12)
    ]
    assert all(one.corrected == 1.0 for one in soft_play(seats, BOTS))
