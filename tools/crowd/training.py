"""Self-play by policy gradient, from round to round."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games.bluff.kit.batch_rounds import HEAD, OPENER, TURN
from arena.learn.draws import streams
from arena.learn.nets import Adam, drawn
from arena.learn.nets import chances as softmax
from tools.crowd.nets import Numbers, TableValue, Weigher
from tools.crowd.rounds import BAYES, HONEST, LEARNER, act, advance, begin
from tools.crowd.sight import CANDIDATES, FEATURES, ROW, SEATS

FALL: Final = 600
"""The updates over which the rate of learning falls to a tenth, and so does the entropy bonus."""
RATE: Final = 2e-3
ENTROPY: Final = 0.02
"""The weight of the entropy bonus at the beginning."""
CLIP: Final = 0.2
"""The most by which an update changes the probability of an action, relative to it."""
EPOCHS: Final = 2
PART: Final = 3000
"""The decisions of a step of Adam."""
KEPT: Final = 0.99
"""The share of the running mean of the weights that an update keeps."""
TABLES: Final = {3: 0.12, 4: 0.13, 5: 0.15, 6: 0.6}
"""How often a match begins at a table, by the table's number of seats."""
LEARNERS: Final = {1.0: 0.4, 0.6: 0.3, 0.17: 0.3}
"""How often a match uses each probability that a seat is a learner's; one seat always is."""
HONEST_SHARE: Final = 0.1
"""The share of `honest` among the other players; the others are `bayes`."""


class Decisions(NamedTuple):
    """Decisions of learners, one a row."""

    matches: NDArray[np.int64]
    seats: NDArray[np.int32]
    seen: Numbers
    """[N, CANDIDATES, FEATURES]"""
    legal: NDArray[np.bool_]
    taken: NDArray[np.int32]
    chance: Numbers
    """The probability with which the action was taken."""
    expected: Numbers
    """The expected worth of the round at that time."""


class Training:
    """The matches and the nets.

    Args:
        batch: The number of matches.
        seed: The seed of all chance.
    """

    def __init__(self, batch: int, seed: int) -> None:
        self.batch, self._random = batch, np.random.default_rng(seed)
        self._state, self._draws = np.zeros((batch, ROW), np.int32), streams(seed, batch)
        self._kinds, self._seats = np.zeros((batch, SEATS), np.int64), np.zeros(batch, np.int64)
        self._ended = np.ones(batch, np.bool_)
        self._ids = np.zeros((batch, CANDIDATES), np.int32)
        self._seen = np.zeros((batch, CANDIDATES, FEATURES), np.float32)
        self._weigher, self._value = Weigher(self._random), TableValue(self._random)
        self._adam = Adam(self._weigher.weights)
        self.updates = 0
        self.mean = [weight.copy() for weight in self._weigher.weights]
        """The running mean of the weights, which is what the bot plays."""
        self.won: list[float] = []
        """The final chances to win of learners at tables of six with at most two learners."""

    def update(self) -> int:
        """Play a round of each match and learn from it; return the number of decisions."""
        part = min(1.0, self.updates / FALL)
        self.updates += 1
        self._begin()
        counts, openers = self._table()
        before = self._value(counts, openers)
        decisions = self._play()
        after = self._value(*self._table())
        self._value.learn(counts, openers, after)
        self._ended = (self._table()[0] > 0).sum(1) <= 2
        self._note(after)
        gains = (after - before).astype(np.float32)[decisions.matches, decisions.seats]
        ahead = gains - decisions.expected
        ahead /= ahead.std() + 1e-6
        entropy = ENTROPY * 0.1**part
        rows = len(gains)
        for _ in range(EPOCHS):
            for chosen in np.array_split(self._random.permutation(rows), max(1, rows // PART)):
                some = Decisions._make(column[chosen] for column in decisions)
                self._learn(some, gains[chosen], ahead[chosen], entropy, RATE * (1 - 0.9 * part))
        for mean, weight in zip(self.mean, self._weigher.weights, strict=True):
            mean += np.float32(1 - KEPT) * (weight - mean)
        return rows

    def _begin(self) -> None:
        """Seat players at the tables that ended, and begin a round everywhere."""
        fresh = np.flatnonzero(self._ended)
        random, many = self._random, len(fresh)
        self._seats[fresh] = random.choice(list(TABLES), many, p=list(TABLES.values()))
        shares = random.choice(list(LEARNERS), many, p=list(LEARNERS.values()))
        learners = random.random((many, SEATS)) < shares[:, None]
        learners[np.arange(many), random.integers(0, self._seats[fresh])] = True
        others = np.where(random.random((many, SEATS)) < HONEST_SHARE, HONEST, BAYES)
        self._kinds[fresh] = np.where(learners, LEARNER, others)
        begin(self._state, self._draws, self._ended, self._seats)

    def _table(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the dice by match and seat, and the openers."""
        return self._state[:, HEAD : HEAD + SEATS].copy(), self._state[:, OPENER].copy()

    def _play(self) -> Decisions:
        """Play the rounds to their ends."""
        found: list[Decisions] = []
        active = np.arange(self.batch)
        while True:
            asked = advance(self._state, self._kinds, self._draws, active, self._ids, self._seen)
            if not asked:
                return Decisions._make(map(np.concatenate, zip(*found, strict=True)))
            active, ids, seen = active[:asked], self._ids[:asked], self._seen[:asked].copy()
            outputs = self._weigher(seen.reshape(-1, FEATURES))[1].reshape(asked, CANDIDATES, 2)
            legal, every = ids >= 0, np.arange(asked)
            chances = softmax(outputs[..., 0], legal)
            taken = drawn(chances, self._random)
            expected = (chances * outputs[..., 1]).sum(1)
            seats = self._state[active, TURN]
            chance = chances[every, taken]
            found.append(Decisions(active.copy(), seats, seen, legal, taken, chance, expected))
            active = active[: act(self._state, active, ids[every, taken])]

    def _note(self, chances: Numbers) -> None:
        for match in np.flatnonzero(self._ended & (self._seats == SEATS)):
            learners = self._kinds[match] == LEARNER
            if learners.sum() <= 2:
                self.won += chances[match, learners].tolist()

    def _learn(
        self, some: Decisions, gains: Numbers, ahead: Numbers, entropy: float, rate: float
    ) -> None:
        seen, every = some.seen.reshape(-1, FEATURES), np.arange(len(gains))
        hidden, flat = self._weigher(seen)
        outputs = flat.reshape(len(gains), CANDIDATES, 2)
        chances = softmax(outputs[..., 0], some.legal)
        logs = np.log(np.maximum(chances, 1e-9))
        ratio = chances[every, some.taken] / some.chance
        clipped = ((ahead > 0) & (ratio > 1 + CLIP)) | ((ahead < 0) & (ratio < 1 - CLIP))
        pull = np.where(clipped, 0, ahead * ratio).astype(np.float32)
        slope = np.zeros_like(outputs)
        slope[..., 0] = pull[:, None] * chances
        slope[every, some.taken, 0] -= pull
        slope[..., 0] += entropy * chances * (logs - (chances * logs).sum(1, keepdims=True))
        slope[every, some.taken, 1] = 10 * (outputs[every, some.taken, 1] - gains)
        slope /= np.float32(len(gains))
        self._adam.step(self._weigher.slopes(seen, hidden, slope.reshape(-1, 2)), rate)
