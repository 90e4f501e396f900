"""The values of Blöff: cards, actions, draws and views; events.py has the events."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema


class Card(IntEnum):
    """A kind of card; a number card equals its value, so that totals are plain sums.

    Cards of one kind are indistinguishable. Hands are sorted in this order; BO-28 uses it too.
    """

    MINUS_TWO = -2
    MINUS_ONE = -1
    ZERO = 0
    ONE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    REVERSE = 5
    DRAW2 = 6
    SKIP = 7

    def __str__(self) -> str:
        return str(self.value) if self <= HIGHEST_VALUE else self.name.lower()


LOWEST_VALUE: Final = -2
HIGHEST_VALUE: Final = 4
"""The end of the range of number cards, inclusive; the cards above are action cards."""

NUMBER_CARDS: Final = tuple(card for card in Card if card <= HIGHEST_VALUE)
RED_CARDS: Final = (Card.DRAW2, Card.SKIP)
"""Action cards that are laid in front of one seat (BO-13)."""

_BY_NAME: Final = {str(card): card for card in Card if card > HIGHEST_VALUE}


def _read_card(value: object) -> Card:
    if isinstance(value, Card):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    # The numbers above 4 are internal: in JSON an action card is its name.
    if type(value) is int and LOWEST_VALUE <= value <= HIGHEST_VALUE:
        return Card(value)
    raise ValueError('a card is a number from -2 to 4, "reverse", "draw2" or "skip"')


_NOTED: Final[Mapping[int, int | str]] = {
    card: int(card) if card <= HIGHEST_VALUE else str(card) for card in Card
}

NotedCard: TypeAlias = Annotated[
    Card,
    BeforeValidator(_read_card),
    PlainSerializer(_NOTED.__getitem__, return_type=Any),
    WithJsonSchema({"enum": [*_NOTED.values()]}),
]
"""A card whose JSON form is a value from -2 to 4, or "reverse", "draw2", "skip"."""

Cards: TypeAlias = tuple[NotedCard, ...]


class Direction(IntEnum):
    """The direction of play; seats are numbered clockwise."""

    CLOCKWISE = 1
    COUNTERCLOCKWISE = -1

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Number:
    """A number card laid face down, and the total that the seat announces with it (BO-11).

    A total above the limit is a bust. `call` matters with the second-to-last card only (BO-16).
    """

    value: int
    announce: int
    call: bool = False

    def __str__(self) -> str:
        return f"{int(self.value)} as {self.announce}{_called(self.call)}"


@dataclass(frozen=True, slots=True)
class Red:
    """A red card laid in front of another seat, which carries it out on its turn (BO-13)."""

    card: NotedCard
    target: int
    call: bool = False

    def __str__(self) -> str:
        return f"{self.card} for seat {self.target}{_called(self.call)}"


@dataclass(frozen=True, slots=True)
class Action:
    """An action card that is not red; it takes effect at once (BO-14)."""

    card: NotedCard
    call: bool = False

    def __str__(self) -> str:
        return f"{self.card}{_called(self.call)}"


@dataclass(frozen=True, slots=True)
class Ballot:
    """A sealed answer that says whether the seat doubts the announcement (BO-F1)."""

    doubt: bool

    def __str__(self) -> str:
        return "doubt" if self.doubt else "no doubt"


@dataclass(frozen=True, slots=True)
class Deal:
    """All cards, shuffled (BO-4).

    The first `deal` of them are seat 0's hand and so on by seat; the rest is the draw pile, top
    card first.
    """

    cards: Cards


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """The centre pile, shuffled: the new draw pile, top card first (BO-8)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Doubter:
    """The seat whose doubt counts, drawn among several that doubt (BO-F3)."""

    seat: int


BloeffChoice: TypeAlias = Number | Red | Action | Ballot
"""An answer of a seat."""

BloeffAction: TypeAlias = BloeffChoice | Deal | Reshuffle | Doubter
"""An answer of a seat or a draw of the dealer."""


def _called(call: bool) -> str:
    return ", calling" if call else ""


@dataclass(frozen=True, slots=True)
class Announcement:
    """The total that a seat announced with its card."""

    seat: int
    total: int


@dataclass(frozen=True, slots=True)
class BloeffView:
    """The view of one seat, or of a spectator (BO-27); tuples by seat have one entry per seat.

    The seat on turn may play: every number card of its hand with every total from `lowest` to
    `highest`; every red card of its hand in front of every other seat; every other card of its
    hand. A seat that ballots may doubt or not.
    """

    seat: int | None
    """The seat of the view; None for the spectator."""
    round: int
    """The number of the round, from 1; 0 before the deal."""
    turn: int
    """The number of turns begun in this match, including skipped ones; 0 before the deal."""
    limit: int
    total: int
    """The last accepted announcement of this round, 0 at its start (BO-6)."""
    direction: Direction
    on_turn: int | None
    """The seat whose turn it is; None before the deal and after the end."""
    to_act: tuple[int, ...]
    """The seats asked now.

    During a ballot these are all seats except the one on turn, whichever ballots are in; () while
    the dealer draws and after the end.
    """
    hand: Cards
    """The seat's own cards, ascending; () for the spectator."""
    hand_sizes: tuple[int, ...]
    draw_pile: int
    """The number of cards in the draw pile."""
    centre_pile: int
    """The number of cards in the centre pile, including the one being balloted."""
    waiting: tuple[Cards, ...]
    """The red cards in front of each seat, oldest first (BO-9)."""
    announcements: tuple[Announcement, ...]
    """This round's accepted announcements, oldest first."""
    balloted: Announcement | None
    """The announcement that may be doubted now."""
    seen: Cards
    """The cards of the centre pile that all seats saw, oldest first."""
    face_down: Cards
    """The number cards of the centre pile that only this seat knows, because it laid them.

    The oldest is first; the one being balloted is included. () for the spectator.
    """
    lowest: int
    highest: int
    """The end of the range of totals that may be announced now, from `lowest` inclusive (BO-12)."""
    call_due: bool
    """Whether the seat is on turn with two cards: without a call it draws cards (BO-16)."""
