"""The values of Bluff: faces, actions, draws, views and events; the rules are in game.py."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema


class Face(IntEnum):
    """A face of a die; the star counts for every face (BL-11)."""

    ONE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    STAR = 6

    # Faces are hashed very often, and an enum's default hash is computed in Python.
    __hash__ = int.__hash__

    def __str__(self) -> str:
        return "*" if self is Face.STAR else str(self.value)


STAR = Face.STAR


_NOTED: Final[Mapping[int, int | str]] = {face: int(face) for face in Face} | {STAR: "*"}


def _read_face(value: object) -> Face:
    if isinstance(value, Face):
        return value
    # The number 6 is internal: in JSON the star is "*".
    if type(value) is int and Face.ONE <= value <= Face.FIVE:
        return Face(value)
    if value == "*":
        return STAR
    raise ValueError('a face is 1, 2, 3, 4, 5 or "*"')


NotedFace: TypeAlias = Annotated[
    Face,
    BeforeValidator(_read_face),
    # A table lookup: dice are written very often, and a Python function takes ten times as long.
    PlainSerializer(_NOTED.__getitem__, return_type=Any),
    WithJsonSchema({"enum": [*_NOTED.values()]}),
]
"""A face whose JSON form is 1 to 5 or "*"."""

Dice: TypeAlias = tuple[NotedFace, ...]
"""The dice of one seat, ascending."""


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet that at least `quantity` dice of all seats show `face`, with dice laid out (BL-X1)."""

    quantity: int
    face: NotedFace
    show: Dice = ()

    def __str__(self) -> str:
        bet = f"{self.quantity} × {self.face}"
        return f"{bet}, showing {' '.join(map(str, self.show))}" if self.show else bet


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt of the standing bet: all dice are shown (BL-19)."""

    def __str__(self) -> str:
        return "doubt"


@dataclass(frozen=True, slots=True)
class StartingRoll:
    """One open roll for the right to open the match; () for a seat that does not roll (BL-4)."""

    dice: tuple[Dice, ...]


@dataclass(frozen=True, slots=True)
class OpenerDraw:
    """The opener, drawn among seats still tied after the last allowed starting roll (BL-4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class CupRoll:
    """The hidden roll of a round, dice by seat; () for a seat that is out (BL-6)."""

    dice: tuple[Dice, ...]


@dataclass(frozen=True, slots=True)
class Reroll:
    """The new faces of the dice that a seat kept hidden when it laid others out (BL-X3)."""

    dice: Dice


BluffChoice: TypeAlias = Bet | Doubt
"""An answer of a seat."""

BluffAction: TypeAlias = BluffChoice | StartingRoll | OpenerDraw | CupRoll | Reroll
"""An answer of a seat or a draw of the dealer."""


class PlacedBet(NamedTuple):
    """A bet and the seat that placed it."""

    seat: int
    bet: Bet


class BluffView(NamedTuple):
    """The view of one seat, or of a spectator (BL-29).

    It is a named tuple, because one is made per decision: it costs a third of a frozen dataclass.
    `lowest` and `highest` give the legal bets: face f (1 to 5, star at index 5) may be bet with
    quantities `lowest[f - 1]` to `highest`, and not at all if its lowest is above `highest`.
    """

    seat: int | None
    """The seat of the view; None for the spectator."""
    round: int
    """The number of the round, from 1; 0 until the opener of the first round is decided."""
    opener: int | None
    to_act: int | None
    hidden_dice: Dice
    """The seat's own dice under its cup, ascending; () for the spectator."""
    face_up: tuple[Dice, ...]
    """The dice laid out in this round, by seat."""
    dice_counts: tuple[int, ...]
    """The number of dice left by seat, hidden and face up; 0 if the seat is out."""
    graveyard: int
    """The number of dice lost so far by all seats."""
    bets: tuple[PlacedBet, ...]
    """This round's bets, oldest first; the last one stands."""
    lowest: tuple[int, ...]
    highest: int
    can_doubt: bool


@dataclass(frozen=True, slots=True)
class StartingRolled:
    """An open starting roll was made; `opener` is None when tied seats roll again."""

    dice: tuple[Dice, ...]
    opener: int | None


@dataclass(frozen=True, slots=True)
class BluffRoundStarted:
    """All live seats rolled in secret; `opener` bets first."""

    round: int
    opener: int
    dice_counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A seat placed a bet; if it laid out `bet.show`, it re-rolled the rest in secret."""

    seat: int
    bet: Bet


@dataclass(frozen=True, slots=True)
class Showdown:
    """All cups were opened after a doubt; `actual` dice match the bet, `losses` are by seat."""

    doubter: int
    bettor: int
    bet: Bet
    dice: tuple[Dice, ...]
    actual: int
    losses: tuple[int, ...]
    next_opener: int


BluffEvent: TypeAlias = StartingRolled | BluffRoundStarted | BetPlaced | Showdown
