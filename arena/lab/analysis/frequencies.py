"""The frequencies of a bot's bluffs and doubts by situation, beside near-equilibrium play.

A bot's actions are compared with those of the solved tables in the same places with the same dice,
so neither its luck nor its opponents make a difference. A situation is the dice that both seats
have left, or how likely the standing bet is given the seat's own dice.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from arena.games.bluff import Doubt
from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.loss_sums import Estimate, LossSums
from arena.lab.analysis.match_analysis import SeatAnalysis
from arena.lab.analysis.solved_place import SolvedPlace

What: TypeAlias = Literal["bluff", "doubt"]
SituationName: TypeAlias = str

EVERYWHERE: Final[SituationName] = "everywhere"
_DICE: Final = ("with fewer dice", "with as many dice", "with more dice")
OPENS: Final[SituationName] = "no bet stands"
_LIKELY: Final = (
    (0.25, "bet under 25 % likely"),
    (0.5, "bet 25 to 50 % likely"),
    (0.75, "bet 50 to 75 % likely"),
    (2.0, "bet over 75 % likely"),
)
"""The situations by the probability of the standing bet, given the seat's own dice, with the upper
bound of each.
"""
SITUATIONS: Final = (EVERYWHERE, *_DICE, OPENS, *(name for _, name in _LIKELY))
"""The situations in the order of display; after them come those of certain dice, such as "3 against
2 dice".
"""

_MANY = 30
"""The least number of decisions for which a difference is reported."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """The frequency of a bot's bluffs or doubts in a situation.

    Intervals take a match as one cluster.
    """

    what: What
    situation: SituationName
    decisions: int
    share: Estimate
    """The share of the decisions in which the bot bluffed or doubted."""
    solved: float
    """The share of solved play in the same places."""
    difference: Estimate
    """The bot's share minus that of solved play."""

    @property
    def in_words(self) -> str:
        """The difference as "too often" or "too rarely"; "" if it is uncertain.

        It is uncertain if its interval includes 0 or rests on few decisions.
        """
        if self.decisions < _MANY or abs(self.difference.mean) <= self.difference.error:
            return ""
        return "too often" if self.difference.mean > 0 else "too rarely"


def frequencies(matches: Iterable[SeatAnalysis]) -> tuple[Frequency, ...]:
    """Return the frequencies of bluffs and doubts in all situations of a bot's matches.

    Args:
        matches: The bot's seats in analysed matches.

    Returns:
        Shares of 0 to 1 with 95 % intervals, bluffs before doubts, in the order of `SITUATIONS`; ()
        where solved play is unknown.
    """
    counted: dict[tuple[What, SituationName], list[_Counts]] = {}
    for match in matches:
        in_match: dict[tuple[What, SituationName], _Counts] = {}
        for decision in match.decisions:
            if decision.solved is not None:
                for what, did, solved in _answers(decision, decision.solved):
                    for situation in _situations(decision, decision.solved):
                        counts = in_match.setdefault((what, situation), _Counts())
                        counts.add(did=did, solved=solved)
        for key, counts in in_match.items():
            counted.setdefault(key, []).append(counts)
    ordered = sorted(counted, key=lambda key: (key[0], *_place(key[1])))
    return tuple(_frequency(what, situation, counted[what, situation])
                 for what, situation in ordered)  # fmt: skip


@dataclass(slots=True)
class _Counts:
    """The counts of one situation in one match."""

    decisions: int = 0
    taken: float = 0.0
    solved: float = 0.0

    def add(self, *, did: bool, solved: float) -> None:
        """Count a decision: whether the bot acted so, and how often solved play does."""
        self.decisions += 1
        self.taken += did
        self.solved += solved


def _answers(decision: AnalysedDecision, place: SolvedPlace) -> Iterator[tuple[What, bool, float]]:
    yield "bluff", place.bluffed, place.bluffs
    if place.doubts is not None:
        yield "doubt", isinstance(decision.action, Doubt), place.doubts


def by_bet(decision: AnalysedDecision) -> SituationName:
    """Return the situation by the probability of the standing bet."""
    if decision.unread is None:
        return OPENS
    return next(name for bound, name in _LIKELY if decision.unread <= bound)


def by_dice(place: SolvedPlace) -> SituationName:
    """Return the situation by which seat has more dice."""
    own, other = place.own_dice, place.other_dice
    return _DICE[(own > other) - (own < other) + 1]


def _situations(decision: AnalysedDecision, place: SolvedPlace) -> Iterator[SituationName]:
    yield EVERYWHERE
    yield by_dice(place)
    yield by_bet(decision)
    yield f"{place.own_dice} against {place.other_dice} dice"


def _place(situation: SituationName) -> tuple[int, SituationName]:
    return (SITUATIONS.index(situation) if situation in SITUATIONS else len(SITUATIONS)), situation


def _frequency(what: What, situation: SituationName, matches: Sequence[_Counts]) -> Frequency:
    decisions = sum(match.decisions for match in matches)
    return Frequency(
        what,
        situation,
        decisions,
        LossSums.of((match.decisions, match.taken) for match in matches).by_decision,
        sum(match.solved for match in matches) / decisions,
        LossSums.of((match.decisions, match.taken - match.solved) for match in matches).by_decision,
    )
