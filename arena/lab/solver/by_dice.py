"""`ByDice`: a number that may differ in rounds with few dice in play.

ValueError
└── ByDiceError    a text is no such number
"""

import re
from dataclasses import dataclass
from typing import Final

_PATTERN: Final = re.compile(
    r"([1-9][0-9]{0,5})(?:,([1-9][0-9]{0,2}):([1-9][0-9]{0,5}))?", re.ASCII
)


class ByDiceError(ValueError):
    """A text is no such number; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class ByDice:
    """The number `usual`, or `small` with at most `few` dice in play.

    Its `str` is read by `read_by_dice`.
    """

    usual: int
    few: int = 0
    small: int = 0

    def at(self, dice_in_play: int) -> int:
        """Return the number for a round with `dice_in_play` dice."""
        return self.small if dice_in_play <= self.few else self.usual

    def __str__(self) -> str:
        return f"{self.usual},{self.few}:{self.small}" if self.few else str(self.usual)


def read_by_dice(text: str) -> ByDice:
    """Return the number of a text such as `2`, or `2,4:5` for 5 with at most 4 dice in play.

    Raises ByDiceError.
    """
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise ByDiceError(
            f"{text!r} is neither a number from 1, such as 2, nor one with another for few dice, "
            "such as 2,4:5 (5 with at most 4 dice in play)"
        )
    return ByDice(*(int(number or 0) for number in found.groups()))
