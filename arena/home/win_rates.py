"""What a series of matches says about its bots."""

from collections import Counter
from dataclasses import dataclass

from arena.home.deal_blocks import BlockMatch
from arena.home.in_process import PlayedMatch


@dataclass(frozen=True, slots=True)
class WinRate:
    """One bot's matches."""

    name: str
    matches: int
    wins: float
    """First places; a shared one counts in parts."""
    mean_placing: float
    faults: int
    design_effect: float = 1.0
    """The variance of the share, as its blocks scatter, in that of independent matches."""

    @property
    def share(self) -> float:
        """The share of the matches that it won."""
        return self.wins / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share lies with 95 % confidence: Wilson's score interval, for as many matches
        as they are worth (Kish 1965)."""
        # Here, because a bot's process that plays a match need not wait for numpy.
        import numpy as np

        from arena.rating.head_to_head import wilson

        worth = self.matches / self.design_effect
        low, high = wilson(np.array([self.share * worth]), np.array([worth]))
        return float(low[0]), float(high[0])


class WinRates:
    """Counts matches as they are played, those of a block one after the other."""

    def __init__(self, names: list[str], *, matches_per_block: int = 1) -> None:
        self._size = matches_per_block
        self._block = [0.0] * len(names)
        """Wins in the block that is being counted."""
        self._block_squares = [0.0] * len(names)
        self._squares = [0.0] * len(names)
        self._names = names
        self._wins = [0.0] * len(names)
        self._placings = [0] * len(names)
        self._faults = [0] * len(names)
        self.matches = 0
        self.reasons: Counter[tuple[str, str, str]] = Counter()
        """Faults by name, kind and what was wrong."""

    def add(self, played: PlayedMatch | BlockMatch) -> None:
        """Count a match."""
        self.matches += 1
        result = played.result
        first = result.placing.count(1)
        for seat, contender in enumerate(played.contenders):
            self._placings[contender] += result.placing[seat]
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
            self.reasons[name, refused.kind.value, refused.reason] += 1

    def table(self) -> list[WinRate]:
        """The bots, best first. Only after the first match."""
        standings = [
            WinRate(
                *(name, self.matches, wins, placings / self.matches, faults),
                self._design_effect(contender),
            )
            for contender, (name, wins, placings, faults) in enumerate(
                zip(self._names, self._wins, self._placings, self._faults, strict=True)
            )
        ]
        return sorted(standings, key=lambda standing: (-standing.wins, standing.mean_placing))

    def _design_effect(self, contender: int) -> float:
        """Drawn towards 1 as by one more match, so that it is never 0, nor 0 / 0."""
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
