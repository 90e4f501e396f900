"""The values of a decision's actions: the interface of their sources, tables, and search."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from arena.games.bluff import Bet, BluffView, Dice, Doubt
from arena.lab.analysis.bluff.look import Look
from arena.lab.analysis.bluff.players import KINDS, belief
from arena.lab.analysis.bluff.round_values import RoundValues
from arena.lab.analysis.bluff.solved_play import RoundDice, Situation, SolvedPlay, chosen
from arena.lab.analysis.bluff.table import BettingTable, hands_of


class Valued(NamedTuple):
    """The values of one decision."""

    values: Mapping[Any, float]
    """The seat's chance to win the match after each examined action."""
    standing: float | None
    """The probability that the claim the seat answers is true, by its dice and the bets of the
    others; None if there is none.
    """
    play: Mapping[Any, float] | None = None
    """The probability with which near-equilibrium play takes each action in the seat's place; None
    if that is unknown.
    """


class ActionValues(Protocol):
    """A source of the values of actions, which may know only what the seat itself knew."""

    name: str
    """The method by which the values were found, for display."""

    def look(self, view: Any, taken: Any) -> Valued | None:
        """Return the values of a decision's actions; None if this source does not know it.

        Args:
            view: The view of the seat on turn.
            taken: The action that it took, which is among the valued ones.

        Returns:
            Values as chances to win the match, 0 to 1.
        """
        ...


class BluffSearch:
    """A source for Bluff without its extension, by the search of the sample bot `search`.

    Others are assumed to play like `bayes` or like `honest`, each kind as likely as the others.
    """

    name = "search"

    def look(self, view: Any, taken: Any) -> Valued | None:
        """Return the values of the lowest bets on each face, of the action taken, and of a doubt.

        Returns:
            None with dice laid out, or for a bet that lays dice out.
        """
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


class BluffTables:
    """A source for Bluff without its extension between two seats, by solved tables.

    Both seats are assumed to play by the tables from here on, and to have played by them so far.
    """

    name = "tables"

    def __init__(self, solved: SolvedPlay) -> None:
        self._solved = solved
        # Decisions of one round share most of the work. A method would make a reference cycle, and
        # large tables would stay in memory until the garbage collector runs.
        self._round = lru_cache(maxsize=16)(partial(_round_values, solved))

    def look(self, view: Any, taken: Any) -> Valued | None:
        """Return the values of all actions; None if the tables have no such situation."""
        if not isinstance(view, BluffView) or (isinstance(taken, Bet) and taken.show):
            return None
        situation = self._solved.situation(view)
        if situation is None:
            return None
        assert view.seat is not None  # a decision is a seat's
        history, bets = situation.history, situation.play.bets
        found = self._round(situation.play.dice, situation.role(view.seat), view.hidden_dice)
        belief = found.belief(history)
        worths = found.values(history, belief).tolist()
        place = history[-1] if history else 0
        values: dict[Bet | Doubt, float] = dict(zip(bets[place:], worths[1:], strict=True))
        if place:
            values[Doubt()] = worths[0]
        standing = found.truth(place, belief) if place else None
        return Valued(values, standing, self._play(situation, view))

    def play(self, view: Any) -> Mapping[Any, float] | None:
        """Return how solved play acts in a seat's place; None if the tables do not know it."""
        situation = self._solved.situation(view) if isinstance(view, BluffView) else None
        return None if situation is None else self._play(situation, view)

    def _play(self, situation: Situation, view: BluffView) -> Mapping[Any, float] | None:
        assert view.seat is not None
        weights = situation.play.weights(situation.role(view.seat), situation.history)
        own = weights[:, hands_of(len(view.hidden_dice)).dice.index(view.hidden_dice)]
        # At nodes that the tables never reach, after a bet of the seat that they do not place, all
        # weights are zero.
        place = (situation.history or [0])[-1]
        return {
            situation.play.bets[place + action - 1] if action else Doubt(): float(own[action])
            for action in own.nonzero()[0].tolist()
        } or None


def known_sources() -> Sequence[ActionValues]:
    """Return the sources that the analysis uses, in order.

    Returns:
        The chosen tables where there are some, then the search.

    Raises:
        PlayFileError: The chosen tables cannot be read.
    """
    solved = chosen()
    return (BluffSearch(),) if solved is None else (BluffTables(solved), BluffSearch())


def _round_values(solved: SolvedPlay, dice: RoundDice, role: int, hand: Dice) -> RoundValues:
    return RoundValues(solved, solved.rounds[dice], role, hand)
