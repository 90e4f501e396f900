"""The encoding of Bluff You! for learners: docs/learn.md has its layout.

Ids in order: believe, doubt, stop; give and take by chip, 16 each; win and then steal attempts, 16
by chip for each other seat, the next one first; then all swaps that the points of the chips allow,
in the order of `legal_swaps`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff_you.game import BluffYou
from arena.games.bluff_you.swaps import legal_swaps
from arena.games.bluff_you.values import (
    CHIPS,
    DICE,
    LOWEST_CHIP,
    PIPS,
    Answer,
    BluffYouChoice,
    BluffYouPhase,
    BluffYouView,
    Give,
    Steal,
    Stop,
    Swap,
    Take,
    Win,
)
from arena.games.encoding import EncodedField, Encoding

KINDS: Final = len(CHIPS)
BELIEVE, DOUBT, STOP, GIVE = range(4)
TAKE: Final = GIVE + KINDS
WIN: Final = TAKE + KINDS
PHASES: Final = tuple(BluffYouPhase)


class BluffYouEncoding(Encoding):
    """The encoding of Bluff You! at a fixed number of seats; its views hold no history.

    It covers all options unless the points of the chips allow too many swaps.
    """

    version: ClassVar[str] = "bluff_you-obs/1"

    def __init__(self, game: BluffYou, seats: int, *, history: bool) -> None:
        options = game.options
        points = (0,) * LOWEST_CHIP + options.chip_points
        self.steal: Final = WIN + KINDS * (seats - 1)
        """The id of the first steal attempt."""
        self.swap: Final = self.steal + KINDS * (seats - 1)
        """The id of the first swap."""
        self.swaps: tuple[Swap, ...] = ()
        if options.swap_max_per_turn:
            self.swaps = tuple(
                swap
                for swap in legal_swaps(CHIPS, CHIPS, points, options.swap_min_give)
                if swap.take not in swap.give
            )
        self._points = sum(options.chip_points)
        self.turns: Final = game.longest(seats)
        """The divisor of turn numbers."""
        super().__init__(
            game,
            seats,
            history=history,
            fields=_fields(seats),
            actions=self.swap + len(self.swaps),
        )
        self._swap_ids = {swap: self.swap + place for place, swap in enumerate(self.swaps)}

    def action(self, number: int, seat: int | None = None) -> BluffYouChoice:
        """Return the action with an id."""
        if not 0 <= number < self.actions:
            raise self._no_id(number)
        if number < GIVE:
            return (Answer(True), Answer(False), Stop())[number]
        if number < WIN:
            taking, chip = divmod(number - GIVE, KINDS)
            return Take(CHIPS[chip]) if taking else Give(CHIPS[chip])
        if number < self.swap:
            stealing = number >= self.steal
            away, chip = divmod(number - (self.steal if stealing else WIN), KINDS)
            seer = self._other(away + 1, seat)
            return Steal(seer, CHIPS[chip]) if stealing else Win(seer, CHIPS[chip])
        return self.swaps[number - self.swap]

    def id(self, action: Any, seat: int | None = None) -> int:
        """Return the id of an action."""
        match action:
            case Answer(believe):
                return BELIEVE if believe else DOUBT
            case Stop():
                return STOP
            case Give(number) if number in CHIPS:
                return GIVE + number - LOWEST_CHIP
            case Take(number) if number in CHIPS:
                return TAKE + number - LOWEST_CHIP
            case Win(seer, number) if number in CHIPS:
                return WIN + self._announced(self._away(seer, seat, action), number)
            case Steal(seer, number) if number in CHIPS:
                return self.steal + self._announced(self._away(seer, seat, action), number)
            case Swap() if action in self._swap_ids:
                return self._swap_ids[action]
        raise self._no_action(action)

    def _announced(self, away: int, number: int) -> int:
        return (away - 1) * KINDS + number - LOWEST_CHIP

    def _seats_and_own(self, view: BluffYouView) -> tuple[int, int | None]:
        return len(view.chips), view.seat

    def _observe(self, view: BluffYouView, into: Mapping[str, NDArray[np.float32]]) -> None:
        own, seats = view.seat, self.seats
        assert own is not None
        into["phase"][PHASES.index(view.phase)] = 1
        into["turn"][0] = view.turn / self.turns
        into["bluffer"][(view.bluffer - own) % seats] = 1
        if view.to_act is not None:
            into["to_act"][(view.to_act - own) % seats] = 1
        for die in view.dice:
            into["dice"][die - 1] += 1
        into["dice"] /= np.float32(DICE)
        said = view.announced
        if said is not None:
            into["kind"][int(type(said) is Steal)] = 1
            into["seer"][(said.seer - own) % seats] = 1
            into["number"][said.number - LOWEST_CHIP] = 1
        if view.believed is not None:
            into["answer"][0 if view.believed else 1] = 1
        for number in view.centre:
            into["centre"][number - LOWEST_CHIP] = 1
        chips = into["chips"].reshape(seats, KINDS)
        for seat, owned in enumerate(view.chips):
            into["points"][(seat - own) % seats] = view.points[seat] / self._points
            for number in owned:
                chips[(seat - own) % seats, number - LOWEST_CHIP] = 1
        into["no_win_turns"][0] = view.no_win_turns / view.no_win_limit


def _fields(seats: int) -> list[EncodedField]:
    return [
        EncodedField(
            "phase",
            (len(PHASES),),
            "phase",
            f"1 for the phase: {', '.join(phase.value for phase in PHASES)}",
        ),
        EncodedField("turn", (), "", "the number of the turn / the bound of the match's length"),
        EncodedField("bluffer", (seats,), "seat", "1 for the bluffer"),
        EncodedField("to_act", (seats,), "seat", "1 for the seat that is asked"),
        EncodedField(
            "dice", (PIPS,), "pips", "the dice of the turn that the seat sees, by pips / 3"
        ),
        EncodedField("kind", (2,), "win, steal", "1 for what was announced in this turn"),
        EncodedField("seer", (seats,), "seat", "1 for the seat that it was announced to"),
        EncodedField("number", (KINDS,), "chip", "1 for the announced number"),
        EncodedField("answer", (2,), "believes, doubts", "1 for the seer's answer"),
        EncodedField("centre", (KINDS,), "chip", "1 for chips in the centre"),
        EncodedField("chips", (seats, KINDS), "seat × chip", "1 for chips owned"),
        EncodedField("points", (seats,), "seat", "points of the chips owned / those of all chips"),
        EncodedField("no_win_turns", (), "", "turns in a row without a win attempt / the limit"),
    ]


ENCODING: Final = BluffYouEncoding
