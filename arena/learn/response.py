"""A response to a fixed policy, trained by playing against it.

An actor and a critic are nets of two hidden layers. The actor first learns to play as the policy
does, so that it begins with an equal share; then it learns to beat it by proximal policy
optimisation (Schulman and others 2017) with generalised advantage estimation (the same, 2016). The
critic sees all hands while it learns; the actor sees what its seat sees, with the public history.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.encoding import Encoding
from arena.learn.nets import Net, NetArray, chances, drawn, layers_of
from arena.learn.policies import ActionPolicy, Masks, Observations, probabilities
from arena.learn.vector import VectorEnv

_BATCH: Final = 128
_STEPS: Final = 32
"""The decisions of each match between two updates."""
_HIDDEN: Final = 64
_EPOCHS: Final = 4
"""How often an update goes through its decisions."""
_PARTS: Final = 4
"""The number of minibatches of each pass."""
_COPIES: Final = 0.2
"""The part of the training in which the actor learns to play as the policy does."""
_TRIES: Final = 0.3
"""The share of random legal actions in that part, so that the actor can find better ones."""
_RATE: Final = 1e-3
_CLIP: Final = 0.2
"""The clip range: how far an update may change an action's probability, relative to it."""
_TRACE: Final = 0.9
"""Lambda: how far rewards are traced back before the critic's estimate takes their place."""
_ENTROPY: Final = 0.03, 0.001
"""The weight of the entropy bonus, at the beginning and at the end."""
UPDATE: Final = _BATCH * _STEPS
"""The decisions of the response between two updates."""


class ResponseLearner:
    """A response while it learns.

    Args:
        known: The policy that it learns against; it plays all other seats.
        seen: The encoding of the policy.
        encoded: The encoding of the response: that of the policy, with the history.
        rewards: "placing" or "chances", as in VectorEnv.
        seed: The seed of all chance, from 0.
    """

    def __init__(
        self, known: ActionPolicy, seen: Encoding, encoded: Encoding, rewards: str, seed: int
    ) -> None:
        self._random = np.random.default_rng(seed)

        def play(observations: Observations, masks: Masks) -> NDArray[np.float64]:
            # The history comes last.
            return probabilities(known, observations[:, : seen.size], masks)

        def opponents(observations: Observations, masks: Masks) -> NDArray[np.int32]:
            return drawn(play(observations, masks), self._random)

        self._known = play
        self._env = VectorEnv(encoded, _BATCH, seed, opponents=opponents, rewards=rewards)
        self._env.reset()
        everything = encoded.size + self._env.hands()[0].size
        self._actor = Net([encoded.size, _HIDDEN, _HIDDEN, encoded.actions], self._random)
        self._critic = Net([everything, _HIDDEN, _HIDDEN, 1], self._random)
        self._rows = np.arange(_BATCH)
        self._own = self._env.seen.seats.astype(np.int64)
        self._order = (self._own[:, None] + np.arange(encoded.seats)) % encoded.seats

    def improve(self, part: float) -> None:
        """Play UPDATE decisions, and learn from them.

        Args:
            part: The part of the training that is over, 0 to 1.
        """
        copies = part < _COPIES
        entropy = _ENTROPY[0] * (_ENTROPY[1] / _ENTROPY[0]) ** part
        rate = _RATE * (1 - 0.9 * part)
        steps = []
        observations, masks, everything = self._look()
        values = self._values(everything)
        for _ in range(_STEPS):
            if copies:
                play = self._copied(observations, masks)
            else:
                play = chances(self._actor.forward(observations)[0], masks)
            actions = drawn(play, self._random)
            *_, rewards, done = self._env.step(actions)
            step = observations, masks, everything, play, actions
            observations, masks, everything = self._look()
            following = self._values(everything)
            gained = rewards[self._rows, self._own] + following * ~done - values
            steps.append((*step, values, gained, ~done))
            values = following
        gain = np.zeros(_BATCH, np.float32)
        rows = []
        for *step, values, gained, goes_on in reversed(steps):
            gain = gained + np.float32(_TRACE) * goes_on * gain
            rows.append((*step, gain, gain + values))
        columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
        columns[5] = (columns[5] - columns[5].mean()) / (columns[5].std() + 1e-6)
        for _ in range(_EPOCHS):
            for chosen in np.array_split(self._random.permutation(UPDATE), _PARTS):
                part_of = [column[chosen] for column in columns]
                self._learn(part_of, None if copies else entropy, rate)

    def policy(self) -> ActionPolicy:
        """Return the response as it is now; it always takes the likeliest action."""
        weights = [weight.copy() for weight in self._actor.weights]

        def response(observations: Observations, masks: Masks) -> NDArray[np.integer]:
            logits = layers_of(weights, observations)[-1]
            likeliest: NDArray[np.integer] = np.where(masks, logits, -np.inf).argmax(axis=1)
            return likeliest

        return response

    def _look(self) -> tuple[NetArray, Masks, NetArray]:
        """Return what the actor sees, what it may do, and what the critic sees."""
        observations, masks, _ = self._env.seen
        hands = self._env.hands()[self._rows[:, None], self._order]
        everything = np.hstack([observations, hands.reshape(_BATCH, -1) / np.float32(4)])
        return observations.copy(), masks.copy(), everything

    def _copied(self, observations: NetArray, masks: Masks) -> NetArray:
        """Return the policy's play, mixed with random legal actions for exploration."""
        anything = masks / masks.sum(1, keepdims=True)
        play = (1 - _TRIES) * self._known(observations, masks) + _TRIES * anything
        copied: NetArray = play.astype(np.float32)
        return copied

    def _values(self, everything: NetArray) -> NetArray:
        """Return the rewards to come that the critic expects."""
        return self._critic.forward(everything)[0][:, 0]

    def _learn(self, columns: list[NDArray[Any]], entropy: float | None, rate: float) -> None:
        """Improve both nets by some of the decisions; without `entropy` copy what was played."""
        observations, masks, everything, before, actions, gained, wanted = columns
        logits, layers = self._actor.forward(observations)
        play, rows = chances(logits, masks), np.arange(len(logits))
        if entropy is None:
            slope = play - before
        else:
            ratio = play[rows, actions] / before[rows, actions]
            far = np.where(gained > 0, ratio > 1 + _CLIP, ratio < 1 - _CLIP)
            weight = np.where(far, 0, gained * ratio)
            slope = weight[:, None] * play
            slope[rows, actions] -= weight
            logs = np.log(np.maximum(play, 1e-9))
            slope += entropy * play * (logs - (play * logs).sum(1, keepdims=True))
        self._actor.learn(layers, (slope / len(rows)).astype(np.float32), rate)
        values, layers = self._critic.forward(everything)
        self._critic.learn(layers, (values - wanted[:, None]) / np.float32(len(rows)), rate)
