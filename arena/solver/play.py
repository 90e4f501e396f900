"""How a round is played, as probabilities: of all histories, or by the last bet alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.bets import track
from arena.solver.matches import DicePair, SolvedState
from arena.solver.round_game import Counts, Floats, ValueBounds, hands_of
from arena.solver.tables import Strategy, lanes_for, layout_of

_SELDOM = 1 / 255
"""Rarer actions are left out of exact play: a file has a byte for a probability."""


@dataclass(frozen=True)
class PlayedState:
    """The play of the rounds that begin with these dice."""

    dice: DicePair
    value: float
    """The opener's probability to win the match if both play like this."""
    exact: bool
    """Whether it knows all bets of the round, or the last bet only."""
    play: tuple[Floats, Floats]
    """By seat [row, hand]: probabilities. Rows are actions, node by node as in tables.py if it is
    exact; else place by place, with the doubt after the last bet."""


def exact_play(state: SolvedState) -> PlayedState:
    """The strategy of a solved state; nodes to which the seat itself does not come are zero."""
    rounded: list[Floats] = []
    for seat, weights in enumerate(state.strategy.weights):
        hands = len(hands_of(state.dice[seat]))
        table = weights.reshape(-1, lanes_for(hands))[:, :hands].astype(np.float64)
        rounded.append(_reached(table, len(track(sum(state.dice))), seat))
    return PlayedState(state.dice, state.value, True, (rounded[0], rounded[1]))


def _reached(weights: Floats, bets: int, seat: int) -> Floats:
    """Weights as probabilities, without what is rarer than the file's precision."""
    play = np.zeros_like(weights)
    at = 0

    def walk(place: int, on_turn: bool, comes: NDArray[np.bool_]) -> None:
        nonlocal at
        if place == bets:
            return
        below = [comes] * (bets - place + 1)
        if on_turn:
            rows = slice(at, at + len(below))
            at = rows.stop
            if comes.any():
                total = weights[rows].sum(0)
                shares = weights[rows] / np.where(total > 0, total, 1)
                shares[shares < _SELDOM] = 0
                play[rows] = np.where(
                    comes & (total > 0), shares / np.maximum(shares.sum(0), _SELDOM), 0
                )
                below = list(play[rows] > 0)
        for action in range(1, bets - place + 1):
            walk(place + action, not on_turn, below[action])

    walk(0, seat == 0, np.ones(weights.shape[1], np.bool_))
    return play


def strategies(states: Iterable[PlayedState], *, dice: int) -> Iterator[SolvedState]:
    """The same play as tables over all histories, of the states with at most so many dice in play.

    Nothing is proven of them yet: their bounds are 0 and 1.
    """
    for state in states:
        if sum(state.dice) <= dice:
            yield SolvedState(state.dice, ValueBounds(0, 1), 1, 0, 0, _over_histories(state))


def _over_histories(state: PlayedState) -> Strategy:
    layout = layout_of(len(track(sum(state.dice))))
    rows = rows_of(layout.bets)
    tables = []
    for seat, play in enumerate(state.play):
        hands = play.shape[1]
        table = np.zeros((layout.actions(seat), lanes_for(hands)), np.float32)
        if not state.exact:
            play = play[np.fromiter(_rows_by_node(0, seat == 0, rows), np.int64)]
        table[:, :hands] = play
        tables.append(table.reshape(-1))
    return Strategy((tables[0], tables[1]))


def _rows_by_node(place: int, on_turn: bool, rows: Counts) -> Iterator[int]:
    """The rows of a seat's nodes from a place on, in the order of tables.py."""
    if place == len(rows) - 2:
        return
    if on_turn:
        yield from range(rows[place], rows[place + 1])
    for below in range(place + 1, len(rows) - 1):
        yield from _rows_by_node(below, not on_turn, rows)


def rows_of(bets: int) -> Counts:
    """Where the rows of each place begin, and after the last place the number of rows."""
    return np.cumsum([0, *range(bets + 1, 0, -1)])
