"""A whole match: the decisions, what they sum up to by seat, and how they explain the result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.analysis.decisions import AnalysedDecision, decisions
from arena.analysis.grades import Grade
from arena.analysis.values import ActionValues
from arena.luck import luck_of
from arena.match.transcript import Transcript

_GOOD = (Grade.BEST, Grade.FINE)


@dataclass(frozen=True, slots=True)
class SeatAnalysis:
    """The decisions of one seat that have values; those played for it are left out."""

    decisions: tuple[AnalysedDecision, ...]

    @property
    def losses(self) -> list[float]:
        """What each decision cost."""
        return [decision.loss for decision in self.decisions if decision.loss is not None]

    @property
    def mistakes(self) -> int:
        """How many decisions are neither best nor fine."""
        return sum(decision.grade not in _GOOD for decision in self.decisions)

    @property
    def accuracy(self) -> float | None:
        """The share of decisions that are best or fine; None without decisions."""
        return 1 - self.mistakes / len(self.decisions) if self.decisions else None

    @property
    def mean_loss(self) -> float | None:
        """What a decision cost on average, in chances to win; None without decisions."""
        return sum(self.losses) / len(self.losses) if self.losses else None

    @property
    def worst(self) -> AnalysedDecision | None:
        """The decision that cost most; None without decisions."""
        return max(self.decisions, key=lambda decision: decision.loss or 0, default=None)


@dataclass(frozen=True, slots=True)
class Account:
    """One seat's result of a match between two, as a sum: start + luck + own decisions + the
    other's decisions + residual = result, all in chances to win."""

    start: float
    """1/2: before the first draw both seats are alike."""
    luck: float
    """What the draws gave, by the table of luck."""
    own: float
    """What the own decisions cost: zero or less."""
    other: float
    """What the other seat's decisions cost it: zero or more."""
    residual: float
    """What is left: values are estimates, and luck is counted for the draws alone."""
    result: float
    """1 for a win, 0 for a loss, 1/2 for a tie."""


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """What is known of one match."""

    transcript: Transcript
    decisions: tuple[AnalysedDecision, ...]
    seats: tuple[SeatAnalysis, ...]
    accounts: tuple[Account, ...]
    """By seat; () unless there are two seats and every decision has values."""


def analyse(transcript: Transcript, sources: Sequence[ActionValues] | None = None) -> MatchAnalysis:
    """The analysis of a match. Raises TranscriptError if it contradicts the rules."""
    return analysis_of(transcript, tuple(decisions(transcript, sources)))


def analysis_of(transcript: Transcript, found: tuple[AnalysedDecision, ...]) -> MatchAnalysis:
    """The same by decisions that are known already."""
    seats = by_seat(found, len(transcript.setup.entrants))
    complete = len(seats) == 2 and bool(found) and all(d.values for d in found)
    return MatchAnalysis(transcript, found, seats, _accounts(transcript, found) if complete else ())


def by_seat(found: Sequence[AnalysedDecision], seats: int) -> tuple[SeatAnalysis, ...]:
    """The decisions of a match by the seat that made them."""
    return tuple(
        SeatAnalysis(tuple(d for d in found if d.seat == seat and d.values and not d.forced))
        for seat in range(seats)
    )


def _accounts(transcript: Transcript, found: Iterable[AnalysedDecision]) -> tuple[Account, ...]:
    luck, placing = luck_of(transcript).seats, transcript.result.placing
    lost = [0.0, 0.0]
    for decision in found:
        lost[decision.seat] += decision.loss or 0.0
    accounts = []
    for seat in (0, 1):
        own, other = placing[seat], placing[1 - seat]
        result = 0.5 if own == other else float(own < other)
        explained = 0.5 + luck[seat] - lost[seat] + lost[1 - seat]
        accounts.append(
            Account(0.5, luck[seat], -lost[seat], lost[1 - seat], result - explained, result)
        )
    return tuple(accounts)
