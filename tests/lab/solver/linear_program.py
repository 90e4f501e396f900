"""The value of a small round by linear programming over realisation plans.

An independent check: histories are tuples of bets and strategies are dictionaries, as in Koller,
Megiddo and von Stengel (1996). Nothing is shared with the solver but the payoffs.
"""

from collections import defaultdict
from itertools import combinations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_array

from arena.lab.solver import RoundGame


def value_of(game: RoundGame) -> float:
    """The opener's value: it maximises what it is sure of against every plan of the other."""
    bets = range(len(game.bets))
    histories = [history for size in range(len(bets) + 1) for history in combinations(bets, size)]
    plans: list[dict[object, int]] = [{}, {}]
    """By seat: the number of a sequence, which is (history after it or doubted history, hand)."""
    nodes: list[list[tuple[object | None, list[object]]]] = [[], []]
    """By seat: (the sequence that leads to a node, the sequences that follow)."""
    for seat in (0, 1):
        for hand in range(len(game.hands[seat])):
            for history in histories:
                if len(history) % 2 != seat:
                    continue
                raised = [(*history, bet) for bet in bets if not history or bet > history[-1]]
                follow: list[object] = [(seat, longer, hand) for longer in raised]
                if history:
                    follow.append((seat, history, "doubt", hand))
                before = (seat, history[:-1], hand) if len(history) > 1 else None
                nodes[seat].append((before, follow))
                for sequence in follow:
                    plans[seat][sequence] = len(plans[seat])
    # Dual of the other's best response: a number for each of its nodes.
    others = {id(node): index for index, node in enumerate(nodes[1])}
    own = len(plans[0])
    variables = own + len(others)
    gains: dict[object, dict[object, float]] = defaultdict(dict)
    for history in histories[1:]:
        bettor = (len(history) - 1) % 2
        for mine, chance in enumerate(game.chances[0]):
            for theirs, other_chance in enumerate(game.chances[1]):
                bet = history[-1]
                counts = game.matching[0][bet, mine], game.matching[1][bet, theirs]
                payoff = chance * other_chance * game.payoffs[bet, bettor, counts[0], counts[1]]
                doubt = (1 - bettor, history, "doubt", theirs if bettor == 0 else mine)
                led = (bettor, history, mine if bettor == 0 else theirs)
                ours, others_sequence = (led, doubt) if bettor == 0 else (doubt, led)
                gains[others_sequence][ours] = gains[others_sequence].get(ours, 0) + payoff
    at_most = lil_array((len(plans[1]), variables))
    leads: dict[object, list[int]] = defaultdict(list)
    for node in nodes[1]:
        leads[node[0]].append(others[id(node)])
    for node in nodes[1]:
        for sequence in node[1]:
            row = plans[1][sequence]
            at_most[row, own + others[id(node)]] = 1
            for later in leads[sequence]:
                at_most[row, own + later] = -1
            for ours, gain in gains[sequence].items():
                at_most[row, plans[0][ours]] -= gain
    equal = lil_array((len(nodes[0]), variables))
    right = np.zeros(len(nodes[0]))
    for row, (before, follow) in enumerate(nodes[0]):
        for sequence in follow:
            equal[row, plans[0][sequence]] = 1
        if before is None:
            right[row] = 1
        else:
            equal[row, plans[0][before]] = -1
    cost = np.zeros(variables)
    cost[[own + root for root in leads[None]]] = -1
    bounds = [(0, None)] * own + [(None, None)] * len(others)
    solved = linprog(
        cost, at_most.tocsr(), np.zeros(len(plans[1])), equal.tocsr(), right, bounds, method="highs"
    )
    assert solved.success
    return -float(solved.fun)
