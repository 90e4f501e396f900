"""Perfect play of the end of Bluff You! at two seats, by backward induction over all positions.

Nothing is shared with the bots or the rules: a position is a number whose eight digits to the base
6 say where the two chips of each kind are. The chips n and 21 - n are of one kind: they have the
same points, and their sums are rolled equally often. Every win adds to the points owned; steals and
swaps add to the turns without a win, which have a limit. So no position comes again.
"""

from itertools import product
from typing import Any

import numpy as np
from numba import njit

KINDS = 8
POINTS = np.array([5, 4, 3, 3, 2, 2, 1, 1])
ALL_POINTS = 42
PLACES = np.array([(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1)], np.int8)
"""By digit, how many chips of a kind are in the centre, with the bluffer and with the other."""
DIGIT = np.zeros((3, 3), dtype=np.int64)
for digit, (centre, own, _) in enumerate(PLACES):
    DIGIT[centre, own] = digit
WAYS = np.zeros((KINDS, 2))
"""By kind, how many rolls of 216 make the sum of one of its chips, without and with a double."""
for dice in product(range(1, 7), repeat=3):
    if sum(dice) <= 10:
        WAYS[sum(dice) - 3, int(len(set(dice)) < 3)] += 1
GIFTS = np.array(
    [
        gift
        for gift in product(range(3), repeat=KINDS)
        if sum(gift) > 1 and np.dot(gift, POINTS) <= POINTS.max()
    ]
)
"""What can be given in a swap, by kind."""
NO_SWAP = -9.0


@njit
def position_of(chips: Any) -> int:
    """The number of chips by (centre, bluffer, other) and kind, for the next bluffer: the other."""
    position = 0
    for kind in range(KINDS - 1, -1, -1):
        position = position * 6 + DIGIT[chips[0, kind], chips[2, kind]]
    return position


@njit
def moved(chips: Any, kind: int, giver: int, receiver: int, values: Any) -> float:
    """What is left to the bluffer when a chip has moved."""
    chips[giver, kind] -= 1
    chips[receiver, kind] += 1
    value = -values[position_of(chips)]
    chips[giver, kind] += 1
    chips[receiver, kind] -= 1
    return value


@njit
def best_swap(chips: Any, values: Any) -> float:
    """What is left to the bluffer after the best swap."""
    best = NO_SWAP
    for gift in GIFTS:
        worth = 0
        for kind in range(KINDS):
            worth += gift[kind] * POINTS[kind] if gift[kind] <= chips[1, kind] else ALL_POINTS
        for kind in range(KINDS):
            if POINTS[kind] == worth and chips[0, kind]:
                chips[1] -= gift
                chips[0] += gift
                best = max(best, moved(chips, kind, 0, 1, values))
                chips[1] += gift
                chips[0] -= gift
    return best


@njit
def turn(chips: Any, after_win: Any, after_other: Any, locked: bool) -> Any:
    """(value of the turn, of a lie, of the best swap), and the value of a truth and a lie together
    by kind, for a win attempt and a steal attempt.

    By duality: with lies worth x, each roll is worth the best of a lie, a swap, and a pair without
    its lie; the value is the least over all x that are not below a lie that fails.
    """
    pairs, failed, swap = np.full((2, KINDS), NO_SWAP), NO_SWAP, NO_SWAP
    gift = NO_SWAP
    for kind in range(KINDS):
        if chips[1, kind] and not locked:
            gift = max(gift, moved(chips, kind, 1, 2, after_other))
    for kind in range(KINDS):
        if chips[0, kind]:
            won = moved(chips, kind, 0, 1, after_win)
            lost = moved(chips, kind, 0, 2, after_win)
            pairs[0, kind], failed = won + lost, max(failed, min(won, lost))
        if chips[2, kind] and gift > NO_SWAP:
            won = moved(chips, kind, 2, 1, after_other)
            pairs[1, kind], failed = won + gift, max(failed, min(won, gift))
    if not locked and chips[1].sum() > 1:
        swap = best_swap(chips, after_other)
    candidates = np.concatenate((pairs.ravel() / 2, pairs.ravel() - swap, np.array([swap, failed])))
    best, lie = np.inf, failed
    for x in candidates:
        if x < failed:
            continue
        value = 0.0
        for kind in range(KINDS):
            for place in range(3):
                pair = pairs[place // 2, kind] if place != 1 else NO_SWAP
                announced = max(x, pair - x)
                swapped = max(announced, swap)
                one = WAYS[kind, 0] * announced + WAYS[kind, 1] * swapped
                value += chips[place, kind] * one
        if value < best:
            best, lie = value, x
    return best / 216, lie, swap, pairs


@njit
def fill(positions: Any, values: Any, after_win: Any, after_other: Any, locked: bool) -> None:
    for position in positions:
        values[position] = turn(chips_of(position), after_win, after_other, locked)[0]


@njit
def chips_of(position: int) -> Any:
    """Chips by (centre, bluffer, other) and kind."""
    chips = np.zeros((3, KINDS), dtype=np.int64)
    for kind in range(KINDS):
        chips[:, kind] = PLACES[position % 6]
        position //= 6
    return chips


def solve(centre_points: int, no_win_limit: int) -> Any:
    """Values (chance to win less chance to lose) to the bluffer by (turns without a win, position),
    where at most so many points are in the centre; elsewhere 0."""
    digits = (np.arange(6**KINDS)[:, None] // 6 ** np.arange(KINDS) % 6).astype(np.int8)
    in_centre, own, other = (PLACES[:, place][digits] for place in range(3))
    left = in_centre @ POINTS
    values = np.zeros((no_win_limit + 1, 6**KINDS), np.float32)
    # More points win; among equals, fewer chips.
    margin = (own - other) @ POINTS + (other.sum(1) - own.sum(1)) / 100
    values[:, left == 0] = np.sign(margin)[left == 0]
    for points in range(1, centre_points + 1):
        positions = np.flatnonzero(left == points)
        for turns in range(no_win_limit, -1, -1):
            locked = turns == no_win_limit
            after = values[min(turns + 1, no_win_limit)]
            fill(positions, values[turns], values[0], after, locked)
    return values
