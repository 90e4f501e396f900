"""Strangers that are nets, trained in self-play by policy gradient, each for another loss.

match  the chance to win the match
round  who loses the single round, whatever it costs

A net sees what the encoding of five dice at two seats shows (the own dice, the dice of both, the
standing bet), and has one hidden layer. `training.py` makes the files beside this one.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.bot import Bot, Turn
from arena.bot.bot import AnyBot
from arena.games.bluff import Bet, BluffView, Doubt
from arena.games.encoding import Encoding, encoding

SEATS: Final = 2
MOST_DICE: Final = 5
LOSSES: Final = ("match", "round")

Numbers = NDArray[np.float32]


def file_of(loss: str) -> Path:
    """Return the file of the net that was trained for a loss."""
    return Path(__file__).with_name(f"{loss}.npz")


@cache
def read(loss: str) -> tuple[Encoding, list[Numbers]]:
    """Return the encoding and the weights of a net: two matrices, then their biases."""
    encoded = encoding("bluff", SEATS, dice_per_player=MOST_DICE)
    with np.load(file_of(loss)) as kept:
        weights = [kept[f"arr_{number}"].astype(np.float32) for number in range(4)]
    return encoded, weights


def logits(weights: list[Numbers], seen: Numbers) -> tuple[Numbers, Numbers]:
    """Return the hidden layer, and the outputs: a logit for each action, and the value."""
    into, out, bias, out_bias = weights
    hidden = np.maximum(seen @ into + bias, 0)
    return hidden, hidden @ out + out_bias


def net(loss: str) -> type[AnyBot]:
    """Return the bot that draws its actions by the net that was trained for a loss."""

    class Net(Bot[BluffView, Bet | Doubt]):
        """A bot that draws its actions by the probabilities of a net."""

        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            play = self.probabilities(turn)
            return self.random.choices([*play], [*play.values()])[0]

        def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> Mapping[Bet | Doubt, float]:
            encoded, weights = read(loss)
            _, outputs = logits(weights, encoded.observe(turn.view))
            legal = np.flatnonzero(encoded.mask(turn.view))
            chances = np.exp((outputs[legal] - outputs[legal].max()).astype(np.float64))
            shares = (chances / chances.sum()).tolist()
            return dict(zip(map(encoded.action, legal.tolist()), shares, strict=True))

    return Net
