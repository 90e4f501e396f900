"""What a series of matches says about its bots."""

from collections import Counter
from dataclasses import dataclass
from math import sqrt

from arena.bot.in_process import Played

_Z = 1.959964
"""Of the normal distribution, for 95 %."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's matches."""

    name: str
    matches: int
    wins: float
    """First places; a shared one counts in parts."""
    mean_placing: float
    faults: int

    @property
    def share(self) -> float:
        """The share of the matches that it won."""
        return self.wins / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share lies with 95 % confidence: Wilson's score interval."""
        return wilson(self.wins, self.matches)


class Standings:
    """Counts matches as they are played."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._wins = [0.0] * len(names)
        self._placings = [0] * len(names)
        self._faults = [0] * len(names)
        self.matches = 0
        self.reasons: Counter[tuple[str, str, str]] = Counter()
        """Faults by name, kind and what was wrong."""

    def add(self, played: Played) -> None:
        """Count a match."""
        self.matches += 1
        result = played.transcript.result
        first = result.placing.count(1)
        for seat, contender in enumerate(played.contenders):
            self._placings[contender] += result.placing[seat]
            self._faults[contender] += result.faults[seat]
            if result.placing[seat] == 1:
                self._wins[contender] += 1 / first
        for refused in played.refused:
            name = self._names[played.contenders[refused.seat]]
            self.reasons[name, refused.kind.value, refused.reason] += 1

    def table(self) -> list[Standing]:
        """The bots, best first. Only after the first match."""
        standings = [
            Standing(name, self.matches, wins, placings / self.matches, faults)
            for name, wins, placings, faults in zip(
                self._names, self._wins, self._placings, self._faults, strict=True
            )
        ]
        return sorted(standings, key=lambda standing: (-standing.wins, standing.mean_placing))


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % score interval (E. B. Wilson 1927): honest near 0 and 1 and for few trials."""
    share = successes / trials
    centre = share + _Z**2 / (2 * trials)
    margin = _Z * sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    scale = 1 + _Z**2 / trials
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)
