"""Numbers for learners: what a seat sees as a vector, and its actions as ids.

`encoding` returns the encoding of a game, which is the module `encoding` of its kit. It needs numpy
and the rules only.

UserError
└── EncodingError       a game or option without an encoding, or a value that an encoding lacks
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar, Final, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arena.errors import UserError
from arena.games import KITS, make_game
from arena.games.game import AnyGame

MOST_ACTIONS: Final = 65_536
"""The largest number of actions of an encoding: a mask has a byte for each."""


class EncodingError(UserError, ValueError):
    """The error for a game, options or values that no encoding covers; the message says which."""


@dataclass(frozen=True, slots=True)
class EncodedField:
    """A part of an observation: an array of numbers, flattened in C order."""

    name: str
    shape: tuple[int, ...]
    """The length by axis; () for a single number."""
    axes: str
    """The meaning of the axes, such as "seat × face"; "" for a single number."""
    meaning: str
    """The meaning of one number, with its unit."""
    lowest: float = 0.0
    highest: float = 1.0
    """The range of the numbers, inclusive."""


class Encoding(ABC):
    """The encoding of one game under fixed options at a fixed number of seats.

    Seats in observations and actions are counted from the view's own seat, which is 0, in the order
    of play; no number depends on where at the table a seat sits.

    Args:
        game: The rules with their options.
        seats: The number of seats.
        history: Whether observations include the public history that the view holds.
        fields: The parts of an observation, in order.
        actions: The number of actions.

    Raises:
        EncodingError: There would be more than MOST_ACTIONS actions.
    """

    version: ClassVar[str]
    """The name of the encoding, such as "bluff-obs/1"; it changes with the layout."""

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        *,
        history: bool,
        fields: Sequence[EncodedField],
        actions: int,
    ) -> None:
        if actions > MOST_ACTIONS:
            raise EncodingError(
                f"{game.name} has {actions:,} different actions under these options; an encoding "
                f"has at most {MOST_ACTIONS:,}"
            )
        self.game: Final = game
        self.seats: Final = seats
        self.history: Final = history
        self.actions: Final = actions
        self.parts: Final = tuple(fields)
        """The fields with their shapes, ranges and meanings."""
        self.fields: Final = MappingProxyType(_slices(fields))
        """The place of each field in an observation."""
        self.size: Final = sum(prod(field.shape) for field in fields)
        """The length of an observation."""

    def observe(self, view: Any) -> NDArray[np.float32]:
        """Return the observation of a seat's view, of shape (size,).

        Raises:
            EncodingError: The view is a spectator's, or has another number of seats.
        """
        seen = np.zeros(self.size, np.float32)
        self._check(view)
        self._observe(view, {name: seen[at] for name, at in self.fields.items()})
        return seen

    def mask(self, view: Any) -> NDArray[np.uint8]:
        """Return which actions are legal for the view's own seat: 1 or 0, of shape (actions,).

        It is all 0 if the seat is not asked.

        Raises:
            EncodingError: The view is a spectator's, or has another number of seats.
        """
        legal = np.zeros(self.actions, np.uint8)
        self._check(view)
        self._mask(view, legal)
        return legal

    def view(self, observation: NDArray[np.float32]) -> Any:  # noqa: ARG002 - for subclasses
        """Return the view whose observation this is, from seat 0.

        Raises:
            EncodingError: Observations of this game, or under these options, do not hold all of a
                view.
        """
        raise EncodingError(f"observations of {self.game.name} do not hold all of a view")

    @abstractmethod
    def action(self, number: int, seat: int | None = None) -> Any:
        """Return the action with an id.

        Args:
            number: The id, from 0 to `actions` - 1.
            seat: The seat that acts; required for actions that name another seat.

        Raises:
            EncodingError: No action has this id, or the seat is required.
        """

    @abstractmethod
    def id(self, action: Any, seat: int | None = None) -> int:
        """Return the id of an action.

        Args:
            action: The action of a seat.
            seat: The seat that acts; required for actions that name another seat.

        Raises:
            EncodingError: The action has no id under these options, or the seat is required.
        """

    @abstractmethod
    def _seats_and_own(self, view: Any) -> tuple[int, int | None]:
        """Return the number of seats of a view, and its own seat."""

    @abstractmethod
    def _observe(self, view: Any, into: Mapping[str, NDArray[np.float32]]) -> None:
        """Write the fields of a view into zeros, by the fields' names."""

    def _mask(self, view: Any, into: NDArray[np.uint8]) -> None:
        """Write 1 for each legal action into zeros."""
        seat = self._seats_and_own(view)[1]
        for action in self.game.choices(view):
            into[self.id(action, seat)] = 1

    def _check(self, view: Any) -> None:
        seats, own = self._seats_and_own(view)
        if own is None:
            raise EncodingError("a spectator's view has no encoding, because it belongs to no seat")
        if seats != self.seats:
            raise EncodingError(f"this view has {seats} seats, the encoding {self.seats}")

    def _away(self, other: int, seat: int | None, action: Any) -> int:
        """Return the distance in seats, from 1, from the acting seat to `other`."""
        seat = self._named(seat)
        if other == seat or not 0 <= other < self.seats:
            raise self._no_action(action)
        return (other - seat) % self.seats

    def _other(self, away: int, seat: int | None) -> int:
        """Return the seat that is `away` seats from the acting seat."""
        return (self._named(seat) + away) % self.seats

    def _named(self, seat: int | None) -> int:
        if seat is None:
            raise EncodingError(
                f"action ids of {self.game.name} are relative to the acting seat: pass `seat`"
            )
        return seat

    def _no_id(self, number: int) -> EncodingError:
        return EncodingError(f"no action has the id {number}; ids are 0 to {self.actions - 1}")

    def _no_action(self, action: Any) -> EncodingError:
        return EncodingError(f"{self.game.name} has no id for this action: {str(action)[:60]}")


def _slices(fields: Sequence[EncodedField]) -> dict[str, slice]:
    found, start = {}, 0
    for field in fields:
        found[field.name] = slice(start, start + prod(field.shape))
        start += prod(field.shape)
    return found


@runtime_checkable
class GameEncoding(Protocol):
    """The interface of a kit's module `encoding`."""

    ENCODING: Callable[..., Encoding]
    """Makes the encoding of a game at a number of seats, with or without its `history`.

    Raises EncodingError if the encoding does not cover the game's options.
    """


def encoding(game: str, seats: int, *, history: bool = False, **options: object) -> Encoding:
    """Return the encoding of a game for learners.

    Args:
        game: The game's id, such as "bluff".
        seats: The number of seats.
        history: Whether observations include the public history that a view holds, such as all bets
            of a round; without it they hold only the current state, such as the last bet.
        options: The game's options; omitted ones have their defaults.

    Raises:
        EncodingError: The game has no encoding, or none for these options or seats.
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    rules = make_game(game, options)
    part = cast("GameEncoding | None", KITS[game].part("encoding"))
    if part is None:
        known = [name for name, kit in KITS.items() if kit.part("encoding") is not None]
        raise EncodingError(f"{game} has no encoding; the games that have one: {', '.join(known)}")
    if seats not in rules.seat_counts:
        counts = rules.seat_counts
        raise EncodingError(
            f"{game} is played by {counts[0]} to {counts[-1]} seats under these options, "
            f"not {seats}"
        )
    return part.ENCODING(rules, seats, history=history)
