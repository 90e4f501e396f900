"""Blöff's claims: an announced total is false if it differs from the card's true total (BO-11)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bloeff.chances import claim_chance
from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.state import BloeffState
from arena.games.bloeff.values import Ballot, BloeffView, Number

UNIT: Final = ("point off", "points off")
"""The unit of a false claim, singular and plural."""


def off(action: Any, before: BloeffState, after: BloeffState) -> int | None:
    """Return the distance of an announced total from the true one; None without an announcement."""
    # A total above the limit is an immediate loss that cannot be doubted.
    if not isinstance(action, Number) or after.open_card is None:
        return None
    return abs(action.announce - before.total - action.value)


def doubts(action: Any) -> bool:
    """Return whether an action doubts the announced total."""
    return isinstance(action, Ballot) and action.doubt


def chance(view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return the probability that the balloted total is true."""
    return claim_chance(view, options)
