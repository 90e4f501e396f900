"""The analysis of a bot over many matches: the losses of its decisions, and its largest leak."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from arena.lab.analysis.frequencies import Frequency, frequencies
from arena.lab.analysis.grades import Grade
from arena.lab.analysis.leak import Leak, leak_of
from arena.lab.analysis.loss_sums import Estimate, LossSums
from arena.lab.analysis.match_analysis import SeatAnalysis


@dataclass(frozen=True, slots=True)
class BotAnalysis:
    """The decisions of a bot in its matches; losses are in chances to win."""

    matches: int
    decisions: int
    loss: Estimate
    """The loss of a decision. The interval takes the decisions of a match as one cluster."""
    match_loss: Estimate
    """The loss of all decisions in a match."""
    grades: Counter[Grade]
    leak: Leak | None
    """The habit or kind of decision that costs most; None if it loses nothing."""
    frequencies: tuple[Frequency, ...]
    """The frequencies of its bluffs and doubts, beside those of solved play; () where they are
    unknown.
    """


def analyse_bot(matches: Iterable[SeatAnalysis]) -> BotAnalysis | None:
    """Return the sums over a bot's seats in analysed matches; None if no decision has values."""
    played = [seat for seat in matches if seat.losses]
    if not played:
        return None
    sums = LossSums.of((len(seat.losses), sum(seat.losses)) for seat in played)
    found = [decision for seat in played for decision in seat.decisions]
    counted = frequencies(played)
    return BotAnalysis(
        sums.matches,
        sums.decisions,
        sums.by_decision,
        sums.by_match,
        Counter(decision.grade for decision in found if decision.grade is not None),
        leak_of(found, counted),
        counted,
    )
