"""The tables and byes of a Swiss round with more than two seats.

Every table is full; bots left over have a bye: those with the fewest byes so far, then those with
the fewest points, then the lower seeded.

The other bots are seated by these criteria, each of which outweighs all later ones:

1. as few pairs as possible meet again (a third time counts twice, and so on);
2. bots meet within their score group: the sum of the squared differences of points is least;
3. a bot that met stronger or weaker bots in the last round does not do so again;
4. within a score group each table takes one of the best (by seeding), one of the next, and so on;
5. lots, drawn by the schedule's seed.

The optimum cannot be computed for more than a dozen bots: even with three seats it is one of Karp's
21 NP-complete problems (1972). So tables are filled by points, or by lots alone, and bots of two
tables are exchanged as long as that improves the round; the best of STARTS such rounds is used.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from arena.randomness import shuffled
from arena.scheduling.pairings import EntryNumber, schedule_randomness
from arena.scheduling.swiss_history import BYE, SwissHistory

STARTS = 32
"""The number of starts: enough to find the optimum in all 576 rounds of up to 12 bots that were
compared with all possible seatings.
"""

_Costs = dict[EntryNumber, dict[EntryNumber, int]]


def tables(
    number: int, present: Sequence[EntryNumber], seats: int, history: SwissHistory, seed: str
) -> list[tuple[EntryNumber, ...]]:
    """Return the tables of round `number`; (BYE, entry) for each bye."""
    byes = _byes(present, seats, history)
    playing = [entry for entry in present if entry not in byes]
    if not playing:  # so many withdrew that no table is full
        return [(BYE, entry) for entry in sorted(byes)]
    cost = _costs(playing, seats, history)
    found: list[tuple[int, list[tuple[EntryNumber, ...]]]] = []
    for start in range(STARTS):
        lots = shuffled(schedule_randomness(seed), f"round {number} lots {start}", playing)
        # The first start is by points (lots decide among equals), the others are by lots alone.
        order = sorted(lots, key=lambda entry: -history.points[entry] if start == 0 else 0)
        filled = [order[at : at + seats] for at in range(0, len(order), seats)]
        found.append(_improved(filled, cost))
    best = min(found, key=lambda one: one[0])[1]
    return [*best, *((BYE, entry) for entry in sorted(byes))]


def _byes(present: Sequence[EntryNumber], seats: int, history: SwissHistory) -> set[EntryNumber]:
    def least_deserving(entry: EntryNumber) -> tuple[object, ...]:
        return history.met[entry].count(BYE), history.points[entry], -entry

    return set(sorted(present, key=least_deserving)[: len(present) % seats])


def _costs(playing: Sequence[EntryNumber], seats: int, history: SwissHistory) -> _Costs:
    """Return the cost of each two bots at one table, as one number for all criteria above."""
    costs = {
        (one, other): _cost(one, other, seats, history) for one, other in combinations(playing, 2)
    }
    summed: _Costs = {entry: {entry: 0} for entry in playing}
    for (one, other), total in as_numbers(costs, len(playing) * (seats - 1) // 2).items():
        summed[one][other] = summed[other][one] = total
    return summed


def as_numbers(
    costs: Mapping[tuple[EntryNumber, EntryNumber], tuple[int, ...]], most: int
) -> dict[tuple[EntryNumber, EntryNumber], int]:
    """Return the cost of each two bots as one number for all criteria.

    In a sum of at most `most` of them a criterion outweighs all later ones.
    """
    *later, _ = reversed([max(column) for column in zip(*costs.values(), strict=True)])
    weights = [1]
    for largest in later:
        weights.insert(0, weights[0] * (largest * most + 1))
    return {
        pair: sum(weight * part for weight, part in zip(weights, cost, strict=True))
        for pair, cost in costs.items()
    }


def _cost(
    one: EntryNumber, other: EntryNumber, seats: int, history: SwissHistory
) -> tuple[int, ...]:
    again = history.met[one].count(other)
    # Points of a pairing, including those of a bye, are multiples of 1 / parts.
    parts = 2 * (seats - 1)
    difference = int(parts * abs(history.points[one] - history.points[other]))
    if difference:
        upper, lower = sorted((one, other), key=history.standing)
        floats = (history.floated[upper] < 0) + (history.floated[lower] > 0)
        return again, difference**2, floats, 0
    pots = [
        history.from_above(entry) * seats // history.group_size(entry) for entry in (one, other)
    ]
    return again, 0, 0, int(pots[0] == pots[1])


def _improved(
    filled: Sequence[Sequence[EntryNumber]], cost: _Costs
) -> tuple[int, list[tuple[EntryNumber, ...]]]:
    """Return (remaining cost, tables) after all exchanges of two bots that lower the cost."""
    table_of = {entry: at for at, table in enumerate(filled) for entry in table}
    sums = {
        entry: [sum(cost[entry][other] for other in table) for table in filled]
        for entry in table_of
    }
    """The cost of each bot at each table."""
    pairs = list(combinations(sorted(table_of), 2))
    improved = True
    while improved:
        improved = False
        for one, other in pairs:
            here, there = table_of[one], table_of[other]
            if here == there:
                continue
            before = sums[one][here] + sums[other][there]
            # The sums count each bot at the other's table as if the other stayed.
            after = sums[one][there] + sums[other][here] - 2 * cost[one][other]
            if after >= before:
                continue
            improved = True
            table_of[one], table_of[other] = there, here
            for entry, costs in cost.items():
                more = costs[other] - costs[one]
                sums[entry][here] += more
                sums[entry][there] -= more
    total = sum(sums[entry][at] for entry, at in table_of.items())
    seated = [
        tuple(sorted(entry for entry, at in table_of.items() if at == table))
        for table in range(len(filled))
    ]
    return total, seated
