"""Statistics of the results of two bots against each other; pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from arena.rating.confidence_sequence import confidence_sequence
from arena.rating.head_to_head import wilson
from arena.server.boards.board import BoardLine
from arena.server.boards.comparisons import Comparisons
from arena_dashboard.parts.markup import Html, faint, tag

EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Met:
    """The results of all versions of one bot against all versions of another on a ladder."""

    bot: str
    opponent: str
    wins: int
    ties: int
    losses: int
    pairs: int = 1
    """The number of pairs of versions that met."""

    @property
    def count(self) -> int:
        """How many comparisons there are."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """Points per comparison; a tie is half a point."""
        return (self.wins + self.ties / 2) / self.count

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the share."""
        low, high = wilson(np.array([self.share * self.count]), np.array([float(self.count)]))
        return float(low[0]), float(high[0])

    @property
    def sequence(self) -> tuple[float, float]:
        """95 % confidence sequence of the share.

        It holds however often it is looked at, but only for a single pair of versions.
        """
        return confidence_sequence(self.share * self.count, self.count)


def met(bot: str, opponent: str, lines: Sequence[BoardLine], found: Comparisons) -> Met:
    """Return the sum over all pairs of their versions."""
    names = {line.version_id: line.bot for line in lines}
    own = [at for at, one in enumerate(found.bots) if names.get(one) == bot]
    others = [at for at, one in enumerate(found.bots) if names.get(one) == opponent]
    wins = ties = losses = pairs = 0
    for at, other in product(own, others):
        meetings = found.met(at, other)
        if meetings is not None:
            wins += meetings.wins
            ties += meetings.ties
            losses += meetings.losses
            pairs += 1
    return Met(bot, opponent, wins, ties, losses, pairs)


def verdict(found: Met, ladder: str) -> str:
    """Return the verdict in one sentence; `ladder` is the ladder in words.

    A bot is called better only if the confidence sequence says so, because people look often.
    """
    if not found.count:
        return f"{found.bot} and {found.opponent} have not met in a rated match of {ladder} yet."
    now_low, now_high = found.interval
    low, high = found.sequence
    looks = f"however often one looks, {low:.0%} to {high:.0%}"
    if found.pairs > 1:
        looks = f"{found.pairs} pairs of versions together"
    points = (
        f"{found.bot} took {found.share:.0%} of the points from {found.opponent} in {ladder} "
        f"(95 % interval {now_low:.0%} to {now_high:.0%}; {looks}; {found.count:,} comparisons)"
    )
    if low > EVEN:
        return f"{found.bot} is better than {found.opponent}: {points}."
    if high < EVEN:
        return f"{found.opponent} is better than {found.bot}: {points}."
    return f"Undecided: {points}, so either may be the better one."


def share_bar(found: Met) -> Html:
    """Return the share as a bar with its interval."""
    low, high = found.interval
    said = f"{found.wins:,} won, {found.ties:,} tied, {found.losses:,} lost"
    return tag(
        "div",
        tag(
            "span",
            tag("i", style=f"left:{low:.1%};width:{high - low:.1%}"),
            tag("b", style=f"left:{found.share:.1%}"),
            class_="ba-interval ba-share",
            role="img",
            aria_label=f"{found.bot}: {found.share:.0%}; {said}",
        ),
        faint(said),
        class_="ba-versus",
    )
