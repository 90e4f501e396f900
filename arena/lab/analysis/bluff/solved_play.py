"""Solved play of Bluff at two seats, read from the file of the sample bot `cfr`.

arena/lab/solver/play_file.py describes the file. It is read here without importing the solver, and
its tables stay bytes.
"""

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.errors import UserError
from arena.games.bluff import Bet, BluffView, PlacedBet
from arena.games.bluff.bets import track
from arena.lab.analysis.bluff.recall import TableNodes
from arena.lab.analysis.bluff.table import Weights, hands_of

FORMAT = "arena-play/2"
CHOSEN = "ARENA_CFR_TABLES"
"""The environment variable that names a file to read instead of the shipped one, as for the bot."""
SLIP = 0.02
"""The assumed share of a seat's actions that are random, so that every bet has a probability."""
RoundDice: TypeAlias = tuple[int, int]
"""The opener's dice and the other's."""


class PlayFileError(UserError):
    """A file that holds no play of this format."""


@dataclass(frozen=True)
class RoundPlay:
    """The play of both seats in the rounds that begin with certain dice."""

    dice: RoundDice
    recall: int | None
    """The number of last bets of the round that the play knows; None for all."""
    tables: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    """Weights in proportion to the probability, by seat, the opener's first: [row, hand]."""

    @property
    def bets(self) -> tuple[Bet, ...]:
        """All bets of the round, ascending."""
        return track(sum(self.dice))

    def weights(self, role: int, history: Sequence[int]) -> Weights:
        """Return the probability of each action after a history, with each hand: [a, h].

        Args:
            role: 0 for the opener, 1 for the other.
            history: The bets so far, numbered from 1 on the track.

        Returns:
            Rows for the doubt, then for the bets above the last one. If the play knows all bets,
            they are zero for hands with which it never reaches the history.
        """
        if self.recall is None and len(history) and history[-1] == len(self.bets):
            return np.ones((1, self.tables[role].shape[1]))  # nothing is left but the doubt
        if self.recall == 1:
            return self.by_place[role][history[-1] if history else 0]
        return _shares(self.tables[role][self.rows(role, history)])

    def rows(self, role: int, history: Sequence[int]) -> slice:
        """Return the rows of the role's table for the node after a history."""
        bets = len(self.bets)
        if self.recall is not None:
            return TableNodes.of(bets, self.recall).rows(history)
        row, place = _node_row(history, role == 0, bets), history[-1] if history else 0
        return slice(row, row + bets - place + 1)

    def likelihood(
        self, role: int, history: Sequence[int], *, doubted: bool = False, slip: float = SLIP
    ) -> Weights:
        """Return the probability of the role's bets in a history with each hand: [h].

        Args:
            role: 0 for the opener, 1 for the other.
            history: The bets so far, numbered from 1 on the track.
            doubted: Whether the role also doubted the last bet.
            slip: The share of its actions that are random.
        """
        likely = np.ones(self.tables[role].shape[1])
        taken = [*history, history[-1]] if doubted else history
        for index, bet in enumerate(taken):
            if index % 2 == role:
                place = history[index - 1] if index else 0
                weights = self.weights(role, history[:index])
                actions = len(weights) - (not index)  # no doubt is possible before the first bet
                likely *= weights[bet - place] * (1 - slip) + slip / actions
        return likely

    @cached_property
    def by_place(self) -> tuple[list[Weights], list[Weights]]:
        """The probabilities of play that knows only the last bet, by seat and place: [a, h]."""
        ends = TableNodes.of(len(self.bets), 1).first_rows
        opener, other = (
            [_shares(table[first:end]) for first, end in pairwise(ends)] for table in self.tables
        )
        return opener, other

    @cached_property
    def taken(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the play takes the action with any hand, by seat: [row]."""
        opener, other = self.tables
        return opener.max(1) > 0, other.max(1) > 0


class Situation(NamedTuple):
    """A moment of a round between two seats."""

    play: RoundPlay
    opener: int
    """The seat that opened."""
    history: list[int]
    """The bets, numbered from 1 on the track."""

    def role(self, seat: int) -> int:
        """Return 0 for the opener, 1 for the other."""
        return 0 if seat == self.opener else 1


@dataclass(frozen=True)
class SolvedPlay:
    """The play of a whole match, with the value of each round."""

    rounds: dict[RoundDice, RoundPlay]
    values: dict[RoundDice, float]
    """The opener's probability to win the match."""

    def situation(self, view: BluffView) -> Situation | None:
        """Return the situation of a seat's turn; None if there is no play for it.

        There is none unless exactly two seats are left, no dice are laid out, the tables know the
        numbers of dice, and bets are limited to the dice in play.
        """
        if view.opener is None or any(view.face_up) or view.highest != sum(view.dice_counts):
            return None
        return self.after(view.dice_counts, view.opener, view.bets)

    def after(
        self, counts: Sequence[int], opener: int, bets: Sequence[PlacedBet]
    ) -> Situation | None:
        """Return the situation of a round with these dice by seat, opener and bets, or None."""
        live = [seat for seat, dice in enumerate(counts) if dice]
        if len(live) != 2:
            return None
        other = live[1 - live.index(opener)]
        play = self.rounds.get((counts[opener], counts[other]))
        numbers = _numbers(sum(counts))
        if play is None or any(placed.bet not in numbers for placed in bets):
            return None
        return Situation(play, opener, [numbers[placed.bet] for placed in bets])


def read(data: bytes) -> SolvedPlay:
    """Return the play in the bytes of a file. Raises PlayFileError."""
    try:
        line, _, rest = data.partition(b"\n")
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise PlayFileError("The play is of another format: solve it again.")
        numbers = np.frombuffer(zlib.decompress(rest), np.uint8)
        rounds, values, at = {}, {}, 0
        for opener, other, value, recall in header["states"]:
            tables = []
            for role, dice in enumerate((opener, other)):
                bets, hands = 6 * (opener + other), len(hands_of(dice).dice)
                rows = (
                    _subtrees(bets)[role][0]
                    if recall is None
                    else TableNodes.of(bets, recall).first_rows[-1]
                )
                tables.append(numbers[at : at + rows * hands].reshape(rows, hands))
                at += rows * hands
            rounds[opener, other] = RoundPlay((opener, other), recall, (tables[0], tables[1]))
            values[opener, other] = value
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise PlayFileError(f"The file holds no play: {error}.") from error
    return SolvedPlay(rounds, values)


@cache
def chosen() -> SolvedPlay | None:
    """Return the play of the chosen file; None where the sample bots are not installed.

    The default is the file of the sample bot `cfr`. Raises PlayFileError.
    """
    data = chosen_file()
    return None if data is None else read(data)


def chosen_file() -> bytes | None:
    """Return the bytes of the chosen file, or None if it is not installed. Raises PlayFileError."""
    name = os.environ.get(CHOSEN)
    try:
        if name:
            return Path(name).read_bytes()
        return files("arena_sample_bots").joinpath("cfr.tables").read_bytes()
    except ModuleNotFoundError:
        return None
    except OSError as error:
        if name:
            raise PlayFileError(f"{CHOSEN}: {name} cannot be read ({error.strerror}).") from error
        return None


# The cache is bounded by the dice in play.
@cache
def _numbers(dice: int) -> dict[Bet, int]:
    return {bet: number for number, bet in enumerate(track(dice), 1)}


def _shares(weights: NDArray[np.uint8]) -> Weights:
    total = weights.sum(0, dtype=np.int64)
    shares: Weights = weights / np.where(total > 0, total, 1)
    return shares


def _node_row(history: Sequence[int], opens: bool, bets: int) -> int:
    """Return the first row of the node after a history; a seat's nodes lie depth first."""
    mine, others = _subtrees(bets)
    row, place, on_turn = 0, 0, opens
    for bet in history:
        row += bets - place + 1 if on_turn else 0
        row += sum((others if on_turn else mine)[place + 1 : bet])
        place, on_turn = bet, not on_turn
    return row


# The cache is bounded by the dice in play.
@cache
def _subtrees(bets: int) -> tuple[list[int], list[int]]:
    """Return a seat's number of rows in a node's subtree, by place.

    The first list is for the seat itself on turn at the node, the second for the other.
    """
    mine, others = [0] * (bets + 1), [0] * (bets + 1)
    for place in reversed(range(bets)):
        mine[place] = bets - place + 1 + sum(others[place + 1 :])
        others[place] = sum(mine[place + 1 :])
    return mine, others
