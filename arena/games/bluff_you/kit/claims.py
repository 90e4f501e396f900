"""Bluff You!'s claims: an announced number is false if it differs from the sum (BY-6)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bluff_you.chances import claim_chance
from arena.games.bluff_you.state import BluffYouState
from arena.games.bluff_you.values import Answer, BluffYouView, Steal, Win
from arena.games.game import Options

UNIT: Final = ("pip off", "pips off")
"""The unit of a false claim, singular and plural."""


def off(action: Any, before: BluffYouState, after: BluffYouState) -> int | None:  # noqa: ARG001
    """Return the distance of an announced number from the sum; None without an announcement."""
    return abs(action.number - sum(before.dice)) if isinstance(action, Win | Steal) else None


def doubts(action: Any) -> bool:
    """Return whether an action calls the announcement a bluff."""
    return isinstance(action, Answer) and not action.believe


def chance(view: BluffYouView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that this turn's announcement is true."""
    return claim_chance(view)
