"""What was claimed, how likely it was to each viewer, and how it turned out."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class Mark(Enum):
    """What a moment is remembered for: tags in the log, marks on the scrubber."""

    TRUE = "true"
    """A claim that the viewpoint knows to be true."""
    BLUFF = "bluff"
    """A claim that the viewpoint knows to be false."""
    EXACT = "exact"
    """A true claim to which nothing could be added."""
    DOUBT = "doubt"
    """A claim was doubted."""
    RIGHT = "right"
    """The answer to a claim was right."""
    WRONG = "wrong"
    """The answer to a claim was wrong."""
    SHOWDOWN = "showdown"
    """What was hidden was shown to all."""
    BUST = "bust"
    """A total above the limit."""
    FAULT = "fault"
    """A seat gave no valid answer."""


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim at the time it was made."""

    seat: int
    text: str
    chances: tuple[float | None, ...]
    """The probability that it is true, by view of the moment; None where it cannot be said."""
    truth: str | None
    """What it should have been, in a word or a number; None if the viewpoint cannot know."""
    verdict: Mark | None
    """TRUE, BLUFF or EXACT; None if the viewpoint cannot know."""


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """How a claim ended, as everybody learnt it."""

    marks: tuple[Mark, ...]
    truth: str | None = None
    """As in ShownClaim; None if it was not shown."""
    verdict: Mark | None = None


def chances(exact: Iterable[Fraction | None]) -> tuple[float | None, ...]:
    """Probabilities for display, to three decimals; only what is certain is 0 or 1."""
    return tuple(None if one is None else _shown(one) for one in exact)


def _shown(exact: Fraction) -> float:
    if exact in (0, 1):
        return float(exact)
    return min(0.999, max(0.001, round(float(exact), 3)))
