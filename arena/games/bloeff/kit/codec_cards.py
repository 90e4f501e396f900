"""The wire form of Blöff's cards and directions."""

from collections.abc import Iterable
from typing import Final

from arena.codec.malformed import MalformedError
from arena.codec.wire_numbers import enum_numbers, enum_values
from arena.games.bloeff.deck import CARD_TOTAL
from arena.games.bloeff.values import LOWEST_VALUE, Card, Cards, Direction
from arena.v1 import bloeff_pb2 as pb

_OFFSET: Final = pb.BLOEFF_CARD_MINUS_TWO - LOWEST_VALUE
"""The difference between a card's wire number and its value.

Cards have the same order on the wire, but count from 1 there, because 0 is never sent.
"""

_CARDS: Final = {card + _OFFSET: card for card in Card}

DIRECTION_NUMBERS: Final = enum_numbers(Direction, pb.BloeffDirection.DESCRIPTOR)
"""The wire numbers of directions."""
_DIRECTIONS: Final = enum_values(Direction, pb.BloeffDirection.DESCRIPTOR)


def card_number(card: int) -> pb.BloeffCard.ValueType:
    """Return the wire number of a card, or of a number card's value."""
    return card + _OFFSET  # type: ignore[return-value]  # the order is the same by design


def card_numbers(cards: Cards) -> list[pb.BloeffCard.ValueType]:
    """Return the wire numbers of cards."""
    return [card + _OFFSET for card in cards]  # type: ignore[misc]


def read_card(number: int) -> Card:
    """Return the card with a wire number.

    Raises MalformedError.
    """
    card = _CARDS.get(number)
    if card is None:
        raise MalformedError(
            f"{number} is not a card; cards are 1 (for -2) to {len(_CARDS)} (SKIP)"
        )
    return card


def read_cards(numbers: Iterable[int]) -> Cards:
    """Return the cards with these wire numbers.

    Raises MalformedError.
    """
    try:
        cards = tuple(map(_CARDS.__getitem__, numbers))
    except KeyError as error:
        raise MalformedError(f"{error} is not a card") from None
    if len(cards) > CARD_TOTAL:
        raise MalformedError(f"{len(cards)} cards are more than there are")
    return cards


def read_direction(number: pb.BloeffDirection.ValueType) -> Direction:
    """Return the direction with a wire number.

    Raises MalformedError.
    """
    direction = _DIRECTIONS.get(number)
    if direction is None:
        raise MalformedError(f"{number} is not a direction")
    return direction
