"""The rows of Blöff's card tables and their validation.

The functions are pure; tables.py reads the files.
"""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from arena.games.bloeff.values import HIGHEST_VALUE, NUMBER_CARDS, RED_CARDS, Card

NUMBER_TOTAL: Final = 34
ACTION_TOTAL: Final = 18
CARD_TOTAL: Final = NUMBER_TOTAL + ACTION_TOTAL
"""The size of the deck; this total and those above are fixed by the rulebook (BO-2)."""


class DeckRow(BaseModel):
    """A kind of card and its count."""

    # "class" is a column of the table, but a reserved word in Python.
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    class_: Literal["number", "action"] = Field(alias="class")
    name: str
    """The card's name in actions: the value of a number card, else the effect."""
    value: int | None = Field(default=None, ge=NUMBER_CARDS[0], le=HIGHEST_VALUE)
    """The value of a number card; None for an action card."""
    colour: str = Field(pattern=r"^[a-z]+$")
    """The card's colour.

    Blue number cards count less (BO-24); red action cards are laid before a seat (BO-13).
    """
    effect: Literal["reverse", "draw2", "skip"] | None = None
    """The effect of an action card; None for a number card."""
    count: int = Field(ge=1)

    @property
    def card(self) -> Card:
        """The row's card; defined only for a valid row."""
        return Card(self.value) if self.value is not None else Card[self.name.upper()]


class DealRow(BaseModel):
    """The number of cards dealt to each seat at a given number of seats (BO-4)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seats: int = Field(ge=2)
    cards: int = Field(ge=1)


def deck_flaw(rows: Sequence[DeckRow]) -> tuple[int, str] | None:
    """Return the index (from 0) of the first invalid row and the reason; None if valid."""
    names = [row.name for row in rows]
    for index, row in enumerate(rows):
        reason = _row_flaw(row)
        if reason is None and row.name in names[:index]:
            reason = f"card {row.name!r} is listed twice"
        if reason is not None:
            return index, reason
    missing = [card.value for card in NUMBER_CARDS if str(card) not in names]
    if missing:
        return _last(rows, "number"), f"no number card has the value {missing[0]}"
    for class_, total in (("number", NUMBER_TOTAL), ("action", ACTION_TOTAL)):
        found = sum(row.count for row in rows if row.class_ == class_)
        if found != total:
            reason = f"the {class_} cards add up to {found}, the rulebook has {total}"
            return _last(rows, class_), reason
    return None


def deal_flaw(rows: Sequence[DealRow]) -> tuple[int, str] | None:
    """Return the index (from 0) of the first invalid row and the reason; None if valid."""
    for index, row in enumerate(rows):
        if any(row.seats == other.seats for other in rows[:index]):
            return index, f"{row.seats} seats are listed twice"
        if row.seats * row.cards > CARD_TOTAL:
            needed = f"{row.seats} × {row.cards} = {row.seats * row.cards}"
            return index, f"{needed} cards are more than the {CARD_TOTAL} there are"
    return None


def cards_of(rows: Sequence[DeckRow]) -> tuple[Card, ...]:
    """Return every card of the deck, ascending."""
    return tuple(sorted(card for row in rows for card in (row.card,) * row.count))


def _row_flaw(row: DeckRow) -> str | None:
    """Return why a row is invalid on its own; None if it is valid."""
    if row.class_ == "number":
        if row.value is None or row.effect is not None:
            return "a number card has a value and no effect"
        if row.name != str(row.value):
            return f"a number card is named by its value, {row.value}, not {row.name!r}"
        return None
    if row.value is not None or row.effect is None:
        return "an action card has an effect and no value"
    if row.name != row.effect:
        return f"an action card is named by its effect, {row.effect!r}, not {row.name!r}"
    # No rule says what a red reverse, or a skip that is not red, would do.
    if (row.colour == "red") != (row.card in RED_CARDS):
        return "cards of effect draw2 and skip are red, no others"
    return None


def _last(rows: Sequence[DeckRow], class_: str) -> int:
    """Return the index of the last row of a class, to which a missing card would be added."""
    return max((i for i, row in enumerate(rows) if row.class_ == class_), default=len(rows) - 1)
