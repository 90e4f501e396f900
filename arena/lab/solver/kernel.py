"""The inner loops of the solver, compiled by numba. The layout of tables is in tables.py.

A walk goes depth first through all histories and carries two vectors down: the opponent's reach
probability with each hand, and the weight of the seat's own strategy with each of its hands. It
returns the value of each own hand. Loops over hands have constant lengths, in whole vectors of the
processor; hence one compiled walk for each pair of lengths.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "nsz", "arcp", "nnan", "ninf"}
"""Sums may be reordered; infinities and NaN do not occur."""

_TINY = 1e-30
"""The sum of weights below which they count as zero: in single precision, 1 / 1e-40 is infinite."""

Walk: TypeAlias = Callable[..., None]


@njit(inline="always")
def _doubted(  # type: ignore[no-untyped-def]
    lanes, other_lanes, counts, member, worth, reach, values
) -> None:
    """Write the values of a doubt by own hand to `values`."""
    # Its payoff depends on the matching dice alone, so hands are counted by them.
    for x in range(lanes):
        values[x] = 0
    for count in range(counts):
        likely = member[count, 0] * reach[0]
        for y in range(1, other_lanes):
            likely += member[count, y] * reach[y]
        for x in range(lanes):
            values[x] += worth[count, x] * likely


@cache
def compiled_walk(lanes: int, other_lanes: int, counts: int, best: bool, real: type) -> Walk:
    """Return the walk of a seat with `lanes` lanes.

    The opponent's hands have `counts` different numbers of matching dice. With `best` it finds the
    values of a best response and changes nothing. Else it updates the seat's regrets and average.
    The result, a value by hand, is at [0, 0] of the values.
    """
    zero, one, tiny = real(0), real(1), real(_TINY)

    @njit(cache=True, fastmath=_FAST, error_model="numpy", nogil=True)
    def walk(  # type: ignore[no-untyped-def]
        seat, bets, sizes, regrets, average, due, opponent, member, worth, memory
    ) -> None:
        mine, others, my_nodes, other_nodes = sizes
        reach, own, values, chosen, ratio, scratch, marks = memory
        place, action, at, opponent_at, node = marks
        # The depth is the number of bets made; its parity is the seat on turn.
        depth = 0
        place[0], action[0], at[0], opponent_at[0], node[0] = 0, 0, 0, 0, 0
        below_at, below_opponent, below_node = at.copy(), at.copy(), at.copy()
        while True:
            last, my_turn = place[depth], (depth & 1) == seat
            actions = bets - last + 1
            first = 1 if last == 0 else 0
            if action[depth] == 0:
                below_at[depth], below_opponent[depth] = at[depth], opponent_at[depth]
                below_node[depth] = node[depth]
                if my_turn:
                    below_at[depth] += actions
                    below_node[depth] += 1
                    if not best:
                        table = at[depth] * lanes
                        for x in range(lanes):
                            own[depth, x] += due[node[depth] * lanes + x]
                            due[node[depth] * lanes + x] = zero
                            scratch[0, x] = zero
                        for a in range(first, actions):
                            for x in range(lanes):
                                scratch[0, x] += regrets[table + a * lanes + x]
                        even = one / real(actions - first)
                        for x in range(lanes):
                            some = scratch[0, x] > tiny
                            scratch[1, x] = zero if some else even
                            scratch[0, x] = one / scratch[0, x] if some else zero
                        for a in range(first, actions):
                            for x in range(lanes):
                                chosen[depth, a, x] = (
                                    regrets[table + a * lanes + x] * scratch[0, x] + scratch[1, x]
                                )
                    if last:
                        _doubted(
                            lanes,
                            other_lanes,
                            counts,
                            member[last - 1],
                            worth[0, last - 1],
                            reach[depth],
                            values[depth, 0],
                        )
                else:
                    below_opponent[depth] += actions
                    table = opponent_at[depth] * other_lanes
                    for y in range(other_lanes):
                        ratio[0, depth, y] = zero
                    for a in range(first, actions):
                        for y in range(other_lanes):
                            ratio[0, depth, y] += opponent[table + a * other_lanes + y]
                    even = one / real(actions - first)
                    for y in range(other_lanes):
                        some = ratio[0, depth, y] > tiny
                        ratio[1, depth, y] = zero if some else even
                        ratio[0, depth, y] = one / ratio[0, depth, y] if some else zero
                    for y in range(other_lanes):
                        reach[depth + 1, y] = reach[depth, y] * (
                            opponent[table + y] * ratio[0, depth, y] + ratio[1, depth, y]
                        )
                    if last:
                        _doubted(
                            lanes,
                            other_lanes,
                            counts,
                            member[last - 1],
                            worth[1, last - 1],
                            reach[depth + 1],
                            values[depth, 0],
                        )
                    else:
                        for x in range(lanes):
                            values[depth, 0, x] = zero
                action[depth] = 1
            a = action[depth]
            if a < actions:
                below = last + a
                action[depth] = a + 1
                next_at, next_opponent = below_at[depth], below_opponent[depth]
                next_node = below_node[depth]
                if my_turn:
                    if below == bets:
                        _doubted(
                            lanes,
                            other_lanes,
                            counts,
                            member[bets - 1],
                            worth[1, bets - 1],
                            reach[depth],
                            values[depth, a],
                        )
                        continue
                    below_at[depth] += others[below]
                    below_opponent[depth] += mine[below]
                    below_node[depth] += other_nodes[below]
                    for y in range(other_lanes):
                        reach[depth + 1, y] = reach[depth, y]
                    if not best:
                        for x in range(lanes):
                            own[depth + 1, x] = own[depth, x] * chosen[depth, a, x]
                else:
                    table = (opponent_at[depth] + a) * other_lanes
                    comes = zero
                    for y in range(other_lanes):
                        likely = reach[depth, y] * (
                            opponent[table + y] * ratio[0, depth, y] + ratio[1, depth, y]
                        )
                        reach[depth + 1, y] = likely
                        comes += likely
                    if below == bets:
                        if comes > zero:
                            _doubted(
                                lanes,
                                other_lanes,
                                counts,
                                member[bets - 1],
                                worth[0, bets - 1],
                                reach[depth + 1],
                                scratch[2],
                            )
                            for x in range(lanes):
                                values[depth, 0, x] += scratch[2, x]
                        continue
                    below_at[depth] += mine[below]
                    below_opponent[depth] += others[below]
                    below_node[depth] += my_nodes[below]
                    if comes == zero:
                        if not best:
                            for x in range(lanes):
                                due[next_node * lanes + x] += own[depth, x]
                        continue
                    if not best:
                        for x in range(lanes):
                            own[depth + 1, x] = own[depth, x]
                depth += 1
                place[depth], action[depth] = below, 0
                at[depth], opponent_at[depth], node[depth] = next_at, next_opponent, next_node
                continue
            result = values[depth, 0]
            if my_turn and best:
                result = scratch[0]
                for x in range(lanes):
                    result[x] = values[depth, first, x]
                for a in range(first + 1, actions):
                    for x in range(lanes):
                        result[x] = max(result[x], values[depth, a, x])
            elif my_turn:
                result = scratch[0]
                for x in range(lanes):
                    result[x] = zero
                for a in range(first, actions):
                    for x in range(lanes):
                        result[x] += chosen[depth, a, x] * values[depth, a, x]
                for a in range(first, actions):
                    table = (at[depth] + a) * lanes
                    for x in range(lanes):
                        average[table + x] += own[depth, x] * chosen[depth, a, x]
                        regrets[table + x] = max(
                            regrets[table + x] + values[depth, a, x] - result[x], zero
                        )
            if depth == 0:
                for x in range(lanes):
                    values[0, 0, x] = result[x]
                return
            depth -= 1
            if (depth & 1) == seat:
                for x in range(lanes):
                    values[depth, action[depth] - 1, x] = result[x]
            else:
                for x in range(lanes):
                    values[depth, 0, x] += result[x]

    compiled: Walk = walk
    return compiled


@njit(cache=True, error_model="numpy", nogil=True)
def catch_up(  # type: ignore[no-untyped-def]
    seat, bets, lanes, hands, sizes, regrets, average, due
) -> None:
    """Add to a seat's average what is due in subtrees that the opponent did not reach."""
    mine, others, my_nodes, other_nodes = sizes
    place, action, at, node = np.zeros((4, bets + 2), np.int64)
    weights = np.zeros((bets + 2, hands))
    chosen = np.zeros((bets + 2, bets + 1, hands))
    depth = 0
    while depth >= 0:
        last, my_turn = place[depth], (depth & 1) == seat
        if last == bets:
            depth -= 1
            continue
        actions, first = bets - last + 1, 1 if last == 0 else 0
        if action[depth] == 0:
            at[depth + 1], node[depth + 1] = at[depth], node[depth]
            action[depth] = 1
            if my_turn:
                at[depth + 1] += actions
                node[depth + 1] += 1
                for x in range(hands):
                    weights[depth, x] += due[node[depth] * lanes + x]
                    due[node[depth] * lanes + x] = 0
                    total = 0.0
                    for a in range(first, actions):
                        total += regrets[(at[depth] + a) * lanes + x]
                    for a in range(first, actions):
                        chosen[depth, a, x] = 1.0 / (actions - first)
                        if total > _TINY:
                            chosen[depth, a, x] = regrets[(at[depth] + a) * lanes + x] / total
                        average[(at[depth] + a) * lanes + x] += (
                            weights[depth, x] * chosen[depth, a, x]
                        )
        else:
            below = last + action[depth] - 1
            at[depth + 1] += others[below] if my_turn else mine[below]
            node[depth + 1] += other_nodes[below] if my_turn else my_nodes[below]
        a = action[depth]
        if a == actions:
            depth -= 1
            continue
        action[depth] = a + 1
        for x in range(hands):
            weights[depth + 1, x] = weights[depth, x]
            if my_turn:
                weights[depth + 1, x] *= chosen[depth, a, x]
        depth += 1
        place[depth], action[depth] = last + a, 0
