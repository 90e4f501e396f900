"""Many matches at once for learners: `VectorEnv`, whose loops are compiled by numba."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from arena.games import KITS
from arena.games.encoding import Encoding, EncodingError, encoding
from arena.learn.batch_rules import BatchArrays, BatchPolicy, Compiled, GameBatch, Rewards
from arena.learn.draws import streams
from arena.learn.legal_actions import choose_legal, first_illegal

MOST_SEEDS: Final = 2**63


class SeenBatch(NamedTuple):
    """What the seats to act see, in N matches with O numbers and A actions."""

    observations: NDArray[np.float32]
    """[N, O]"""
    masks: NDArray[np.uint8]
    """[N, A] 1 where an action is legal; every row has one."""
    seats: NDArray[np.int8]
    """[N] The seats to act."""


class BatchStep(NamedTuple):
    """What a step led to; where a match ended, the first three show the next one."""

    observations: NDArray[np.float32]
    masks: NDArray[np.uint8]
    seats: NDArray[np.int8]
    rewards: NDArray[np.float32]
    """[N, S] For every seat, from -1 to 1, with the sum 0; 0 while nothing is decided."""
    done: NDArray[np.bool_]
    """[N] Whether this step ended a match."""


class VectorEnv:
    """A batch of matches of one game, each begun anew when it ends.

    The arrays that it returns are overwritten by the next step: copy what you keep.
    Equal seeds and actions give equal arrays on one platform, whatever the number of threads.

    Args:
        encoded: The encoding of observations and actions.
        batch: The number N of matches.
        seed: The seed of all draws, from 0.
        threads: The number of threads that share the work.
        opponents: A policy that plays all seats but one in every match, the learner's: seat i mod S
            in match i. Then only the learner is asked, and steps go on to its next turn. A match
            that ends before its first turn is left out.
        rewards: "placing", paid at the end of a match; or "chances": after each round twice the
            change of the seat's chance to win by solved play, which only Bluff at two seats has.

    Raises:
        EncodingError: The game or its options are not supported in batches.
    """

    def __init__(
        self,
        encoded: Encoding,
        batch: int,
        seed: int,
        *,
        threads: int = 1,
        opponents: BatchPolicy | None = None,
        rewards: str = "placing",
    ) -> None:
        game = encoded.game.name
        part = cast("GameBatch | None", KITS[game].part("batch"))
        if part is None:
            raise EncodingError(f"{game} is not played in batches")
        for name, value in (("batch", batch), ("threads", threads)):
            if value < 1:
                raise EncodingError(f"{name} is {value}; allowed is 1 or more")
        if not 0 <= seed < MOST_SEEDS:
            raise EncodingError(f"seed is {seed}; allowed is 0 to {MOST_SEEDS - 1}")
        if rewards not in [each.value for each in Rewards]:
            allowed = ", ".join(each.value for each in Rewards)
            raise EncodingError(f"rewards is {rewards!r}; allowed is {allowed}")
        self.encoding: Final = encoded
        self.batch: Final = batch
        self._rules = part.batch_rules(encoded, Rewards(rewards))
        self._seed = seed
        self._arrays = BatchArrays(
            np.zeros((batch, self._rules.width), np.int32),
            np.zeros(batch, np.uint64),
            np.zeros((batch, encoded.size), np.float32),
            np.zeros((batch, encoded.actions), np.uint8),
            np.zeros(batch, np.int8),
            np.zeros((batch, encoded.seats), np.float32),
            np.zeros(batch, np.bool_),
        )
        self._chosen = np.zeros(batch, np.int32)
        self._choosing = np.zeros(batch, np.uint64)
        bounds = [batch * part // threads for part in range(threads + 1)]
        self._slices = [slice(start, end) for start, end in pairwise(bounds) if start < end]
        self._threads = ThreadPoolExecutor(threads) if threads > 1 else None
        self._begun = False
        self._opponents = opponents
        self._own = (np.arange(batch) % encoded.seats).astype(np.int8)

    def reset(self) -> SeenBatch:
        """Begin all matches anew, from the seed."""
        self._arrays.random[:] = streams(self._seed, self.batch)
        self._choosing[:] = streams(self._seed + MOST_SEEDS, self.batch)
        self._run(self._rules.begin, None)
        self._begun = True
        self._play_opponents(np.ones(self.batch, np.bool_))
        return self.seen

    @property
    def seen(self) -> SeenBatch:
        """What the seats to act see now."""
        arrays = self._arrays
        return SeenBatch(arrays.observations, arrays.masks, arrays.seats)

    def step(self, actions: NDArray[np.integer]) -> BatchStep:
        """Apply an action of the seat to act in every match.

        Args:
            actions: The ids of the actions, of shape (N,).

        Raises:
            EncodingError: An action is not legal, or the array is not of N whole numbers; nothing
                was changed.
        """
        if not self._begun:
            raise EncodingError("call reset before the first step")
        actions = np.asarray(actions)
        if actions.shape != (self.batch,) or actions.dtype.kind not in "iu":
            raise EncodingError(
                f"actions are {self.batch} whole numbers, not {actions.dtype} of shape "
                f"{actions.shape}"
            )
        # Clipped, because an illegal 64-bit number could wrap to a legal 32-bit one.
        chosen = np.ascontiguousarray(np.clip(actions, -1, self.encoding.actions), np.int32)
        wrong = first_illegal(self._arrays.masks, chosen)
        if wrong >= 0:
            raise EncodingError(f"action {chosen[wrong]} is not legal in match {wrong}")
        self._run(self._rules.step, chosen)
        self._play_opponents(self._arrays.done)
        return BatchStep(*self.seen, self._arrays.rewards, self._arrays.done)

    def random_actions(self) -> NDArray[np.int32]:
        """Return a uniformly random legal action for every match, drawn from the seed."""
        masks, choosing, chosen = self._arrays.masks, self._choosing, self._chosen
        self._each(lambda part: choose_legal(masks[part], choosing[part], chosen[part]))
        return chosen

    def hands(self) -> NDArray[np.uint8]:
        """Return what all seats hold, secrets included, of shape (N, S, kinds).

        Seats are those of the table, not relative to the seat to act; docs/learn.md names the
        kinds of each game.
        """
        return self._rules.hands(self._arrays.state)

    def _play_opponents(self, done: NDArray[np.bool_]) -> None:
        """Let the opponents play until the learner is asked in every match.

        The rewards of all these steps are added up for the match in progress. A match that begins
        within them is either not decided yet or left out: its rewards are dropped.
        """
        if self._opponents is None:
            return
        arrays = self._arrays
        ended, rewards = done.copy(), arrays.rewards.copy()
        while (waiting := np.flatnonzero(arrays.seats != self._own)).size:
            masks = arrays.masks[waiting]
            chosen = np.asarray(self._opponents(arrays.observations[waiting], masks), np.int32)
            wrong = first_illegal(masks, chosen)
            if wrong >= 0:
                raise EncodingError(f"the opponents' action {chosen[wrong]} is not legal")
            actions = np.full(self.batch, -1, np.int32)
            actions[waiting] = chosen
            self._run(self._rules.step, actions)
            rewards[~ended] += arrays.rewards[~ended]
            ended |= arrays.done
        arrays.rewards[:], arrays.done[:] = rewards, ended

    def _run(self, function: Compiled, actions: NDArray[np.int32] | None) -> None:
        def run(part: slice) -> None:
            given = () if actions is None else (actions[part],)
            function(self._rules.tables, *given, *[array[part] for array in self._arrays])

        self._each(run)

    def _each(self, function: Callable[[slice], None]) -> None:
        """Call a function with the slice of each thread."""
        if self._threads is None:
            function(slice(0, self.batch))
        else:
            list(self._threads.map(function, self._slices))


def vector_env(
    game: str,
    seats: int,
    batch: int,
    seed: int,
    *,
    history: bool = False,
    threads: int = 1,
    opponents: BatchPolicy | None = None,
    rewards: str = "placing",
    **options: object,
) -> VectorEnv:
    """Return a batch of matches of one game for learners.

    Args:
        game: The game's id, such as "bluff".
        seats: The number of seats.
        batch: The number of matches.
        seed: The seed of all draws, from 0.
        history: Whether observations include the public history that a view holds.
        threads: The number of threads that share the work.
        opponents: A policy that plays all seats but the learner's; see VectorEnv.
        rewards: "placing" or "chances"; see VectorEnv.
        options: The game's options; those that are left out have their defaults.

    Raises:
        EncodingError: The game, its options or the number of seats are not supported.
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    encoded = encoding(game, seats, history=history, **options)
    return VectorEnv(encoded, batch, seed, threads=threads, opponents=opponents, rewards=rewards)
