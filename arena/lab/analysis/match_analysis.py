"""The analysis of a match: its decisions, and their sums by seat."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.lab.analysis.decisions import AnalysedDecision, decisions
from arena.lab.analysis.grades import Grade
from arena.lab.analysis.values import ActionValues
from arena.match.replay import TranscriptError, replay
from arena.match.result import Termination
from arena.match.transcript import Transcript

_GOOD = (Grade.BEST, Grade.FINE)


@dataclass(frozen=True, slots=True)
class SeatAnalysis:
    """The decisions of one seat that have values; those played for it are left out."""

    decisions: tuple[AnalysedDecision, ...]

    @property
    def losses(self) -> list[float]:
        """The loss of each decision, in chances to win."""
        return [decision.loss for decision in self.decisions if decision.loss is not None]

    @property
    def mistakes(self) -> int:
        """The number of decisions that are neither best nor fine."""
        return sum(decision.grade not in _GOOD for decision in self.decisions)

    @property
    def accuracy(self) -> float | None:
        """The share of decisions that are best or fine; None without decisions."""
        return 1 - self.mistakes / len(self.decisions) if self.decisions else None

    @property
    def mean_loss(self) -> float | None:
        """The mean loss of a decision, in chances to win; None without decisions."""
        return sum(self.losses) / len(self.losses) if self.losses else None

    @property
    def worst(self) -> AnalysedDecision | None:
        """The decision that cost most; None without decisions."""
        return max(self.decisions, key=lambda decision: decision.loss or 0, default=None)


@dataclass(frozen=True, slots=True)
class MatchAnalysis:
    """One match with its decisions, in order and by seat."""

    transcript: Transcript
    decisions: tuple[AnalysedDecision, ...]
    seats: tuple[SeatAnalysis, ...]


def analyse(transcript: Transcript, sources: Sequence[ActionValues] | None = None) -> MatchAnalysis:
    """Return the analysis of a match; each decision takes the first source with values for it.

    By default the sources are `known_sources`.

    Raises:
        TranscriptError: The transcript contradicts the rules, or says that the match is finished
            before it is.
    """
    *_, last = replay(transcript)
    finished = transcript.result.termination is Termination.FINISHED
    if finished and transcript.setup.make_game().to_act(last.state) != ():
        raise TranscriptError(f"the match is not over after step {last.index}")
    return analysis_of(transcript, tuple(decisions(transcript, sources)))


def analysis_of(transcript: Transcript, found: tuple[AnalysedDecision, ...]) -> MatchAnalysis:
    """Return the analysis of a match all of whose decisions are already known, in order."""
    return MatchAnalysis(transcript, found, by_seat(found, len(transcript.setup.entrants)))


def by_seat(found: Sequence[AnalysedDecision], seats: int) -> tuple[SeatAnalysis, ...]:
    """Return for each seat its decisions with values, without those played for it."""
    return tuple(
        SeatAnalysis(tuple(d for d in found if d.seat == seat and d.values and not d.forced))
        for seat in range(seats)
    )
