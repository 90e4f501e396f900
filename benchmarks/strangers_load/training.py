"""Trains the nets of nets.py: `python -m benchmarks.strangers_load.training [match round]`.

One net plays both seats of a batch of matches, and estimates from what its own seat sees what that
seat can expect. Its logits follow the advantage of the actions, traced back by lambda (Schulman and
others 2016), with an entropy bonus that shrinks. What is kept is a running mean of the weights. The
same seed and number of updates give the same file on one platform, in a minute of processor time.
"""

import os
import sys
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # layers this small are faster without threads

import numpy as np
from numpy.typing import NDArray

from arena.learn import vector_env
from arena.learn.nets import Adam, chances
from benchmarks.options import command
from benchmarks.strangers_load.nets import LOSSES, MOST_DICE, SEATS, Numbers, file_of, logits

UPDATES: Final = 700
BATCH: Final = 512
STEPS: Final = 32
"""The decisions of each match between two updates."""
HIDDEN: Final = 64
RATE: Final = 2e-3
TRACE: Final = 0.9
ENTROPY: Final = (0.05, 0.005)
"""The weight of the entropy bonus, at the beginning and at the end."""
KEPT: Final = 0.99
"""The share of the running mean of the weights that an update keeps."""


class Learner:
    """The matches and the net that plays them."""

    def __init__(self, loss: str, seed: int) -> None:
        self.loss = loss
        self.random = np.random.default_rng(seed)
        self.env = vector_env("bluff", SEATS, BATCH, seed, dice_per_player=MOST_DICE)
        self.env.reset()
        size, outputs = self.env.encoding.size, self.env.encoding.actions + 1
        self.weights: list[Numbers] = [
            self.random.normal(0, (2 / size) ** 0.5, (size, HIDDEN)).astype(np.float32),
            np.zeros((HIDDEN, outputs), np.float32),
            np.zeros(HIDDEN, np.float32),
            np.zeros(outputs, np.float32),
        ]
        self.mean = [weight.copy() for weight in self.weights]
        self._adam = Adam(self.weights)

    def update(self, part: float) -> None:
        """Play some decisions and learn from them; `part` is the part of training done, 0 to 1."""
        seen, masks, signs, taken, values, rewards, ends = self.play()
        gains, later = np.empty_like(rewards), np.zeros(BATCH, np.float32)
        for step in range(STEPS)[::-1]:
            after = np.where(ends[step], 0, values[step + 1])
            surprise = rewards[step] + after - values[step]
            later = surprise + TRACE * np.where(ends[step], 0, later)
            gains[step] = later
        own = signs[:-1]
        gained, wanted = gains * own, (gains + values[:-1]) * own
        columns = [seen, masks, taken, gained / (gained.std() + 1e-6), wanted]
        rows = [column.reshape(BATCH * STEPS, *column.shape[2:]) for column in columns]
        for chosen in np.array_split(self.random.permutation(BATCH * STEPS), 4):
            entropy = ENTROPY[0] * (ENTROPY[1] / ENTROPY[0]) ** part
            self.learn([column[chosen] for column in rows], entropy, RATE * (1 - 0.9 * part))
        for mean, weight in zip(self.mean, self.weights, strict=True):
            mean += np.float32(1 - KEPT) * (weight - mean)

    def play(self) -> tuple[NDArray[Any], ...]:
        """Return what was seen and done by step and match; values and rewards are seat 0's."""
        env, every = self.env, np.arange(BATCH)
        columns: list[list[NDArray[Any]]] = [[] for _ in range(7)]
        observations, masks, signs, taken, values, rewards, ends = columns
        for step in range(STEPS + 1):
            seen, legal, seats = env.seen
            sign = (1 - 2 * seats).astype(np.float32)
            outputs = logits(self.weights, seen)[1]
            signs.append(sign)
            values.append(outputs[:, -1] * sign)
            if step == STEPS:
                break
            play = chances(outputs[:, :-1], legal)
            drawn = self.random.random((BATCH, 1), np.float32)
            actions = np.minimum((play.cumsum(1) <= drawn).sum(1), play.shape[1] - 1)
            wrong = legal[every, actions] == 0  # rounding may lead to a neighbour
            actions[wrong] = play[wrong].argmax(1)
            observations.append(seen.copy())
            masks.append(legal.astype(bool))
            taken.append(actions)
            before = self.dice()
            *_, won, done = env.step(actions)
            ended = done.copy() if self.loss == "match" else actions == 0
            rewards.append(np.where(ended, self.reward(before, won[:, 0], done), 0))
            ends.append(ended)
        return tuple(np.array(column) for column in columns)

    def dice(self) -> Numbers:
        """Return the shares of its dice that each seat has left: [match, seat]."""
        seen, _, seats = self.env.seen
        counts: Numbers = seen[:, self.env.encoding.fields["dice_counts"]]
        return np.where(seats[:, None] == 0, counts, counts[:, ::-1])

    def reward(self, before: Numbers, won: Numbers, done: NDArray[np.bool_]) -> Numbers:
        """Return what the end of a round is worth to seat 0, by the dice before and after."""
        if self.loss == "match":
            return won
        winners = np.stack([won > 0, won < 0], 1)  # of a match that ended; they lost no dice
        after = np.where(done[:, None], before * winners, self.dice())
        lost: Numbers = np.sign(after - before).astype(np.float32)
        return lost[:, 0] - lost[:, 1]

    def learn(self, some: list[NDArray[Any]], entropy: float, rate: float) -> None:
        """Improve the net by some of the decisions."""
        seen, masks, taken, gained, wanted = some
        rows = np.arange(len(seen))
        hidden, outputs = logits(self.weights, seen)
        play = chances(outputs[:, :-1], masks)
        logs = np.log(np.maximum(play, 1e-9))
        # The slopes of -gained · log p(action), of -entropy and of the value's squared error / 2.
        slope = np.empty_like(outputs)
        slope[:, :-1] = gained[:, None] * play
        slope[rows, taken] -= gained
        slope[:, :-1] += entropy * play * (logs - (play * logs).sum(1, keepdims=True))
        slope[:, -1] = outputs[:, -1] - wanted
        slope /= np.float32(len(rows))
        back = (slope @ self.weights[1].T) * (hidden > 0)
        slopes = [seen.T @ back, hidden.T @ slope, back.sum(0), slope.sum(0)]
        self._adam.step(slopes, rate)


def main(*losses: str, updates: int = UPDATES, seed: int = 1) -> None:
    for loss in losses or LOSSES:
        learner = Learner(loss, seed)
        for update in range(updates):
            learner.update(update / updates)
            if update % 100 == 99:
                print(f"{loss}: {update + 1} of {updates} updates", file=sys.stderr)
                np.savez(file_of(loss), *[weight.astype(np.float16) for weight in learner.mean])


if __name__ == "__main__":
    command(main)
