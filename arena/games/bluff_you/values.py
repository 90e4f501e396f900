"""The values of Bluff You!: actions, draws, views and events; the rules are in game.py."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

CHIPS: Final = tuple(range(3, 19))
"""The numbers on the chips: the possible sums of three dice (BY-2)."""
LOWEST_CHIP: Final = CHIPS[0]
DICE: Final = 3
"""The number of dice of a roll."""
PIPS: Final = 6
"""The number of faces of a die: 1 to 6."""

ThreeDice: TypeAlias = tuple[int, ...]
"""Three dice in the order in which they were drawn; () if they are unknown."""

Chips: TypeAlias = tuple[int, ...]
"""The numbers of chips, ascending."""


class BluffYouPhase(Enum):
    """The phase of a turn: the decision that it waits for."""

    ROLL = "roll"
    """The dealer rolls (BY-6)."""
    ANNOUNCE = "announce"
    """The bluffer chooses win attempt, steal attempt or swap (BY-7)."""
    ANSWER = "answer"
    """The seer believes or not (BY-9)."""
    GIVE = "give"
    """The bluffer lost a steal attempt and chooses the chip it gives (BY-15)."""
    TAKE = "take"
    """Option any_chip: the bluffer won a steal attempt and chooses the chip it takes (BY-14)."""
    SWAP_AGAIN = "swap_again"
    """Option swap_max_per_turn above 1: the bluffer swaps once more or stops (BY-18)."""
    OVER = "over"
    """The centre is empty (BY-20)."""


@dataclass(frozen=True, slots=True)
class Roll:
    """The hidden roll of a turn, die 0 first (BY-6)."""

    dice: ThreeDice

    def __str__(self) -> str:
        return f"roll {' '.join(map(str, self.dice))}"


@dataclass(frozen=True, slots=True)
class Win:
    """The claim to `seer` that the dice sum to `number`, for that chip of the centre (BY-8)."""

    seer: int
    number: int

    def __str__(self) -> str:
        return f"to seat {self.seer}: {self.number}!"


@dataclass(frozen=True, slots=True)
class Steal:
    """The claim to `seer` that the dice sum to `number`, for that chip of its own (BY-13)."""

    seer: int
    number: int

    def __str__(self) -> str:
        return f"to seat {self.seer}: your {self.number}!"


@dataclass(frozen=True, slots=True)
class Swap:
    """A swap with a shown double: `give` goes into the centre, `take` comes from it (BY-17).

    `give` is a set of chips, kept ascending so that equal swaps are equal values.
    """

    give: Chips
    take: int

    def __post_init__(self) -> None:
        give = self.give
        # Any other value that a seat sent stays unchanged; the rules refuse it.
        if type(give) is tuple and all(type(number) is int for number in give):
            object.__setattr__(self, "give", tuple(sorted(give)))

    def __str__(self) -> str:
        return f"double: {' and '.join(map(str, self.give))} for {self.take}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The seer's answer: it believes the announced number, or does not (BY-9)."""

    believe: bool

    def __str__(self) -> str:
        return "Ok!" if self.believe else "Bluff you!"


@dataclass(frozen=True, slots=True)
class Give:
    """The bluffer's gift to the seer after a lost steal attempt (BY-15)."""

    number: int

    def __str__(self) -> str:
        return f"have {self.number}"


@dataclass(frozen=True, slots=True)
class Take:
    """The chip that the bluffer takes after a won steal attempt; option any_chip (BY-14)."""

    number: int

    def __str__(self) -> str:
        return f"I take {self.number}"


@dataclass(frozen=True, slots=True)
class Stop:
    """The decision not to swap again in this turn; option swap_max_per_turn above 1 (BY-18)."""

    def __str__(self) -> str:
        return "enough"


BluffYouAnnouncement: TypeAlias = Win | Steal
"""An announcement to a seer, who then answers."""

BluffYouChoice: TypeAlias = Win | Steal | Swap | Answer | Give | Take | Stop
"""An answer of a seat."""

BluffYouAction: TypeAlias = BluffYouChoice | Roll
"""An answer of a seat or a draw of the dealer."""


@dataclass(frozen=True, slots=True)
class BluffYouView:
    """The view of one seat, or of a spectator (BY-24).

    `win_numbers`, `can_steal` and `swap_targets` say what this seat may do now; they are empty or
    false for all others. The legal chips are the bluffer's own in phase GIVE, the seer's in TAKE.
    """

    seat: int | None
    """The seat of the view; None for the spectator."""
    phase: BluffYouPhase
    turn: int
    """The number of the turn, from 1."""
    bluffer: int
    to_act: int | None
    """The seat that is asked; None while the dealer rolls and when the match is over."""
    dice: ThreeDice
    """This turn's dice: visible to the bluffer only until they are shown, then to all; else ()."""
    announced: BluffYouAnnouncement | None
    """The bluffer's announcement in this turn."""
    believed: bool | None
    """The seer's answer in this turn."""
    centre: Chips
    chips: tuple[Chips, ...]
    """The chips owned, by seat."""
    points: tuple[int, ...]
    """The points of the chips owned, by seat."""
    no_win_turns: int
    """The number of consecutive finished turns without a win attempt (BY-22)."""
    no_win_limit: int
    """The value of `no_win_turns` from which only win attempts are legal."""
    win_numbers: Chips
    """The numbers that may be announced to any other seat as a win attempt."""
    can_steal: bool
    """Whether any chip of any other seat may be announced to its owner as a steal attempt."""
    swap_targets: Chips
    """The chips of the centre that may be taken in a swap.

    They cost `swap_min_give` or more own chips of the same total worth.
    """


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The bluffer rolled in secret."""

    turn: int
    bluffer: int
    no_win_turns: int


@dataclass(frozen=True, slots=True)
class Announced:
    """The bluffer made a win or a steal attempt."""

    bluffer: int
    announced: BluffYouAnnouncement


@dataclass(frozen=True, slots=True)
class Revealed:
    """The seer answered and the dice were shown.

    `chip` goes to `winner` from the centre (win attempt) or from the seer (steal attempt). It is
    None when the winner is still owed one (a gift or a choice follows) or gets none.
    """

    bluffer: int
    announced: BluffYouAnnouncement
    believed: bool
    dice: ThreeDice
    winner: int
    chip: int | None


@dataclass(frozen=True, slots=True)
class Gift:
    """The bluffer, `giver`, paid for a lost steal attempt, by choice or with its only chip."""

    giver: int
    receiver: int
    number: int


@dataclass(frozen=True, slots=True)
class Taken:
    """The bluffer, `thief`, chose the chip of a won steal attempt; option any_chip."""

    thief: int
    owner: int
    number: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """The bluffer showed a double and swapped chips with the centre."""

    bluffer: int
    dice: ThreeDice
    give: Chips
    take: int


BluffYouEvent: TypeAlias = TurnStarted | Announced | Revealed | Gift | Taken | Swapped
