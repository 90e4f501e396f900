"""The net that weighs actions, and the net that values the dice of a table."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.lab.analysis.bluff.solved_play import chosen
from arena.learn.nets import Adam
from arena.learn.nets import chances as softmax
from tools.crowd.sight import FEATURES, SEATS

Numbers = NDArray[np.floating]

HIDDEN: Final = 32
SHARPNESS: Final = 16
"""The logit of a gain of two dice at the beginning: play is then nearly that of `bayes`."""
VALUE_HIDDEN: Final = 16
VALUE_INPUTS: Final = 10
VALUE_RATE: Final = 3e-3


class Weigher:
    """A net of one hidden layer that values one action: its logit, and the worth of the round."""

    def __init__(self, random: np.random.Generator) -> None:
        past = np.zeros((FEATURES, 2), np.float32)
        past[0, 0] = SHARPNESS
        self.weights = [
            random.normal(0, (2 / FEATURES) ** 0.5, (FEATURES, HIDDEN)).astype(np.float32),
            random.normal(0, 0.01, (HIDDEN, 2)).astype(np.float32),
            past,
            np.zeros(HIDDEN, np.float32),
        ]

    def __call__(self, seen: Numbers) -> tuple[Numbers, Numbers]:
        """Return the hidden layer and both outputs, from [N, FEATURES]."""
        into, out, past, bias = self.weights
        hidden = np.maximum(seen @ into + bias, 0)
        return hidden, hidden @ out + seen @ past

    def slopes(self, seen: Numbers, hidden: Numbers, slope: Numbers) -> list[Numbers]:
        """Return the slopes of the loss by the weights, from those by the outputs."""
        back = (slope @ self.weights[1].T) * (hidden > 0)
        return [seen.T @ back, hidden.T @ slope, seen.T @ slope, back.sum(0)]


class TableValue:
    """Each seat's chance to win, by everybody's dice at the start of a round.

    A net scores each seat; the chances are the softmax over those with dice. At first they are the
    shares of the dice. Between two they are those of the tables of `cfr`.
    """

    def __init__(self, random: np.random.Generator) -> None:
        solved = chosen()
        assert solved is not None, "the sample bots are not installed"
        self._between_two = solved.values
        self.weights = [
            random.normal(0, 0.3, (VALUE_INPUTS, VALUE_HIDDEN)),
            random.normal(0, 0.01, (VALUE_HIDDEN, 1)),
            np.zeros(VALUE_HIDDEN),
            np.zeros((VALUE_INPUTS, 1)),
        ]
        self._adam = Adam(self.weights)

    def __call__(self, counts: NDArray[np.int32], openers: NDArray[np.int32]) -> Numbers:
        """Return the chances by match and seat."""
        live = counts > 0
        chances = softmax(self._scores(_described(counts, openers))[1], live)
        for match in np.flatnonzero(live.sum(1) == 2):
            opener = int(openers[match])
            (other,) = (seat for seat in np.flatnonzero(live[match]) if seat != opener)
            chance = self._between_two[int(counts[match, opener]), int(counts[match, other])]
            chances[match, opener], chances[match, other] = chance, 1 - chance
        return chances

    def learn(
        self, counts: NDArray[np.int32], openers: NDArray[np.int32], chances: Numbers
    ) -> None:
        """Fit the net to the chances at the end of rounds that began with these dice."""
        seen, live = _described(counts, openers), counts > 0
        hidden, scores = self._scores(seen)
        slope = ((softmax(scores, live) - chances) / len(seen)).reshape(-1, 1)
        rows, layer = seen.reshape(-1, VALUE_INPUTS), hidden.reshape(-1, VALUE_HIDDEN)
        back = (slope @ self.weights[1].T) * (layer > 0)
        slopes = [rows.T @ back, layer.T @ slope, back.sum(0), rows.T @ slope]
        self._adam.step(slopes, VALUE_RATE)

    def _scores(self, seen: Numbers) -> tuple[Numbers, Numbers]:
        into, out, bias, past = self.weights
        hidden = np.maximum(seen @ into + bias, 0)
        return hidden, (hidden @ out + seen @ past)[..., 0] + seen[..., 0]


def _described(counts: NDArray[np.int32], openers: NDArray[np.int32]) -> Numbers:
    """Return what the net sees of each seat, the logarithm of its dice first."""
    dice = counts.astype(float)
    total, most = dice.sum(1, keepdims=True), dice.max(1, keepdims=True)
    after, before = np.zeros_like(dice), np.zeros_like(dice)
    for distance in range(SEATS - 1, 0, -1):  # the nearest with dice comes last, and stays
        for neighbour, shift in ((after, -distance), (before, distance)):
            theirs = np.roll(dice, shift, 1)
            np.copyto(neighbour, theirs, where=theirs > 0)
    place = (np.arange(SEATS) - openers[:, None]) % SEATS
    live = np.broadcast_to((dice > 0).sum(1, keepdims=True) / SEATS, dice.shape)
    columns = [np.log(np.maximum(dice, 1)), dice / 5, dice / total, live, place == 0]
    columns += [place / SEATS, after / 5, before / 5, (dice - most) / 5]
    columns.append(np.broadcast_to(total / (5 * SEATS), dice.shape))
    return np.stack(columns, 2)
