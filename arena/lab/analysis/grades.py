"""The grade of an action, by its loss."""

from enum import Enum
from typing import Final


class Grade(Enum):
    """The grade of a decision; docs/analysis.md says how the bounds were chosen."""

    BEST = "best"
    FINE = "fine"
    INACCURATE = "inaccurate"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


BOUNDS: Final = (
    (0.001, Grade.BEST),
    (0.035, Grade.FINE),
    (0.1, Grade.INACCURATE),
    (0.2, Grade.MISTAKE),
)
"""The largest loss of each grade, in chances to win; a larger loss than the last is a blunder."""


def grade_of(loss: float) -> Grade:
    """Return the grade of an action by its loss, in chances to win (0 to 1)."""
    return next((grade for bound, grade in BOUNDS if loss <= bound), Grade.BLUNDER)
