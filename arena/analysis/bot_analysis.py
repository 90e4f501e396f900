"""A bot over many matches: what its decisions cost, and where it loses most."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from arena.analysis.decisions import AnalysedDecision
from arena.analysis.frequencies import Frequency, frequencies
from arena.analysis.grades import Grade
from arena.analysis.loss_sums import Estimate, LossSums
from arena.analysis.match_analysis import SeatAnalysis


@dataclass(frozen=True, slots=True)
class BotAnalysis:
    """The decisions of a bot in its matches; losses are in chances to win."""

    matches: int
    decisions: int
    loss: Estimate
    """Of a decision. The interval takes the decisions of a match as one cluster."""
    match_loss: Estimate
    """Of all decisions in a match."""
    grades: Counter[Grade]
    leak: str
    """In a sentence, the situation in which it loses most."""
    frequencies: tuple[Frequency, ...]
    """How often it bluffs and doubts, beside solved play; () where that is unknown."""


def analyse_bot(matches: Iterable[SeatAnalysis]) -> BotAnalysis | None:
    """The sum over a bot's matches; None if no decision has values."""
    played = [seat for seat in matches if seat.losses]
    if not played:
        return None
    sums = LossSums.of((len(seat.losses), sum(seat.losses)) for seat in played)
    found = [decision for seat in played for decision in seat.decisions]
    return BotAnalysis(
        sums.matches,
        sums.decisions,
        sums.by_decision,
        sums.by_match,
        Counter(decision.grade for decision in found if decision.grade is not None),
        _leak(found, sums.matches),
        frequencies(played),
    )


def _leak(found: Iterable[AnalysedDecision], matches: int) -> str:
    lost: dict[tuple[str, str], float] = defaultdict(float)
    times: Counter[tuple[str, str]] = Counter()
    for decision in found:
        if decision.loss:
            situation = (_kind(decision.action), _kind(decision.best))
            lost[situation] += decision.loss
            times[situation] += 1
    if not lost:
        return "It loses nothing."
    worst = max(lost, key=lost.__getitem__)
    taken, better = worst
    what = (
        f"a {taken} where another was better"
        if taken == better
        else (f"a {taken} where a {better} was better")
    )
    return (
        f"It loses most by {what}: {lost[worst] / sum(lost.values()):.0%} of its loss, "
        f"{times[worst] / matches:.1f} times a match."
    )


def _kind(action: object) -> str:
    return type(action).__name__.lower()
