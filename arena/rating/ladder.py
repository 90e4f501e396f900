"""The ladder of a log of results: ratings, errors, ranks, flags, bands and pairs.

This is the pure part of `arena rate`; a live board calls it (or `fit` alone) after every match.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import PRIOR_SD, Anchor, fit
from arena.rating.flags import Flag, flags
from arena.rating.intervals import Intervals, intervals
from arena.rating.methods import Clusters, ScoreRule
from arena.rating.ranks import Band, band_numbers, bands, ladder_order, rank_ranges
from arena.rating.results import BotT, Results


@dataclass(frozen=True, slots=True)
class Rating(Generic[BotT]):
    """The rating of one bot: a row of the ladder."""

    bot: BotT
    elo: float
    se: float
    """Standard error, Elo: relative to the anchor, or without an anchor to the mean of the pool."""
    interval: tuple[float, float]
    """The 95 % interval, Elo."""
    rank_low: int
    """1 + the number of bots that are better."""
    rank_high: int
    """The number of bots minus the number of those it is better than."""
    matches: int
    flags: frozenset[Flag]
    band: int
    """The number of the bot's band, from 0 (`ranks.band_numbers`)."""


@dataclass(frozen=True, slots=True)
class Pair(Generic[BotT]):
    """The comparison of two bots."""

    bot: BotT
    opponent: BotT
    difference: float
    """Elo of `bot` minus Elo of `opponent`."""
    se: float
    """Standard error of the difference, Elo."""
    los: float
    """Likelihood that `bot` is better, 0 to 1."""
    wins: int
    ties: int
    losses: int
    """Comparisons `bot` won, tied and lost, as counted by the score rule."""


@dataclass(frozen=True, slots=True, eq=False)
class Ladder(Generic[BotT]):
    """The ratings of a pool: established bots best first, then provisional ones.

    Bands and pairs are computed on demand.
    """

    intervals: Intervals[BotT]
    ratings: tuple[Rating[BotT], ...]

    @property
    def bands(self) -> tuple[Band[BotT], ...]:
        """Runs of neighbours by Elo that do not differ significantly, best first."""
        return bands(self.intervals)

    def pairs(self) -> Iterator[Pair[BotT]]:
        """Yield every pair once, also if the two never met; `bot` has the name that sorts first."""
        fitted = self.intervals.fit
        difference = self.intervals.difference.tolist()
        se, los = self.intervals.difference_se.tolist(), self.intervals.los.tolist()
        wins, ties = fitted.wins.tolist(), fitted.ties.tolist()
        order = sorted(range(len(fitted.bots)), key=lambda index: str(fitted.bots[index]))
        for place, i in enumerate(order):
            for j in order[place + 1 :]:
                yield Pair(
                    fitted.bots[i],
                    fitted.bots[j],
                    difference[i][j],
                    se[i][j],
                    los[i][j],
                    wins[i][j],
                    ties[i][j],
                    wins[j][i],
                )


def rate(
    results: Results[BotT],
    *,
    prior_sd: float | None = PRIOR_SD,
    anchor: Anchor[BotT] | None = None,
    score: ScoreRule = ScoreRule.PLACEMENT,
    clusters: Clusters = Clusters.BLOCK,
) -> Ladder[BotT]:
    """Return the ladder of a log.

    Args:
        results: The log.
        prior_sd: The prior's standard deviation in Elo; None for no prior.
        anchor: The bot with a fixed Elo.
        score: The score rule.
        clusters: The unit of independent results.

    Raises:
        UnboundedRatingError: There is no prior and no finite fit.
        AnchorError: The anchor has no match, or its Elo is too far from 0.
        RatingError: There is no match, or `prior_sd` is out of its limits.
    """
    measured = intervals(
        fit(Aggregate.of(results, score), prior_sd=prior_sd, anchor=anchor), results, clusters
    )
    return ladder(measured)


def ladder(measured: Intervals[BotT]) -> Ladder[BotT]:
    """Return the ladder of a fit with its intervals."""
    fitted = measured.fit
    elo, se = fitted.elo.tolist(), measured.se.tolist()
    low, high = measured.low.tolist(), measured.high.tolist()
    rank_low, rank_high = (ranks.tolist() for ranks in rank_ranges(measured))
    found, matches = flags(measured), fitted.matches.tolist()
    order = ladder_order(measured)
    ratings = tuple(
        Rating(
            fitted.bots[i],
            elo[i],
            se[i],
            (low[i], high[i]),
            rank_low[i],
            rank_high[i],
            matches[i],
            found[i],
            band,
        )
        for i, band in zip(order.tolist(), band_numbers(measured, order), strict=True)
    )
    return Ladder(measured, ratings)
