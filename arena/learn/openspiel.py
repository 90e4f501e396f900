"""Games of OpenSpiel: the pure rules with explicit chance, for its solvers and best responses.

Importing this module registers the game "bluff_arena". A state holds values of the rules, which are
never changed, so copying it is cheap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import pyspiel
from numpy.typing import NDArray

from arena.games.chance import MOST_OUTCOMES
from arena.games.encoding import Encoding, EncodingError, encoding
from arena.games.game import DEALER
from arena.learn.seat_by_seat import rewards_of

NAME: Final = "bluff_arena"
_PARAMETERS: Final[Mapping[str, Any]] = {"game": "bluff", "seats": 2, "options": ""}

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Bluff Arena",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=10,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=dict(_PARAMETERS),
)


def openspiel_game(game: str, seats: int, **options: object) -> "ArenaGame":
    """Return a game of OpenSpiel that plays the rules.

    Its actions are the ids of the encoding, its observation tensor is the observation with history,
    its returns are the rewards of `VectorEnv`. Sealed answers are given one after the other, and no
    information state tells another's before all are in. An information state holds all that a
    player has seen and done.

    Args:
        game: The game's id, such as "bluff".
        seats: The number of seats.
        options: The game's options, numbers, texts or truth values; those that are left out have
            their defaults.

    Raises:
        EncodingError: The game, its options or the number of seats are not covered, or a draw has
            more than MOST_OUTCOMES outcomes.
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    written = ";".join(f"{name}:{value}" for name, value in options.items())
    found: ArenaGame = pyspiel.load_game(NAME, {"game": game, "seats": seats, "options": written})
    return found


def _options(written: str) -> dict[str, object]:
    """Return the options of a parameter such as "dice_per_player:1;start_mode:seat"."""
    found: dict[str, object] = {}
    for part in filter(None, written.split(";")):
        name, colon, value = part.partition(":")
        if not colon:
            raise EncodingError(f"options are NAME:VALUE;NAME:VALUE, not {part!r}")
        found[name] = value
    return found


class ArenaGame(pyspiel.Game):
    """One game of the arena under fixed options, in OpenSpiel's interface."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**_PARAMETERS, **(params or {})}
        options = _options(given["options"])
        encoded = encoding(given["game"], given["seats"], history=True, **options)
        info = pyspiel.GameInfo(
            num_distinct_actions=encoded.actions,
            max_chance_outcomes=MOST_OUTCOMES,
            num_players=encoded.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=encoded.game.longest(encoded.seats),
        )
        super().__init__(_TYPE, info, given)
        self.encoding: Final = encoded
        self.first: Final = _begun(encoded)
        if self.first.asked is None:
            _outcomes(encoded, self.first.state)

    def new_initial_state(self, _: object = None) -> "ArenaState":
        """Return the state before the first draw."""
        return ArenaState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "ArenaObserver":
        """Return an observer of states."""
        if params:
            raise EncodingError(f"observers have no parameters; given are {', '.join(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return ArenaObserver(self.encoding, kind)


@dataclass
class _Seen:
    """A view or an action of a player, linked to the one before it."""

    before: "_Seen | None"
    what: Any

    @cached_property
    def line(self) -> str:
        """Its text; cached, because all later states need it."""
        return str(self.what)


class _Place(NamedTuple):
    """A place in a match; immutable."""

    state: Any
    asked: tuple[int, ...] | None
    """The seats asked now, () at the end; None for the dealer."""
    answers: tuple[Any, ...]
    """The sealed answers given so far, by the first of these seats."""
    seen: tuple[_Seen, ...]
    """By seat."""

    def __deepcopy__(self, _: Any) -> "_Place":
        return self


def _begun(encoded: Encoding) -> _Place:
    state = encoded.game.start(encoded.seats)
    seen = tuple(_Seen(None, encoded.game.view(state, seat)) for seat in range(encoded.seats))
    return _at(encoded, state, seen)


def _at(encoded: Encoding, state: Any, seen: tuple[_Seen, ...]) -> _Place:
    """Return the place of a state, which every seat sees."""
    views = [encoded.game.view(state, seat) for seat in range(encoded.seats)]
    known = tuple(
        last if last.what == view else _Seen(last, view)
        for last, view in zip(seen, views, strict=True)
    )
    asked = encoded.game.to_act(state)
    return _Place(state, None if asked is DEALER else asked, (), known)


# Cached, because OpenSpiel requests all outcomes of a draw again to name each of them.
@lru_cache(maxsize=16)
def _outcomes(encoded: Encoding, state: Any) -> tuple[tuple[Any, float], ...]:
    """Return the outcomes of the draw that is due, with their probabilities.

    Raises EncodingError if there are more than MOST_OUTCOMES.
    """
    found = encoded.game.chance_outcomes(state)
    if not isinstance(found, Mapping):
        raise EncodingError(
            f"a draw of {encoded.game.name} has more than {MOST_OUTCOMES:,} outcomes with "
            f"{encoded.seats} seats under these options; OpenSpiel needs them listed"
        )
    return tuple((outcome, float(chance)) for outcome, chance in found.items())


class ArenaState(pyspiel.State):
    """A state of a match, its kept sealed answers, and what every player has seen."""

    def __init__(self, game: ArenaGame) -> None:
        super().__init__(game)
        self.place = game.first
        """The place in the match."""

    @property
    def _encoded(self) -> Encoding:
        found: Encoding = self.get_game().encoding  # kept out of the state, which is copied often
        return found

    def current_player(self) -> int:
        """Return the seat that is asked, or OpenSpiel's id for chance or for the end."""
        asked = self.place.asked
        if asked is None:
            return int(pyspiel.PlayerId.CHANCE)
        return asked[len(self.place.answers)] if asked else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        encoded = self._encoded
        view = encoded.game.view(self.place.state, player)
        return [int(number) for number in np.flatnonzero(encoded.mask(view))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw, numbered in their order, with their probabilities."""
        drawn = _outcomes(self._encoded, self.place.state)
        return [(number, chance) for number, (_, chance) in enumerate(drawn)]

    def _apply_action(self, action: int) -> None:
        encoded, place = self._encoded, self.place
        game = encoded.game
        if place.asked is None:
            draw = _outcomes(encoded, place.state)[action][0]
            self.place = _at(encoded, game.apply(place.state, DEALER, draw), place.seen)
            return
        seat = self.current_player()
        answer = encoded.action(action, seat)
        seen = tuple(
            _Seen(last, answer) if at == seat else last for at, last in enumerate(place.seen)
        )
        answers = (*place.answers, answer)
        if len(answers) < len(place.asked):
            self.place = place._replace(answers=answers, seen=seen)
            return
        state = place.state
        for at, given in zip(place.asked, answers, strict=True):
            state = game.apply(state, at, given)
        self.place = _at(encoded, state, seen)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {_outcomes(self._encoded, self.place.state)[action][0]}"
        return str(self._encoded.action(action, player))

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.place.asked == ()

    def returns(self) -> list[float]:
        """Return the rewards by seat; 0 until the match is over."""
        encoded = self._encoded
        if not self.is_terminal():
            return [0.0] * encoded.seats
        return [float(one) for one in rewards_of(encoded.game.placing(self.place.state))]

    def __str__(self) -> str:
        return f"{self.place.state}{self.place.answers or ''}"


class ArenaObserver:
    """OpenSpiel's observer of a player: the part of a state that the player sees."""

    def __init__(self, encoded: Encoding, kind: Any) -> None:
        self._encoded = encoded
        self._recalls = kind.perfect_recall
        self._private = kind.private_info != pyspiel.PrivateInfoType.NONE
        self.tensor: NDArray[np.float32] = np.zeros(encoded.size, np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {
            part.name: self.tensor[encoded.fields[part.name]].reshape(part.shape or (1,))
            for part in encoded.parts
        }

    def set_from(self, state: ArenaState, player: int) -> None:
        """Set the tensor to what a player sees."""
        self.tensor[:] = 0
        if self._private:
            self.tensor[:] = self._encoded.observe(
                self._encoded.game.view(state.place.state, player)
            )

    def string_from(self, state: ArenaState, player: int) -> str:
        """Return what a player sees; with perfect recall, all that it has seen and done."""
        if not self._private:
            return str(self._encoded.game.view(state.place.state, None))
        if not self._recalls:
            return str(self._encoded.game.view(state.place.state, player))
        lines = []
        seen: _Seen | None = state.place.seen[player]
        while seen is not None:
            lines.append(seen.line)
            seen = seen.before
        return "\n".join(reversed(lines))


pyspiel.register_game(_TYPE, ArenaGame)
