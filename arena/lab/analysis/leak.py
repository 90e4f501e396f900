"""The largest leak of a bot: what it does too often or too rarely, and when.

A habit is a leak only if it differs from solved play beyond chance. Its cost is the loss of the
decisions in which the bot followed it and should not have.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from arena.games.bluff import Doubt
from arena.games.bluff.bets import lowest_raises
from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.frequencies import OPENS, Frequency, SituationName, by_bet, by_dice

_CLEAR: Final = 1.5
"""The number of half-widths of the 95 % interval by which a habit must differ from solved play. Of
about twenty habits compared, one differs by one half-width by chance alone.
"""
_MOSTLY: Final = 0.5
"""The share of a leak's cost in one dice situation above which that situation is named."""
_TOO: Final = {False: "too rarely", True: "too often"}
_Place: TypeAlias = tuple[str, SituationName]
"""A habit or kind of decision, and its situation."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The largest leak of a bot; losses are in chances to win."""

    what: str
    """The habit, such as "doubts too often"; or where no habit differs from solved play, the kind
    of decision that costs most, such as "doubts where a bet is better".
    """
    habit: bool
    """Whether `what` is a habit."""
    situation: SituationName
    """The situation by the standing bet."""
    dice: SituationName | None
    """Which seat has more dice where over half of the cost arises; None if no such situation."""
    loss: float
    """The leak's cost divided by the number of decisions in the situation."""
    share: float
    """The leak's share of the bot's total loss."""

    @property
    def in_words(self) -> str:
        """The leak as a sentence."""
        does = f"It {self.what}" if self.habit else f"It loses most by {self.what},"
        bet = f"the standing {self.situation.replace('bet', 'bet is', 1)}"
        mostly = f", mostly {self.dice}" if self.dice else ""
        return (
            f"{does} when {self.situation if self.situation == OPENS else bet}{mostly}: "
            f"{self.loss:.1%} of a win a decision there, {self.share:.0%} of all that it loses."
        )


def leak_of(found: Sequence[AnalysedDecision], counted: Sequence[Frequency]) -> Leak | None:
    """Return the habit that costs the bot most, by its decisions with values and frequencies.

    Where no habit differs from solved play, it is the kind of decision that costs most. None if the
    bot loses nothing.
    """
    there = Counter(map(by_bet, found))
    by: dict[_Place, dict[SituationName | None, float]] = defaultdict(lambda: defaultdict(float))
    for decision in found:
        if decision.loss:
            dice = by_dice(decision.solved) if decision.solved else None
            for what in (*_habits(decision), _kind(decision)):
                by[what, by_bet(decision)][dice] += decision.loss
    habits = {
        (f"{one.what}s {one.in_words}", one.situation)
        for one in counted
        if one.in_words and abs(one.difference.mean) > _CLEAR * one.difference.error
    }
    kinds = {(_kind(decision), by_bet(decision)) for decision in found if decision.loss}
    costs = {place: sum(parts.values()) for place, parts in by.items()}
    leaks = habits & costs.keys() or kinds
    if not leaks:
        return None
    what, situation = worst = max(leaks, key=costs.__getitem__)
    dice = max(by[worst], key=by[worst].__getitem__)
    return Leak(
        what,
        worst in habits,
        situation,
        dice if by[worst][dice] > _MOSTLY * costs[worst] else None,
        costs[worst] / there[situation],
        costs[worst] / sum(decision.loss or 0 for decision in found),
    )


def _habits(decision: AnalysedDecision) -> Iterator[str]:
    """Yield the bot's costly deviations from solved play in this decision, as habits."""
    place, doubted = decision.solved, isinstance(decision.action, Doubt)
    if place is not None:
        if doubted != isinstance(decision.best, Doubt):
            yield f"doubts {_TOO[doubted]}"
        if place.bluffed != place.better_bluffs:
            yield f"bluffs {_TOO[place.bluffed]}"


def _kind(decision: AnalysedDecision) -> str:
    action, best = decision.action, decision.best
    if isinstance(action, Doubt):
        return "doubts where a bet is better"
    if isinstance(best, Doubt):
        return "bets where a doubt is better"
    higher = action.quantity >= lowest_raises(best.quantity, best.face)[action.face - 1]
    return f"bets where a {'lower' if higher else 'higher'} one is better"
