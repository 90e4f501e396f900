"""Bluff You!: a bot that plans its announcements by how often each seat says OK.

`bluff_you_equilibrium` makes both answers equally good, so it gains nothing from a seat that always
doubts, or that is led by what it saw. This bot assumes that others answer as the equilibrium does,
led by how often this bot told the truth; and it counts, by seat, by kind of announcement and by the
worth of the chip, how they do answer. If a seat believes at a rate of b

    a truth is worth prize * (1 - b) - price * b,
    a lie   is worth prize * b - price * (1 - b),
    a swap  is worth what the next bluffer loses by it, as the equilibrium values it.

A double, which a swap needs, comes in 4 of 9 rolls; so a swap is what saves it from a bad lie. It
chooses among all announcements to all seats, better ones more often, and rather lets a seat win
that has few points.
"""

from collections import Counter
from collections.abc import Iterator
from math import exp

from arena.bot import Match, run
from arena.games.bluff_you import (
    BluffYouChoice,
    BluffYouOptions,
    Revealed,
    Steal,
    Swap,
    Win,
    is_double,
)
from arena_sample_bots.bluff_you_equilibrium import (
    BluffYouEquilibrium,
    BluffYouTurn,
    offers,
    planned,
)

UNSEEN = 6
"""The weight of the equilibrium's rate of belief, as a number of observed answers."""
DEAR = 3
"""The points from which chips are counted apart from cheaper ones."""
TEMPERATURE = 0.2
"""The difference in points that makes an announcement e times rarer."""
AHEAD = 0.05
"""The price, in points, of letting a seat win, for each point that it has."""


class BluffYouPlanner(BluffYouEquilibrium):
    """A bot that announces what the seats asked have shown to answer wrongly."""

    def match_started(self, match: Match[BluffYouOptions]) -> None:
        """Reset the habits and the answers."""
        super().match_started(match)
        self.answers: Counter[tuple[int, type, bool, bool]] = Counter()
        """Answers by seat, kind of announcement, whether the chip was dear, and "believed"."""

    def act(self, turn: BluffYouTurn) -> BluffYouChoice:
        """Count the answers that were revealed, and return the choice for any phase."""
        points = turn.game.options.chip_points
        for event in turn.events:
            if isinstance(event, Revealed):
                said = event.announced
                dear = points[said.number - 3] >= DEAR
                self.answers[said.seer, type(said), dear, event.believed] += 1
        return super().act(turn)

    def announce(self, turn: BluffYouTurn) -> Win | Steal | Swap:
        """Return a truth, a swap or a lie, better ones more often."""
        worths = list(self.worths(turn))
        best = max(worth for worth, _ in worths)
        weights = [exp((worth - best) / TEMPERATURE) for worth, _ in worths]
        return self.random.choices([said for _, said in worths], weights)[0]

    def worths(self, turn: BluffYouTurn) -> Iterator[tuple[float, Win | Steal | Swap]]:
        """Yield all possible announcements and swaps, each with its worth in points."""
        view, options = turn.view, turn.game.options
        equilibrium = planned(view, options)
        rolled = sum(view.dice)
        for offer in offers(view, options):
            seats = [offer.owner] if offer.owner is not None else range(len(view.chips))
            for seat in seats:
                if seat == view.bluffer:
                    continue
                kind = Win if offer.owner is None else Steal
                dear = options.chip_points[offer.number - 3] >= DEAR
                expected = equilibrium.belief(offer) + self.lean(view.bluffer, kind)
                rate = self.rate(seat, kind, dear, expected)
                right = rate if offer.number == rolled else 1 - rate
                worth = offer.prize * (1 - right) - offer.price * right
                yield worth - AHEAD * right * view.points[seat], kind(seat, offer.number)
        exchange = equilibrium.exchange
        if exchange is not None and is_double(view.dice):
            yield exchange.worth, exchange.swap

    def rate(self, seat: int, kind: type, dear: bool, expected: float) -> float:
        """Return the expected rate at which a seat believes."""
        seen = [self.answers[seat, kind, dear, believed] for believed in (False, True)]
        return (UNSEEN * min(1.0, max(0.0, expected)) + seen[True]) / (UNSEEN + sum(seen))


if __name__ == "__main__":
    run(BluffYouPlanner)
