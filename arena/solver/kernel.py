"""The inner loops of the solver, compiled by numba. The layout of tables is in tables.py.

A walk goes depth first through all histories after an opening bet and carries two vectors down:
how likely the opponent comes here with each hand, and how much the seat's own strategy weighs with
each of its hands. It brings up the value of each own hand. Vectors of all depths lie in `Stacks`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from arena.solver.round_game import Counts, Floats
    from arena.solver.tables import Table

_FAST = {"contract", "reassoc", "nsz", "arcp"}
"""Sums may be reordered; infinities and NaN do not occur."""


class Stacks:
    """The working memory of walks for one seat."""

    def __init__(self, bets: int, own_hands: int, other_hands: int) -> None:
        depth, most = bets + 2, max(own_hands, other_hands)
        self.reach = np.zeros((depth, other_hands))
        self.own = np.zeros((depth, own_hands))
        self.chosen = np.zeros((depth, bets + 1, most))
        self.values = np.zeros((depth, bets + 1, own_hands))
        self.scratch = np.zeros(2 * (bets + most + 2))
        self.marks = np.zeros((3, depth), np.int64)


def walk(
    stacks: Stacks,
    seat: int,
    best: bool,
    bet: int,
    offsets: "Counts",
    regrets: "Table",
    average: "Table",
    opponent: "Table",
    due: "Table",
    matching: "Counts",
    others_matching: "Counts",
    payoffs: "Floats",
    reach: "Floats",
    own: "Floats | None",
) -> "Floats":
    """The values of a seat's hands after the opening bet `bet`.

    With `best` they are those of a best response and nothing changes. Else regrets and average of
    the seat are updated.
    """
    stacks.reach[1] = reach
    if own is not None:
        stacks.own[1] = own
    _walk(
        seat, best, bet, len(matching), offsets, regrets, average, opponent, due, matching,
        others_matching, payoffs, stacks.reach, stacks.own, stacks.chosen, stacks.values,
        stacks.scratch, stacks.marks,
    )  # fmt: skip
    values: Floats = stacks.values[0, bet]
    return values


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _walk(
    seat: int,
    best: bool,
    first: int,
    bets: int,
    offsets: Any,
    regrets: Any,
    average: Any,
    opponent: Any,
    due: Any,
    matching: Any,
    others_matching: Any,
    payoffs: Any,
    reach: Any,
    own: Any,
    chosen: Any,
    values: Any,
    scratch: Any,
    marks: Any,
) -> None:
    hands, others = own.shape[1], reach.shape[1]
    own_counts, other_counts = payoffs.shape[2], payoffs.shape[3]
    last, history, action = marks[0], marks[1], marks[2]
    # As many bets were made as the depth says, and the seat on turn is the depth's parity.
    depth = 1
    last[1], history[1], action[1] = first, 1 << first, 0
    while True:
        bet, here = last[depth], history[depth]
        node, actions = (here - (1 << bet)) >> 1, bets - bet
        mine = (depth & 1) == seat
        if action[depth] == 0:
            doubted = depth
            if not best:
                for x in range(hands):
                    own[depth, x] += due[here, x]
                    due[here, x] = 0.0
            if mine:
                if not best:
                    at = offsets[seat, bet] + node * actions * hands
                    _normalise(regrets, at, actions, hands, scratch, chosen, depth)
            else:
                at = offsets[1 - seat, bet] + node * actions * others
                _normalise(opponent, at, actions, others, scratch, chosen, depth)
                doubted = depth + 1
                for y in range(others):
                    reach[doubted, y] = reach[depth, y] * chosen[depth, 0, y]
            # A doubt's payoff depends on the matching dice alone, so hands are counted by them.
            for theirs in range(other_counts):
                scratch[theirs] = 0.0
            for y in range(others):
                scratch[others_matching[bet, y]] += reach[doubted, y]
            for ours in range(own_counts):
                total = 0.0
                for theirs in range(other_counts):
                    total += scratch[theirs] * payoffs[bet, 1 - (depth & 1), ours, theirs]
                scratch[other_counts + ours] = total
            for x in range(hands):
                values[depth, 0, x] = scratch[other_counts + matching[bet, x]]
            action[depth] = 1
        raised = action[depth]
        if raised < actions:
            below = here + (1 << (bet + raised))
            comes = False
            for y in range(others):
                reach[depth + 1, y] = reach[depth, y]
                if not mine:
                    reach[depth + 1, y] *= chosen[depth, raised, y]
                if reach[depth + 1, y] != 0.0:
                    comes = True
            if not best:
                for x in range(hands):
                    own[depth + 1, x] = own[depth, x]
                    if mine:
                        own[depth + 1, x] *= chosen[depth, raised, x]
            if comes:
                depth += 1
                last[depth], history[depth], action[depth] = bet + raised, below, 0
                continue
            if not best:
                for x in range(hands):
                    due[below, x] += own[depth + 1, x]
            if mine:
                for x in range(hands):
                    values[depth, raised, x] = 0.0
            action[depth] = raised + 1
            continue
        for x in range(hands):
            scratch[x] = values[depth, 0, x]
        if mine and best:
            for a in range(1, actions):
                for x in range(hands):
                    scratch[x] = max(scratch[x], values[depth, a, x])
        elif mine:
            for x in range(hands):
                scratch[x] *= chosen[depth, 0, x]
            for a in range(1, actions):
                for x in range(hands):
                    scratch[x] += chosen[depth, a, x] * values[depth, a, x]
            at = offsets[seat, bet] + node * actions * hands
            for a in range(actions):
                for x in range(hands):
                    k = at + a * hands + x
                    regrets[k] = max(regrets[k] + values[depth, a, x] - scratch[x], 0.0)
                    average[k] += own[depth, x] * chosen[depth, a, x]
        depth -= 1
        if depth == 0:
            for x in range(hands):
                values[0, first, x] = scratch[x]
            return
        if (depth & 1) == seat:
            for x in range(hands):
                values[depth, action[depth], x] = scratch[x]
        else:
            for x in range(hands):
                values[depth, 0, x] += scratch[x]
        action[depth] += 1


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _normalise(
    table: Any, at: int, actions: int, hands: int, scratch: Any, chosen: Any, depth: int
) -> None:
    """Probabilities in proportion to a node's entries; equal ones where all are zero."""
    for x in range(hands):
        scratch[x] = 0.0
    for a in range(actions):
        for x in range(hands):
            scratch[x] += table[at + a * hands + x]
    for x in range(hands):
        scratch[x] = 1.0 / scratch[x] if scratch[x] > 0.0 else 0.0
    for a in range(actions):
        for x in range(hands):
            some = scratch[x] > 0.0
            chosen[depth, a, x] = table[at + a * hands + x] * scratch[x] if some else 1.0 / actions


@njit(cache=True, error_model="numpy")
def catch_up(seat: int, bets: int, offsets: Any, regrets: Any, average: Any, due: Any) -> None:
    """Add to a seat's average what is due in subtrees that the opponent did not reach."""
    hands = due.shape[1]
    for bet in range(bets):
        actions = bets - bet
        for node in range(1 << bet):
            here = (1 << bet) + node
            some, on_turn, rest = False, 1, node
            for x in range(hands):
                if due[here, x] != 0.0:
                    some = True
            if not some:
                continue
            while rest:
                on_turn ^= rest & 1
                rest >>= 1
            at = offsets[seat, bet] + (node >> 1) * actions * hands
            for x in range(hands):
                weight = due[here, x]
                due[here, x] = 0.0
                if on_turn != seat:
                    for a in range(1, actions):
                        due[here + (1 << (bet + a)), x] += weight
                    continue
                total = 0.0
                for a in range(actions):
                    total += regrets[at + a * hands + x]
                for a in range(actions):
                    chosen = 1.0 / actions
                    if total > 0.0:
                        chosen = regrets[at + a * hands + x] / total
                    average[at + a * hands + x] += weight * chosen
                    if a:
                        due[here + (1 << (bet + a)), x] += weight * chosen
