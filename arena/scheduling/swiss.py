"""The Swiss format: in every round, bots meet others with similar points.

Two seats: pairing follows the Dutch system, but as a matching of least cost instead of its list of
steps. Of all ways to pair the field, a round is one that is best by these criteria, each of which
outweighs all later ones:

1. no bot has a second bye (with an odd field one bot has a bye; it counts as a pairing won);
2. as few pairings as possible are rematches: none as long as that is avoidable;
3. the bye goes to a bot with as few points as possible;
4. bots meet within their score group: the sum of the squared differences of points is least;
5. a bot that met a stronger or weaker group in the last round does not do so again;
6. within a score group the upper half (by seeding) meets the lower half, best against best; a bot
   that must leave its group is from its lower end and meets the upper end of the next group;
7. lots, drawn by the schedule's seed.

A pairing gives 1 point to the bot with more points over its blocks, 1/2 to both if equal. Ranking
is by these points per round, without a round in which the bot's own pairing is not decided; then by
the sum of the opponents' points (Buchholz; a bye counts as an opponent with the bot's own points);
then by the mean points of a block.

More seats: see `arena.scheduling.swiss_tables`. A pairing gives a bot the share of opponents at the
table with fewer points over its blocks, equal ones counting half. A bye gives 1/2, the average of a
table, because there may be several in a round and some bots will have one more than others. In the
sum of the opponents' points a bye counts as a table of bots with the bot's own points.

Bots that withdrew are left out of later rounds.

The matching is from networkx (Galil 1986); with integer costs it is exact.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import networkx

from arena.match.score_rule import ScoreRule
from arena.randomness import shuffled
from arena.scheduling.pairings import (
    EntryNumber,
    FormatError,
    Pairing,
    PlayedPairing,
    Standing,
    all_done,
    blocks_by_entry,
    divided,
    points_by_entry,
    ranked,
    schedule_randomness,
    seated,
)
from arena.scheduling.scoring import points, ranks
from arena.scheduling.swiss_history import BYE, SwissHistory, history_of
from arena.scheduling.swiss_tables import as_numbers, tables

MOST_ROUNDS = 100
"""The most rounds with more than two seats, where rematches are allowed."""


def usual_rounds(field: int) -> int:
    """Return the default number of rounds: enough that at most one bot can win all its pairings."""
    return max(1, (field - 1).bit_length())


@dataclass(frozen=True, slots=True)
class Swiss:
    """A Swiss of `rounds` rounds, with `blocks` blocks per pairing. A Format."""

    blocks: int
    rounds: int
    seed: str
    seats: int = 2

    tie_breaks = ("Buchholz", "points per block")
    pairs_ahead = False

    def check(self, field: int) -> None:
        if field < self.seats:
            raise FormatError(f"a Swiss needs at least {self.seats} bots")
        if self.seats > 2:
            if self.rounds > MOST_ROUNDS:
                raise FormatError(f"a Swiss is for at most {MOST_ROUNDS} rounds")
            return
        most = field if field % 2 else field - 1
        if self.rounds > most:
            raise FormatError(f"{field} bots can play at most {most} rounds without a rematch")

    def made_together(self, pairing: Pairing) -> bool:
        del pairing
        return False

    def blocks_wanted(self, played: PlayedPairing) -> int:
        return 0 if played.pairing.is_bye else self.blocks

    def next_pairings(
        self, field: int, played: Sequence[PlayedPairing], withdrawn: Set[EntryNumber] = frozenset()
    ) -> tuple[Pairing, ...] | None:
        if not all_done(self, played):
            return ()
        last = max((one.pairing.round for one in played), default=0)
        present = [entry for entry in range(1, field + 1) if entry not in withdrawn]
        if last >= self.rounds or not present:
            return None
        history = history_of(field, self._outcomes(played), self.seats, withdrawn)
        return self._round(last + 1, present, history)

    def standings(self, field: int, played: Sequence[PlayedPairing]) -> tuple[Standing, ...]:
        history = history_of(field, self._outcomes(played), self.seats)
        blocks = blocks_by_entry(played)
        by_block = divided(points_by_entry(played), blocks)

        def tie_breaks(entry: EntryNumber) -> tuple[Fraction, ...]:
            opponents = (history.points[other or entry] for other in history.met[entry])
            return sum(opponents, Fraction(0)), by_block.get(entry, Fraction(0))

        rounds = Counter(dict.fromkeys(history.points, len({one.pairing.round for one in played})))
        rounds.subtract(
            entry for one in played if not all_done(self, [one]) for entry in one.pairing.entries
        )
        means = divided(history.points, rounds)
        return ranked(field, history.points, tie_breaks, blocks, means)

    def expected_blocks(self, field: int) -> int:
        return self.rounds * (field // self.seats) * self.blocks

    def _outcomes(
        self, played: Sequence[PlayedPairing]
    ) -> list[tuple[Pairing, tuple[Fraction, ...]]]:
        """Return the decided pairings with their points; for a bye see the module's docstring."""
        return [
            (
                one.pairing,
                (Fraction(1) if self.seats == 2 else Fraction(1, 2),)
                if one.pairing.is_bye
                else points(ranks(one.total()), ScoreRule.PLACEMENT),
            )
            for one in played
            if all_done(self, [one])
        ]

    def _round(
        self, number: int, present: Sequence[EntryNumber], history: SwissHistory
    ) -> tuple[Pairing, ...]:
        if self.seats == 2:
            matched: list[tuple[EntryNumber, ...]] = _matching(number, present, history, self.seed)
        else:
            matched = tables(number, present, self.seats, history, self.seed)
        # The leaders' table first, the bye last.
        matched.sort(key=lambda pair: (BYE in pair, -sum(history.points[e] for e in pair if e)))
        randomness = schedule_randomness(self.seed)
        return tuple(
            seated(randomness, number, table, sorted(entry for entry in pair if entry != BYE))
            for table, pair in enumerate(matched, start=1)
        )


def _matching(
    number: int, present: Sequence[EntryNumber], history: SwissHistory, seed: str
) -> list[tuple[EntryNumber, ...]]:
    """Return the pairs of a round; (BYE, entry) for the bye."""
    entries = [*([BYE] if len(present) % 2 else []), *present]
    lots = shuffled(schedule_randomness(seed), f"round {number} lots", entries)
    cost = partial(_cost, history=history, lot={entry: lot for lot, entry in enumerate(lots)})
    graph: networkx.Graph[EntryNumber] = networkx.Graph()
    edges = {
        (one, other): cost(one, other)
        for at, one in enumerate(entries)
        for other in entries[at + 1 :]
    }
    for (one, other), total in as_numbers(edges, len(entries)).items():
        graph.add_edge(one, other, weight=-total)
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in matched)


def _cost(
    one: EntryNumber, other: EntryNumber, history: SwissHistory, lot: dict[EntryNumber, int]
) -> tuple[int, ...]:
    """Return the cost, by criterion, of two bots meeting; `one` as BYE is a bye for `other`."""
    if one == BYE:
        again = history.met[other].count(BYE)
        # A bye counts as a group below all others, so it goes to the lower end of a group.
        return again, 0, history.halves(other), 0, 0, history.from_below(other), lot[other]
    difference = abs(history.halves(one) - history.halves(other))
    upper, lower = sorted((one, other), key=history.standing)
    if difference == 0:
        half = history.group_size(one) // 2
        floats = 0
        fit = abs(history.from_above(lower) - history.from_above(upper) - half)
    else:
        floats = (history.floated[upper] < 0) + (history.floated[lower] > 0)
        fit = history.from_below(upper) + history.from_above(lower)
    # Among equally good pairings, prefer the one whose lots are closest.
    apart = abs(lot[one] - lot[other])
    return 0, history.met[one].count(other), 0, difference**2, floats, fit, apart
