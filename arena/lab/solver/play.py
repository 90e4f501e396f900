"""The play of a round as probabilities: of all histories, or by the last bets alone."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.bets import track
from arena.lab.solver.memory import check_memory
from arena.lab.solver.recall import RecallNodes, recall_nodes
from arena.lab.solver.round_game import Floats, ValueBounds, hands_of
from arena.lab.solver.round_solver import bytes_needed
from arena.lab.solver.search import DicePair, SolvedState
from arena.lab.solver.tables import Strategy, lanes_for, layout_of

VALUE_DIGITS: Final = 6
"""The decimals to which values are rounded, as in files: a resumed solve has the same values."""
_SELDOM = 1 / 255
"""The probability below which exact play leaves out an action: a file has a byte for a probability.
"""


@dataclass(frozen=True)
class PlayedState:
    """The play of the rounds that begin with these dice."""

    dice: DicePair
    value: float
    """The opener's probability to win the match if both play like this."""
    recall: int | None
    """The number of last bets of a round that the play knows; None for all."""
    play: tuple[Floats, Floats]
    """Probabilities by seat [row, hand]. Rows are actions, node by node: as in tables.py if it
    knows all bets, else as in recall.py.
    """
    sweeps: int = 0
    """The number of sweeps that improved it, and their seconds; 0 for exact play and play from a
    file.
    """
    seconds: float = 0.0


def exact_play(state: SolvedState) -> PlayedState:
    """Return the strategy of a solved state, zero at nodes that the seat itself does not reach."""
    rounded: list[Floats] = []
    for seat, weights in enumerate(state.strategy.weights):
        hands = len(hands_of(state.dice[seat]))
        table = weights.reshape(-1, lanes_for(hands))[:, :hands].astype(np.float64)
        rounded.append(_reached(table, len(track(sum(state.dice))), seat))
    value = round(state.value, VALUE_DIGITS)
    return PlayedState(state.dice, value, None, (rounded[0], rounded[1]))


def _reached(weights: Floats, bets: int, seat: int) -> Floats:
    """Return weights as probabilities, without what is rarer than the file's precision."""
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


def strategies(
    states: Iterable[PlayedState], wanted: Collection[DicePair]
) -> Iterator[SolvedState]:
    """Yield the wanted states with their play as tables over all histories.

    With four dice in play these take gigabytes. Nothing is proven of them yet: their bounds are 0
    and 1. Raises MemoryShortError.
    """
    for state in states:
        if state.dice in wanted:
            check_memory(bytes_needed(state.dice), f"All bets with {sum(state.dice)} dice in play")
            bounds, strategy = ValueBounds(0, 1), _over_histories(state)
            yield SolvedState(state.dice, bounds, 1, 0, 0, strategy, regrets=None)


def _over_histories(state: PlayedState) -> Strategy:
    layout = layout_of(len(track(sum(state.dice))))
    tables = []
    for seat, by_row in enumerate(state.play):
        play, hands = by_row.astype(np.float32), by_row.shape[1]
        table = np.zeros((layout.actions(seat), lanes_for(hands)), np.float32)
        if state.recall is not None:
            play = play[_rows_by_history(recall_nodes(layout.bets, state.recall), seat)]
        table[:, :hands] = play
        tables.append(table.reshape(-1))
    return Strategy((tables[0], tables[1]))


def _rows_by_history(nodes: RecallNodes, seat: int) -> NDArray[np.int32]:
    """Return the rows that a seat plays by after each history, in the order of tables.py.

    After the last bet only a doubt is left, which has no row there.
    """
    last = nodes.places.max()
    nothing = np.zeros(0, np.int32)
    # Rows of each node's subtree, the last node first: with the seat on turn, with the other.
    mine, others = ([nothing] * len(nodes.places) for _ in range(2))
    for node in np.flatnonzero(nodes.places < last)[::-1]:
        rows = np.arange(nodes.rows[node], nodes.rows[node + 1], dtype=np.int32)
        below = nodes.below[rows[1:]]
        mine[node] = np.concatenate([rows, *(others[after] for after in below)])
        others[node] = np.concatenate([mine[after] for after in below])
    return others[0] if seat else mine[0]
