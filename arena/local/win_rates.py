"""Win rates of the bots of a series of matches, with confidence intervals."""

from collections import Counter
from dataclasses import dataclass

from arena.local.deal_blocks import BlockMatch
from arena.local.in_process import PlayedMatch
from arena.match.flow import Refused
from arena.match.result import shared_places


@dataclass(frozen=True, slots=True)
class WinRate:
    """The results of one bot."""

    name: str
    matches: int
    wins: float
    """The number of first places; one that n bots share counts 1/n."""
    mean_placing: float
    """The mean place; 1 is best, and tied bots get the mean of the places they share."""
    faults: int
    design_effect: float = 1.0
    """The variance of the share as estimated from its blocks, divided by the variance of
    independent matches."""

    @property
    def share(self) -> float:
        """The share of its matches that it won, 0 to 1."""
        return self.wins / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the share.

        Wilson's score interval for the effective number of matches (Kish 1965).
        """
        # Imported here, because a bot's process does not need numpy.
        import numpy as np

        from arena.rating.head_to_head import wilson

        worth = self.matches / self.design_effect
        low, high = wilson(np.array([self.share * worth]), np.array([worth]))
        return float(low[0]), float(high[0])


class WinRates:
    """A counter of played matches; the matches of a block come one after the other."""

    def __init__(self, names: list[str], *, matches_per_block: int = 1) -> None:
        self._size = matches_per_block
        self._block = [0.0] * len(names)
        """Wins in the current block."""
        self._block_squares = [0.0] * len(names)
        self._squares = [0.0] * len(names)
        self._names = names
        self._wins = [0.0] * len(names)
        self._places = [0.0] * len(names)
        self._faults = [0] * len(names)
        self.matches = 0
        self.reasons: Counter[tuple[str, str, str]] = Counter()
        """The number of faults by bot, kind and reason."""
        self.first: dict[tuple[str, str, str], Refused] = {}
        """The first occurrence of each of these faults."""

    def add(self, played: PlayedMatch | BlockMatch) -> None:
        """Count a match."""
        self.matches += 1
        result = played.result
        first, places = result.placing.count(1), shared_places(result.placing)
        for seat, contender in enumerate(played.contenders):
            self._places[contender] += places[seat]
            self._faults[contender] += result.faults[seat]
            if result.placing[seat] == 1:
                self._wins[contender] += 1 / first
                self._squares[contender] += 1 / first**2
                self._block[contender] += 1 / first
        if self.matches % self._size == 0:
            for contender, wins in enumerate(self._block):
                self._block_squares[contender] += wins**2
            self._block = [0.0] * len(self._names)
        for refused in played.refused:
            name = self._names[played.contenders[refused.seat]]
            fault = name, refused.kind.value, refused.reason
            self.reasons[fault] += 1
            self.first.setdefault(fault, refused)

    def table(self) -> list[WinRate]:
        """Return the bots, best first.

        At least one match must have been added.
        """
        rates = [
            WinRate(
                name=name,
                matches=self.matches,
                wins=wins,
                mean_placing=places / self.matches,
                faults=faults,
                design_effect=self._design_effect(contender),
            )
            for contender, (name, wins, places, faults) in enumerate(
                zip(self._names, self._wins, self._places, self._faults, strict=True)
            )
        ]
        return sorted(rates, key=lambda rate: (-rate.wins, rate.mean_placing))

    def _design_effect(self, contender: int) -> float:
        """Return the design effect, shrunk towards 1 as if by one more match.

        So it is never 0 or 0 / 0.
        """
        blocks, size = self.matches // self._size, self._size
        if size == 1:
            return 1.0
        if blocks < 2:
            return float(size)
        share = self._wins[contender] / self.matches
        smoothed = (self._wins[contender] + 0.5) / (self.matches + 1)
        one_more = smoothed * (1 - smoothed)
        scatter = self._block_squares[contender] / size - self.matches * share**2
        alone = self._squares[contender] / size - blocks * share**2
        return (max(0.0, scatter) * blocks / (blocks - 1) + one_more) / (max(0.0, alone) + one_more)
