"""Bluff You!'s claims: an announced number other than the sum of the dice is false (BY-6)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bluff_you.chances import claim_chance
from arena.games.bluff_you.state import BluffYouState
from arena.games.bluff_you.values import Answer, BluffYouView, Steal, Win
from arena.games.game import Options

UNIT: Final = ("pip off", "pips off")


def off(action: Any, before: BluffYouState, after: BluffYouState) -> int | None:  # noqa: ARG001
    """Return how far an announced number is from the sum."""
    return abs(action.number - sum(before.dice)) if isinstance(action, Win | Steal) else None


def doubts(action: Any) -> bool:
    """Return whether an action calls the announcement a bluff."""
    return isinstance(action, Answer) and not action.believe


def chance(view: BluffYouView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that this turn's announcement is true."""
    return claim_chance(view)
