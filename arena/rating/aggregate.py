"""The aggregate of results that the fit needs: per pair of bots, wins, ties and sums of luck.

A match changes only its own pairs, so adding a match to a million others, or removing one when its
block is voided, is fast. Counts are integers: adding and removing in any order gives exactly the
same values. Sums of luck are floats and agree up to rounding.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arena.rating.elo import FloatArray, IntArray
from arena.rating.errors import RatingError
from arena.rating.luck_sums import LuckSums, grown, pair_luck
from arena.rating.methods import ScoreRule
from arena.rating.results import BotT, MatchColumns, MatchResult, Results


def pair_outcomes(
    rule: ScoreRule, first: NDArray[np.int16], second: NDArray[np.int16]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the pairs that the first bot won, tied and lost under a score rule.

    Args:
        rule: The score rule; WINNER counts only pairs in which a bot came first.
        first: (n,) placings of the first bot of each pair, 1 is best.
        second: (n,) placings of the second bot of each pair.

    Returns:
        (first wins, tie, second wins), each (n,); a pair that is not counted is False in all three.
    """
    better, equal, worse = first < second, first == second, first > second
    if rule is ScoreRule.WINNER:
        better, equal, worse = better & (first == 1), equal & (first == 1), worse & (second == 1)
    return better, equal, worse


class Aggregate(Generic[BotT]):
    """Wins and ties per pair of bots under one score rule, and matches per bot.

    `bots` fixes the order of the first bots, as the tables of a log need; new bots follow.
    """

    def __init__(self, rule: ScoreRule = ScoreRule.PLACEMENT, bots: Iterable[BotT] = ()) -> None:
        self.rule = rule
        self._numbers = {bot: number for number, bot in enumerate(dict.fromkeys(bots))}
        count = len(self._numbers)
        self._wins = np.zeros((count, count), np.int64)
        self._ties = np.zeros((count, count), np.int64)
        self._matches = np.zeros(count, np.int64)
        self.luck = LuckSums(rule)

    @classmethod
    def of(cls, results: Results[BotT], rule: ScoreRule = ScoreRule.PLACEMENT) -> "Aggregate[BotT]":
        """Return the aggregate of a whole log.

        Args:
            results: The log; its bots become the first K bots, in their order.
            rule: The score rule that decides which pairs count.
        """
        aggregate = cls(rule, results.bots)
        for table in results.tables:
            aggregate.add_table(table)
        return aggregate

    @property
    def bots(self) -> tuple[BotT, ...]:
        """All K bots ever added; every array follows their order."""
        return tuple(self._numbers)

    @property
    def wins(self) -> IntArray:
        """(K, K): how often i beat j."""
        used = len(self._numbers)
        return self._wins[:used, :used]

    @property
    def ties(self) -> IntArray:
        """(K, K): how often i and j tied; symmetric."""
        used = len(self._numbers)
        return self._ties[:used, :used]

    @property
    def matches(self) -> IntArray:
        """(K,): matches played."""
        return self._matches[: len(self._numbers)]

    @property
    def score(self) -> FloatArray:
        """W (K, K): points i took from j; a tie is half a point for each."""
        score: FloatArray = self.wins + 0.5 * self.ties
        return score

    @property
    def pairs(self) -> FloatArray:
        """N (K, K): the number of comparisons of i and j, W + W transposed."""
        pairs: FloatArray = (self.wins + self.wins.T + self.ties).astype(np.float64)
        return pairs

    def add(self, match: MatchResult[BotT]) -> None:
        """Add a match; the cost is proportional to its pairs."""
        self._count(match, 1)

    def remove(self, match: MatchResult[BotT]) -> None:
        """Remove a match, such as one of a voided block.

        Raises:
            RatingError: No such match was added, as far as the counts show.
        """
        for bot, _ in match.seats:
            if bot not in self._numbers or not self._matches[self._numbers[bot]]:
                raise RatingError(f"match {match.match}: {bot} has no match to take back")
        self._count(match, -1)

    def add_table(self, table: MatchColumns) -> None:
        """Add all matches of one table size; its indices must be those of this aggregate."""
        count = len(self._numbers)
        wins = np.zeros(count * count)
        ties = np.zeros(count * count)
        for a, b in combinations(range(table.seats), 2):
            first = table.bots[:, a].astype(np.int64)
            second = table.bots[:, b].astype(np.int64)
            outcomes = pair_outcomes(self.rule, table.placings[:, a], table.placings[:, b])
            better, equal, worse = outcomes
            if table.luck is not None:
                x = pair_luck(table.luck[:, a], table.luck[:, b], table.seats)
                self.luck.add_pairs(first, second, outcomes, x, count)
            winner = np.where(worse, second, first)
            loser = np.where(worse, first, second)
            key = winner * count + loser
            wins += np.bincount(key[better | worse], minlength=count * count)
            ties += np.bincount(key[equal], minlength=count * count)
        if table.luck is not None:
            self.luck.add_matches(table.bots, table.luck, count)
        both = ties.reshape(count, count)
        self.wins[:] += wins.reshape(count, count).astype(np.int64)
        self.ties[:] += (both + both.T).astype(np.int64)
        self.matches[:] += np.bincount(table.bots.ravel(), minlength=count)

    def without(self, others: "Aggregate[BotT]") -> "Aggregate[BotT]":
        """Return these counts less those of `others`, without luck.

        Args:
            others: An aggregate of some of these matches; all its bots must be among these bots.
        """
        left = Aggregate(self.rule, self.bots)
        at = np.array([self._numbers[bot] for bot in others.bots], np.int64)
        chosen = np.ix_(at, at)
        left.wins[:], left.ties[:], left.matches[:] = self.wins, self.ties, self.matches
        left.wins[chosen] -= others.wins
        left.ties[chosen] -= others.ties
        left.matches[at] -= others.matches
        return left

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all counts and sums, without the bots' names, to be stored.

        `of_arrays` reads them.
        """
        met = np.triu(self.pairs > 0) | np.triu(self.luck.squares(len(self._numbers)) > 0)
        low, high = np.nonzero(met)
        return {
            "matches": self.matches.copy(),
            "low": low.astype(np.int32),
            "high": high.astype(np.int32),
            "wins": self.wins[low, high],
            "losses": self.wins[high, low],
            "ties": self.ties[low, high],
            **self.luck.arrays(low, high, len(self._numbers)),
        }

    @classmethod
    def of_arrays(
        cls, rule: ScoreRule, bots: Iterable[BotT], arrays: Mapping[str, NDArray[np.generic]]
    ) -> "Aggregate[BotT]":
        """Return the aggregate that `arrays` stored.

        Args:
            rule: The score rule of the stored aggregate.
            bots: Its bots, in their order at that time.
            arrays: What `arrays` returned.
        """
        found = cls(rule, bots)
        low, high = arrays["low"].astype(np.int64), arrays["high"].astype(np.int64)
        found.matches[:] = arrays["matches"]
        found.wins[low, high], found.wins[high, low] = arrays["wins"], arrays["losses"]
        found.ties[low, high] = found.ties[high, low] = arrays["ties"]
        found.luck.set_arrays(low, high, len(found._numbers), arrays)
        return found

    def index(self, bot: BotT) -> int:
        """Return the bot's index in all arrays; a new bot gets the next one."""
        number = self._numbers.setdefault(bot, len(self._numbers))
        capacity = len(self._matches)
        if number == capacity:
            # Growing by a part keeps the average cost of a new bot constant.
            more = max(8, capacity // 4)
            self._wins = grown(self._wins, more)
            self._ties = grown(self._ties, more)
            self._matches = np.pad(self._matches, (0, more))
        return number

    def _count(self, match: MatchResult[BotT], sign: int) -> None:
        seats = [(self.index(bot), placing) for bot, placing in match.seats]
        for number, _ in seats:
            self._matches[number] += sign
        winner_only = self.rule is ScoreRule.WINNER
        for (i, first), (j, second) in combinations(seats, 2):
            if winner_only and min(first, second) > 1:
                continue
            if first == second:
                self._ties[i, j] += sign
                self._ties[j, i] += sign
            elif first < second:
                self._wins[i, j] += sign
            else:
                self._wins[j, i] += sign
        if match.luck is not None:
            self.luck.add(seats, match.luck, sign)
