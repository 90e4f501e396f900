"""Claims as they are shown: their probability to each viewer, and their outcome."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class Mark(Enum):
    """The labels of a moment: tags in the log, marks on the scrubber."""

    TRUE = "true"
    """A claim that the viewpoint knows to be true."""
    BLUFF = "bluff"
    """A claim that the viewpoint knows to be false."""
    EXACT = "exact"
    """A true claim that would be false if it were any higher."""
    DOUBT = "doubt"
    """A claim was doubted."""
    RIGHT = "right"
    """The answer to a claim was right."""
    WRONG = "wrong"
    """The answer to a claim was wrong."""
    SHOWDOWN = "showdown"
    """Hidden things were shown to all."""
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
    """The probability that it is true, by view of the moment; None where it is unknown."""
    truth: str | None
    """The correct claim, in a word or a number; None if the viewpoint cannot know."""
    verdict: Mark | None
    """TRUE, BLUFF or EXACT; None if the viewpoint cannot know."""


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """The public outcome of a claim."""

    marks: tuple[Mark, ...]
    truth: str | None = None
    """The truth as in ShownClaim; None if it was not shown."""
    verdict: Mark | None = None


def chances(exact: Iterable[Fraction | None]) -> tuple[float | None, ...]:
    """Return probabilities for display, to three decimals; only certain ones are 0 or 1."""
    return tuple(None if one is None else _shown(one) for one in exact)


def _shown(exact: Fraction) -> float:
    if exact in (0, 1):
        return float(exact)
    return min(0.999, max(0.001, round(float(exact), 3)))
