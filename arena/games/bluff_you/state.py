"""Everything about a match of Bluff You! at one moment, secrets included. It never leaves the
referee."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.games.bluff_you.values import Announcement, BluffYouPhase, Chips, Dice

# Read on every step; a module constant is found faster than an enum's member.
ROLL: Final = BluffYouPhase.ROLL
ANNOUNCE: Final = BluffYouPhase.ANNOUNCE
ANSWER: Final = BluffYouPhase.ANSWER
GIVE: Final = BluffYouPhase.GIVE
TAKE: Final = BluffYouPhase.TAKE
SWAP_AGAIN: Final = BluffYouPhase.SWAP_AGAIN
OVER: Final = BluffYouPhase.OVER


@dataclass(frozen=True, slots=True)
class BluffYouState:
    """Every chip is either in `centre` or with exactly one seat of `chips` (BY-2)."""

    turn: int
    bluffer: int
    phase: BluffYouPhase
    dice: Dice
    """() before the roll and after the end."""
    announced: Announcement | None
    believed: bool | None
    swaps: int
    """Swaps made in this turn."""
    no_win_turns: int
    """Finished turns in a row without a win attempt (BY-22)."""
    centre: Chips
    chips: tuple[Chips, ...]

    @property
    def asked(self) -> int | None:
        """The seat that acts now, if it is a seat."""
        phase = self.phase
        if phase is ANSWER:
            return self.said.seer
        return None if phase is ROLL or phase is OVER else self.bluffer

    @property
    def said(self) -> Announcement:
        """What was announced; only asked for in the phases after an announcement."""
        assert self.announced is not None
        return self.announced


def within_turn(
    state: BluffYouState, phase: BluffYouPhase, announced: Announcement, believed: bool | None
) -> BluffYouState:
    """The same turn, waiting for the next answer; no chip has moved."""
    return BluffYouState(
        state.turn,
        state.bluffer,
        phase,
        state.dice,
        announced,
        believed,
        0,
        state.no_win_turns,
        state.centre,
        state.chips,
    )


def next_turn(
    state: BluffYouState, centre: Chips, chips: tuple[Chips, ...], *, progress: bool
) -> BluffYouState:
    """A turn is finished: the next seat's roll, or the end when the centre is empty (BY-5, 20).

    `progress` says that a chip was won from the centre, which is what BY-22 asks for.
    """
    no_win_turns = 0 if progress else state.no_win_turns + 1
    turn, bluffer, phase = state.turn, state.bluffer, OVER
    if centre:
        turn, bluffer, phase = turn + 1, (bluffer + 1) % len(chips), ROLL
    return BluffYouState(turn, bluffer, phase, (), None, None, 0, no_win_turns, centre, chips)


def with_chip(chips: Chips, number: int) -> Chips:
    """`chips` and one more, ascending."""
    return tuple(sorted((*chips, number)))


def without_chip(chips: Chips, number: int) -> Chips:
    """`chips` less one of them."""
    place = chips.index(number)
    return chips[:place] + chips[place + 1 :]


def moved(chips: tuple[Chips, ...], number: int, giver: int, receiver: int) -> tuple[Chips, ...]:
    """The chips by seat after one went from a seat to another."""
    seats = list(chips)
    seats[giver] = without_chip(seats[giver], number)
    seats[receiver] = with_chip(seats[receiver], number)
    return tuple(seats)


def replaced(chips: tuple[Chips, ...], seat: int, own: Chips) -> tuple[Chips, ...]:
    """The chips by seat with those of one seat exchanged for others."""
    seats = list(chips)
    seats[seat] = own
    return tuple(seats)


def worth(points: Sequence[int], chips: Chips) -> int:
    """The points of chips; `points` is indexed by the number on the chip."""
    return sum([points[number] for number in chips])
