"""An environment of Gymnasium: one seat of a match as the referee plays it, against chosen bots."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.bot.bot import AnyBot
from arena.bot.turn import Match
from arena.games.encoding import Encoding, EncodingError, encoding
from arena.learn.policies import Opponent, contenders
from arena.learn.seat_by_seat import rewards_of
from arena.learn.seeds import match_key
from arena.learn.spaces import observation_box
from arena.local.in_process import begin_bot, reply_of
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.faults import DEFAULT_FAULT_LIMIT
from arena.match.flow import Ask, MatchRecord, OpenTurn, Refused, Reply, TimedAction, play
from arena.match.transcript import Entrant
from arena.randomness import KeyedRandomness

Info = dict[str, Any]


class SingleAgentEnv(gymnasium.Env[Any, np.int64]):
    """Matches of a game in which all seats but one are played by opponents.

    An observation is float32[O]; `info["action_mask"]` is `action_masks()` as int8[A],
    and `info["seat"]` the seat at the table. An action that is not legal is a fault, as at the
    referee: the game's default action is played, `info["faults"]` counts it, and at the third the
    match is lost. A match that ends before the learner's first turn is left out.

    Args:
        encoded: The encoding of observations and actions.
        opponents: A bot or policy for all other seats, or one for each, in the order of play.
        seat: The learner's seat; None for another one in each match, in turn.

    Raises:
        EncodingError: There is no such seat.
        BotFileError: There is no such bot.
        PolicyError: There are more or fewer opponents than other seats.
    """

    def __init__(
        self, encoded: Encoding, opponents: Opponent | Sequence[Opponent], seat: int | None = None
    ) -> None:
        if seat is not None and not 0 <= seat < encoded.seats:
            raise EncodingError(f"seat is {seat}; allowed is 0 to {encoded.seats - 1}")
        self.encoding = encoded
        self.observation_space = observation_box(encoded)
        self.action_space = spaces.Discrete(encoded.actions)
        self._opponents = contenders(encoded, opponents)
        self._fixed_seat = seat
        self._key_seed, self._matches = -1, 0
        self._turn: OpenTurn | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin a match: the first of `seed`, or without a seed the next of the last seed."""
        super().reset(seed=seed, options=options)
        if seed is not None or self._key_seed < 0:
            self._key_seed = int(self.np_random.integers(2**63 - 1))
            self._matches = 0
        self._turn = None
        while self._turn is None:
            self._begin()
        return self._seen()

    def step(self, action: np.int64) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Answer the learner's turn, and let the opponents play up to its next.

        Raises:
            EncodingError: No match runs: call `reset`; or there is no action of this id.
        """
        if self._turn is None:
            raise EncodingError("no match runs: call reset first")
        chosen = self.encoding.action(int(action), self._seat)
        replies = self._replies(TimedAction(chosen))
        self._advance(lambda: self._flow.send(replies))
        observation, info = self._seen()
        return observation, self._reward, self._turn is None, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, of shape (A,); none when the match is over."""
        if self._turn is None:
            return np.zeros(self.encoding.actions, np.bool_)
        return self.encoding.mask(self._turn.view).astype(np.bool_)

    def _begin(self) -> None:
        encoded, number = self.encoding, self._matches
        self._matches += 1
        self._seat = number % encoded.seats if self._fixed_seat is None else self._fixed_seat
        key = match_key(self._key_seed, number)
        entrants = [Entrant("learner", "1", "local")]
        entrants += [Entrant(opponent.name, "1", "local") for opponent in self._opponents]
        by_seat = tuple(entrants[(at - self._seat) % encoded.seats] for at in range(encoded.seats))
        self._bots: dict[int, tuple[AnyBot, Match[Any]]] = {}
        for place, opponent in enumerate(self._opponents, start=1):
            at = (self._seat + place) % encoded.seats
            match = Match(
                f"match {number}",
                encoded.game,
                at,
                by_seat,
                DEFAULT_TIME_CONTROL,
                DEFAULT_FAULT_LIMIT,
            )
            self._bots[at] = begin_bot(opponent, Random(key + bytes([at])), match), match
        self._faults = 0
        self._flow = play(encoded.game, encoded.seats, KeyedRandomness(key))
        self._advance(lambda: next(self._flow))

    def _advance(self, go_on: Callable[[], Ask]) -> None:
        """Go on to the learner's next turn, or to the end."""
        self._turn, self._reward = None, 0.0
        try:
            ask = go_on()
            while True:
                self._count(ask.refused)
                self._asked = ask.turns
                for turn in ask.turns:
                    if turn.seat == self._seat:
                        self._turn = turn
                        return
                ask = self._flow.send(self._replies(None))
        except StopIteration as end:
            record: MatchRecord = end.value
            self._count(record.refused)
            self._reward = float(rewards_of(record.result.placing)[self._seat])

    def _replies(self, own: TimedAction | None) -> list[Reply]:
        """Return the replies to the open turns; `own` is the learner's."""
        replies: list[Reply] = []
        for turn in self._asked:
            if turn.seat in self._bots:
                replies.append(reply_of(*self._bots[turn.seat], turn))
            else:
                assert own is not None, "only the learner's turn is answered from outside"
                replies.append(own)
        return replies

    def _count(self, refused: Sequence[Refused]) -> None:
        self._faults += sum(1 for one in refused if one.seat == self._seat)

    def _seen(self) -> tuple[NDArray[np.float32], Info]:
        """Return the observation and its info; both are 0 when the match is over."""
        encoded, turn = self.encoding, self._turn
        observation = (
            np.zeros(encoded.size, np.float32) if turn is None else encoded.observe(turn.view)
        )
        mask = self.action_masks().astype(np.int8)
        return observation, {"action_mask": mask, "seat": self._seat, "faults": self._faults}


def gym_env(
    game: str,
    seats: int,
    opponents: Opponent | Sequence[Opponent],
    *,
    seat: int | None = None,
    history: bool = False,
    **options: object,
) -> SingleAgentEnv:
    """Return an environment of Gymnasium in which the opponents play all seats but the learner's.

    Args:
        game: The game's id, such as "bluff".
        seats: The number of seats.
        opponents: A sample bot's name, the path of a .py file, or a policy (on this encoding), for
            all other seats; or a sequence of them with one for each, in the order of play.
        seat: The learner's seat; None for another one in each match, in turn.
        history: Whether observations include the public history that a view holds.
        options: The game's options; those that are left out have their defaults.

    Raises:
        EncodingError: The game, its options or the number of seats are not covered, or there is no
            such seat.
        BotFileError: There is no such bot.
        PolicyError: There are more or fewer opponents than other seats.
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    return SingleAgentEnv(encoding(game, seats, history=history, **options), opponents, seat)
