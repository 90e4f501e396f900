"""What the actions of a decision are worth: the interface of whoever knows, and the search.

Tables of solved rounds plug in as another `ActionValues`, asked before the search.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from arena.analysis.bluff.look import Look
from arena.analysis.bluff.players import KINDS, belief
from arena.analysis.bluff.table import BettingTable
from arena.games.bluff import Bet, BluffView


class Valued(NamedTuple):
    """What is known of one decision."""

    values: Mapping[Any, float]
    """The seat's chance to win the match after each action, of those that were looked at."""
    standing: float | None
    """How likely the claim that the seat answers is true, by its dice and the bets of the others;
    None if there is none."""


class ActionValues(Protocol):
    """A source of the values of actions. It may know only what the seat itself knew."""

    name: str
    """How the values were found, for display."""

    def look(self, view: Any, taken: Any) -> Valued | None:
        """The values of the actions of the seat whose turn `view` shows, `taken` among them; None
        for a decision that this source does not know."""
        ...


class BluffSearch:
    """Values for Bluff without its extension, by the search of the sample bot `search`.

    Others are taken to play like `bayes` or like `honest`, each kind as likely as the others.
    """

    name = "search"

    def look(self, view: Any, taken: Any) -> Valued | None:
        if not isinstance(view, BluffView) or any(view.face_up):
            return None
        if isinstance(taken, Bet) and taken.show:
            return None
        assert view.seat is not None  # a decision is a seat's
        table = BettingTable.of(view)
        kinds = np.full(KINDS, 1 / KINDS)
        beliefs = {seat: belief(table, seat, kinds) for seat in table.others(view.seat)}
        look = Look(table, view.seat, view.hidden_dice, beliefs)
        values = look.values()
        if isinstance(taken, Bet) and taken not in values:
            values[taken] = look.value_of_bet(taken)
        return Valued(values, look.chance(view.bets[-1].bet) if view.bets else None)
