"""Solve Bluff with one die each by tabular CFR+, from nothing but the rules.

    python cfr.py --iterations 100

The rules list the rolls with their probabilities (`chance_outcomes`), say who is asked (`to_act`),
apply actions and place the seats. All 36 pairs of hands go through the 4,096 histories of bets
together, as arrays (Zinkevich and others 2007; Tammelin 2014). The result is a policy like that of
a net: a function from observations and masks to weights. `policy_exploitability` measures it by
exact best responses; `arena solve` does the same thousands of times faster.
"""

import argparse
import time

import numpy as np

from arena.games.game import DEALER
from arena.learn import encoding, evaluate, policy_exploitability

ENCODED = encoding("bluff", seats=2, history=True, dice_per_player=1, start_mode="seat")
RULES = ENCODED.game


class Node:
    """A history of bets, for all hands of both seats."""

    def __init__(self, states):
        """`states` by hand of seat 0 and hand of seat 1 differ in the hands alone."""
        some = states[0][0]
        (self.seat,) = RULES.to_act(some)
        own = states if self.seat == 0 else list(zip(*states))
        views = [RULES.view(by_other[0], self.seat) for by_other in own]
        self.actions = np.flatnonzero(ENCODED.mask(views[0]))
        self.keys = [ENCODED.observe(view).tobytes() for view in views]
        self.regrets = np.zeros((len(self.actions), len(views)))
        self.average = np.zeros_like(self.regrets)
        self.children = [self.after(states, int(action)) for action in self.actions]

    def after(self, states, number):
        """Return the node after an action, or what the match is then worth to seat 0, by hands."""
        action = ENCODED.action(number, self.seat)
        after = [[RULES.apply(state, self.seat, action) for state in row] for row in states]
        if RULES.to_act(after[0][0]) != ():
            return Node(after)
        won = [[RULES.placing(end)[0] == 1 for end in row] for row in after]
        return np.where(won, 1.0, -1.0)

    def strategy(self):
        """Return the probability of each action by hand, in proportion to its regret."""
        total = self.regrets.sum(0)
        shares = self.regrets / np.where(total > 0, total, 1)
        return np.where(total > 0, shares, 1 / len(self.actions))

    def improve(self, reach, weight):
        """Learn, and return both seats' values by hand; `reach` has the chances to come here."""
        strategy, seat = self.strategy(), self.seat
        found = []
        for child, chance in zip(self.children, strategy):
            there = [reach[0] * chance, reach[1]] if seat == 0 else [reach[0], reach[1] * chance]
            if isinstance(child, Node):
                found.append(child.improve(there, weight))
            else:
                found.append((child @ there[1], -(there[0] @ child)))
        own = np.array([values[seat] for values in found])
        value = (strategy * own).sum(0)
        self.regrets = np.maximum(self.regrets + own - value, 0)
        self.average += weight * reach[seat] * strategy
        others = sum(values[1 - seat] for values in found)
        return (value, others) if seat == 0 else (others, value)

    def nodes(self):
        """Yield this node and all below."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.nodes()


def rolled():
    """Return the states after the roll by both hands, and the probability of a seat's hands."""
    start = RULES.start(2)
    assert RULES.to_act(start) is DEALER
    outcomes = RULES.chance_outcomes(start)
    states = {}
    for roll, chance in outcomes.items():
        state = RULES.apply(start, DEALER, roll)
        states[tuple(RULES.view(state, seat).hidden_dice for seat in (0, 1))] = state, float(chance)
    hands = sorted({own for own, _ in states})
    table = [[states[own, other][0] for other in hands] for own in hands]
    return table, np.array([sum(states[own, other][1] for other in hands) for own in hands])


def policy_of(root):
    """Return the average strategy as a policy."""
    known = {}
    for node in root.nodes():
        for hand, key in enumerate(node.keys):
            weights = np.full(ENCODED.actions, 1e-9)
            weights[node.actions] += node.average[:, hand]
            known[key] = weights

    def policy(observations, masks):
        return np.array([known.get(row.tobytes(), mask) for row, mask in zip(observations, masks)])

    return policy


def main(arguments=None):
    """Solve, and print how exploitable the average strategy is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--matches", type=int, default=400, help="against cfr, afterwards")
    given = parser.parse_args(arguments)
    begun = time.perf_counter()
    states, chances = rolled()
    root = Node(states)
    print(f"{sum(1 for _ in root.nodes()):,} histories, {time.perf_counter() - begun:.1f} s")
    for iteration in range(1, given.iterations + 1):
        root.improve([chances, chances], iteration**2)
        if iteration % 25 == 0 or iteration == given.iterations:
            found = policy_exploitability(policy_of(root), dice=1, history=True, start_mode="seat")
            print(
                f"{iteration} iterations, {time.perf_counter() - begun:.1f} s: the opener wins "
                f"{found.values.low:.4%} to {found.values.high:.4%}, NashConv {found.nash_conv:.5f}"
            )
    if given.matches:
        (met,) = evaluate(
            policy_of(root),
            ["cfr"],
            matches=given.matches,
            history=True,
            dice_per_player=1,
            start_mode="seat",
        )
        share, low, high = met.share
        print(f"against cfr it wins {share:.1%} ({low:.1%} to {high:.1%}) of {met.matches} matches")


if __name__ == "__main__":
    main()
