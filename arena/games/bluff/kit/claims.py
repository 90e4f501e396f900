"""Bluff's claims: a bet is false if too few dice on the table match it (BL-11, BL-12)."""

from fractions import Fraction
from typing import Any, Final

from arena.games.bluff.bets import count_matching
from arena.games.bluff.chances import claim_chance
from arena.games.bluff.state import BluffState
from arena.games.bluff.values import Bet, BluffView, Doubt
from arena.games.game import Options

UNIT: Final = ("die short", "dice short")
"""The unit of a false claim, singular and plural."""


def off(action: Any, before: BluffState, after: BluffState) -> int | None:  # noqa: ARG001
    """Return how many dice a bet is short, counted before any re-roll that it allows."""
    if not isinstance(action, Bet):
        return None
    return max(0, action.quantity - count_matching(action.face, (*after.hidden, *after.face_up)))


def doubts(action: Any) -> bool:
    """Return whether an action doubts the standing bet."""
    return isinstance(action, Doubt)


def chance(view: BluffView, options: Options) -> Fraction | None:  # noqa: ARG001
    """Return the probability that the standing bet is true."""
    return claim_chance(view)
