"""A sweep of play that knows its last bets, compiled by numba."""

import numpy as np
from numba import njit


@njit(
    cache=True, fastmath={"contract", "reassoc", "nsz", "arcp", "nnan", "ninf"},
    error_model="numpy",
)  # fmt: skip
def sweep(  # type: ignore[no-untyped-def]
    seat, hands, learns, weight, places, rows, below, regrets, average, play, mistakes, opponent,
    trembling, chances, matching, worth, memory, tremble, rare, scale_of_mistakes,
):  # fmt: skip
    """Return the values of a seat's hands, and improve their play one by one.

    Each hand learns against all hands of the opponent at once.
    """
    lanes = memory.shape[2]
    come, theirs, mine = memory[0], memory[1], memory[2]
    answered, believed = memory[3], memory[4]
    values = np.zeros(rows[1], np.float32)
    doubted = np.zeros(lanes, np.float32)
    total = np.zeros(hands, np.float64)
    zero, one, tiny = np.float32(0), np.float32(1), np.float32(1e-20)
    for hand in range(hands):
        own = play[hand]
        # The reach probability of each node: with the seat on turn, with the opponent on turn.
        come[:] = zero
        theirs[:] = zero
        if seat == 0:
            come[0] = one
        else:
            theirs[0] = one
        for node in range(len(places)):
            actions = rows[node + 1] - rows[node]
            even = tremble / np.float32(actions if node else actions - 1)
            for row in range(rows[node] + 1, rows[node + 1]):
                after = below[row]
                chosen = (one - tremble) * own[row] + even
                for y in range(lanes):
                    theirs[after, y] += come[node, y] * chosen
                    come[after, y] += theirs[node, y] * trembling[row, y]
        for node in range(len(places) - 1, -1, -1):
            place, start = places[node], rows[node]
            actions = rows[node + 1] - start
            for y in range(lanes):
                mine[node, y] = zero
                answered[node, y] = zero
                doubted[y] = zero
            if place:
                count, chosen = matching[place - 1, hand], own[start]
                for y in range(lanes):
                    doubted[y] = worth[0, place - 1, count, y]
                    mine[node, y] = chosen * doubted[y]
                    answered[node, y] = opponent[start, y] * worth[1, place - 1, count, y]
            for row in range(start + 1, start + actions):
                # A local number, because loops that read it from an array are not vectorised.
                after, chosen = below[row], own[row]
                for y in range(lanes):
                    mine[node, y] += chosen * answered[after, y]
                for y in range(lanes):
                    answered[node, y] += opponent[row, y] * mine[after, y]
            if not learns or actions == 1:
                continue
            likely = zero
            for y in range(lanes):
                believed[0, y] = chances[y] * come[node, y]
                likely += believed[0, y]
            if likely == zero:  # the seat is never on turn there
                continue
            scale = one / (likely + rare)
            expected = zero
            for y in range(lanes):
                believed[0, y] *= scale
                expected += believed[0, y] * mine[node, y]
            positive = zero
            first = 0 if place else 1
            for a in range(first, actions):
                row = start + a
                value = zero
                if a:
                    after = below[row]
                    for y in range(lanes):
                        value += believed[0, y] * answered[after, y]
                else:
                    for y in range(lanes):
                        value += believed[0, y] * doubted[y]
                values[a] = value / max(likely * scale, tiny)  # given that the node is reached
                average[hand, row] += weight * likely * own[row]
                regrets[hand, row] = max(regrets[hand, row] + value - expected, zero)
                positive += regrets[hand, row]
            best = -one
            for a in range(first, actions):
                best = max(best, values[a])
            shares = zero
            for a in range(first, actions):
                values[a] = np.exp((values[a] - best) / scale_of_mistakes)
                shares += values[a]
            for a in range(first, actions):
                mistakes[hand, start + a] = values[a] / shares
            if positive > zero:
                for a in range(first, actions):
                    own[start + a] = regrets[hand, start + a] / positive
        for y in range(lanes):
            total[hand] += chances[y] * (mine[0, y] if seat == 0 else answered[0, y])
    return total
