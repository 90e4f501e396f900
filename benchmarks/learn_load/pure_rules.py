"""Matches of a batch played again by the pure rules, from the same draws, and compared.

The streams of a batch are those of its seed; the dealers here draw from copies of them, in the
order of the rules. Every observation, mask, seat, reward and end must be the same, on the bytes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bloeff import BloeffPhase, BloeffState, Deal, Doubter, Reshuffle
from arena.games.bloeff.dealing import doubting
from arena.games.bloeff.state import centre_pile
from arena.games.bluff import CupRoll, Face, StartingRoll
from arena.games.bluff.state import BluffPhase, BluffState
from arena.games.bluff_you import BluffYouState, Roll
from arena.games.game import DEALER
from arena.learn.draws import below, roll, streams
from arena.learn.seat_by_seat import rewards_of
from arena.learn.vector import BatchStep, VectorEnv

Streams = NDArray[np.uint64]
Dealer = Callable[[Any, Streams, int], Any]
"""Makes the draw that is due in a state, from a stream."""


class PureRules:
    """The matches of a batch as states of the rules. Call it before the batch's first step."""

    def __init__(self, env: VectorEnv, seed: int) -> None:
        self._env = env
        self._game: Final = env.encoding.game
        self._streams = streams(seed, env.batch)
        self._deal = DEALERS[self._game.name]
        self._states = [self._begun(match) for match in range(env.batch)]

    def compare(self, actions: NDArray[np.int32] | None, seen: Any) -> None:
        """Apply the actions, and raise AssertionError unless the batch shows the same.

        Args:
            actions: The actions of the step that led here; None after the reset.
            seen: What the step or the reset returned.
        """
        game, encoded = self._game, self._env.encoding
        for match, state in enumerate(self._states):
            if actions is not None:
                self._step(match, state, int(actions[match]), seen)
            seat = int(seen.seats[match])
            assert seat == self._asked(self._states[match]), match
            view = game.view(self._states[match], seat)
            assert encoded.observe(view).tobytes() == seen.observations[match].tobytes(), match
            assert encoded.mask(view).tobytes() == seen.masks[match].tobytes(), match

    def _begun(self, match: int) -> Any:
        return self._dealt(self._game.start(self._env.encoding.seats), match)

    def _dealt(self, state: Any, match: int) -> Any:
        while self._game.to_act(state) is DEALER:
            draw = self._deal(state, self._streams, match)
            state = self._game.apply(state, DEALER, draw)
        return state

    def _step(self, match: int, state: Any, action: int, seen: BatchStep) -> None:
        game = self._game
        seat = self._asked(state)
        answer = self._env.encoding.action(action, seat)
        state = self._dealt(game.apply(state, seat, answer), match)
        over = game.to_act(state) == ()
        assert bool(seen.done[match]) == over, match
        rewards = np.zeros(self._env.encoding.seats, np.float32)
        if over:
            rewards = rewards_of(game.placing(state))
        assert rewards.tobytes() == seen.rewards[match].tobytes(), match
        self._states[match] = self._begun(match) if over else state

    def _asked(self, state: Any) -> int:
        asked = self._game.to_act(state)
        assert isinstance(asked, tuple)
        return asked[0]


def _bluff(state: BluffState, streams: Streams, match: int) -> Any:
    if state.phase is BluffPhase.STARTING_ROLL:
        opener, dice = below(streams, match, len(state.dice_counts)), state.dice_counts[0]
        cups = [(Face.ONE,) * dice] * len(state.dice_counts)
        cups[opener] = (Face.FIVE,) * dice
        return StartingRoll(tuple(cups))
    return CupRoll(tuple(_cup(count, streams, match) for count in state.dice_counts))


def _cup(count: int, streams: Streams, match: int) -> tuple[Face, ...]:
    counts = np.zeros(6, np.int64)
    roll(streams, match, count, counts)
    return tuple(face for face, count in zip(Face, counts, strict=True) for _ in range(count))


def _bluff_you(state: BluffYouState, streams: Streams, match: int) -> Any:  # noqa: ARG001
    counts = np.zeros(6, np.int64)
    roll(streams, match, 3, counts)
    return Roll(tuple(pips + 1 for pips in range(6) for _ in range(counts[pips])))


def _bloeff(state: BloeffState, streams: Streams, match: int) -> Any:
    if state.phase is BloeffPhase.DOUBTER:
        seats = doubting(state.ballots)
        return Doubter(seats[below(streams, match, len(seats))])
    dealing = state.phase is BloeffPhase.DEAL
    cards = list(state.draw_pile if dealing else centre_pile(state))
    for last in range(len(cards) - 1, 0, -1):
        chosen = below(streams, match, last + 1)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return (Deal if dealing else Reshuffle)(tuple(cards))


DEALERS: Final[Mapping[str, Dealer]] = {
    "bluff": _bluff,
    "bluff_you": _bluff_you,
    "bloeff": _bloeff,
}
