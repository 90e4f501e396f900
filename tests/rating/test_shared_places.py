"""Places say who is ahead with confidence: by simulated round robins of known strengths."""

from itertools import combinations

import numpy as np
import pytest

from arena.rating.shared_places import SharedPlace, TablePoints, places

LEAGUES = 400


def round_robin(
    strengths: list[float], blocks: int, random: np.random.Generator
) -> list[SharedPlace]:
    """The places of a round robin at two seats; a bot's share against another is a logistic one."""
    tables = []
    for one, other in combinations(range(len(strengths)), 2):
        share = 1 / (1 + np.exp(strengths[other] - strengths[one]))
        won = random.binomial(2, share, blocks) / 2  # two matches of a block
        tables.append(TablePoints((one, other), tuple((float(x), float(1 - x)) for x in won)))
    return places(tables, list(range(len(strengths))))


def test_intervals_of_points_hold_as_often_as_they_say() -> None:
    strengths, blocks = [0.8, 0.3, 0.0, -0.4, -1.5], 10
    random = np.random.default_rng(1)
    true = [
        sum(
            blocks / (1 + np.exp(other - own)) for at, other in enumerate(strengths) if at != number
        )
        for number, own in enumerate(strengths)
    ]
    held = total = 0
    for _ in range(LEAGUES):
        for line in round_robin(strengths, blocks, random):
            held += abs(line.points - true[line.bot]) <= line.margin
            total += 1
    # Too wide rather than too narrow: of a lopsided pairing the further blocks add to the width.
    assert 0.935 <= held / total <= 0.985


def test_two_equal_bots_share_the_first_place_nineteen_times_of_twenty() -> None:
    random = np.random.default_rng(2)
    shared = 0
    for _ in range(LEAGUES):
        first, second, *_ = round_robin([1.0, 1.0, -3.0], 20, random)
        shared += first.place == second.place == 1
    assert 0.93 <= shared / LEAGUES <= 0.995


def test_a_bot_that_is_far_ahead_stands_alone() -> None:
    random = np.random.default_rng(3)
    lines = round_robin([3.0, 0.0, 0.0], 40, random)
    assert next(line.bot for line in lines) == 0
    assert [line.place for line in lines] == [1, 2, 2]


def test_few_equal_blocks_are_not_certain() -> None:
    table = TablePoints((7, 8), ((1.0, 0.0),))
    first, second = places([table], [7, 8])
    assert (first.bot, first.place, second.place) == (7, 1, 1)
    assert first.margin > 0.5


@pytest.mark.parametrize("sum_of_points", [1.0, 1.5])
def test_larger_tables_count_what_bots_at_one_table_take_from_each_other(
    sum_of_points: float,
) -> None:
    """By winner alone a block has 1 point, by places half the seats."""
    random = np.random.default_rng(4)
    blocks = []
    for _ in range(200):
        shares = random.dirichlet([1, 1, 1]) * sum_of_points
        blocks.append(tuple(float(x) for x in np.clip(shares, 0, 1)))
    lines = places([TablePoints((1, 2, 3), tuple(blocks))], [1, 2, 3])
    assert {line.place for line in lines} == {1}
    alone = np.std([block[0] for block in blocks]) * 200**0.5 * 1.97
    margin = next(line.margin for line in lines if line.bot == 1)
    assert margin == pytest.approx(alone, rel=0.05)


def test_nobody_played() -> None:
    assert places([], [1, 2]) == [SharedPlace(1, 1, 0.0, 0.0), SharedPlace(2, 1, 0.0, 0.0)]
