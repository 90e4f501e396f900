"""The complete state of a match of Bluff You!, including secrets; it never leaves the referee."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.games.bluff_you.values import BluffYouAnnouncement, BluffYouPhase, Chips, ThreeDice

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
    """The state of a match; every chip is in `centre` or with one seat of `chips` (BY-2)."""

    turn: int
    bluffer: int
    phase: BluffYouPhase
    dice: ThreeDice
    """The dice of the turn; () before the roll and after the end."""
    announced: BluffYouAnnouncement | None
    believed: bool | None
    swaps: int
    """The number of swaps made in this turn."""
    no_win_turns: int
    """The number of consecutive finished turns without a win attempt (BY-22)."""
    centre: Chips
    chips: tuple[Chips, ...]

    @property
    def asked(self) -> int | None:
        """The seat that acts now; None while the dealer acts and after the end."""
        phase = self.phase
        if phase is ANSWER:
            return self.said.seer
        return None if phase is ROLL or phase is OVER else self.bluffer

    @property
    def said(self) -> BluffYouAnnouncement:
        """The announcement of this turn. Raises ValueError before there is one."""
        if self.announced is None:
            raise ValueError("nothing was announced in this turn")
        return self.announced


def next_turn(
    state: BluffYouState, centre: Chips, chips: tuple[Chips, ...], *, progress: bool
) -> BluffYouState:
    """Return the state after a turn: the next seat's roll, or the end without chips (BY-5, 20).

    The match ends if the centre is empty. `progress`: a chip was won from the centre, which resets
    the count of BY-22.
    """
    no_win_turns = 0 if progress else state.no_win_turns + 1
    turn, bluffer, phase = state.turn, state.bluffer, OVER
    if centre:
        turn, bluffer, phase = turn + 1, (bluffer + 1) % len(chips), ROLL
    return BluffYouState(turn, bluffer, phase, (), None, None, 0, no_win_turns, centre, chips)


def with_chip(chips: Chips, number: int) -> Chips:
    """Return `chips` with one chip added, ascending."""
    return tuple(sorted((*chips, number)))


def without_chip(chips: Chips, number: int) -> Chips:
    """Return `chips` without the chip `number`."""
    place = chips.index(number)
    return chips[:place] + chips[place + 1 :]


def moved(chips: tuple[Chips, ...], number: int, giver: int, receiver: int) -> tuple[Chips, ...]:
    """Return the chips by seat after one chip moved from `giver` to `receiver`."""
    seats = list(chips)
    seats[giver] = without_chip(seats[giver], number)
    seats[receiver] = with_chip(seats[receiver], number)
    return tuple(seats)


def replaced(chips: tuple[Chips, ...], seat: int, own: Chips) -> tuple[Chips, ...]:
    """Return the chips by seat with those of one seat replaced."""
    seats = list(chips)
    seats[seat] = own
    return tuple(seats)


def worth(points: Sequence[int], chips: Chips) -> int:
    """Return the total points of chips; `points` is indexed by the number on the chip."""
    return sum([points[number] for number in chips])
