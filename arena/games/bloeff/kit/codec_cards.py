"""The wire form of Blöff's cards, directions and seats."""

from collections.abc import Iterable
from typing import Final

from arena.codec.malformed import MalformedError
from arena.games.bloeff.deck import CARD_TOTAL
from arena.games.bloeff.values import LOWEST_VALUE, Card, Cards, Direction
from arena.v1 import bloeff_pb2 as pb

_OFFSET: Final = pb.BLOEFF_CARD_MINUS_TWO - LOWEST_VALUE
"""The difference between a card's wire number and its value.

Cards have the same order on the wire, but count from 1 there, because 0 is never sent.
"""

_CARDS: Final = {card + _OFFSET: card for card in Card}

_DIRECTION_NUMBERS: Final = {
    Direction.CLOCKWISE: pb.BLOEFF_DIRECTION_CLOCKWISE,
    Direction.COUNTERCLOCKWISE: pb.BLOEFF_DIRECTION_COUNTERCLOCKWISE,
}
_DIRECTIONS: Final = {number: direction for direction, number in _DIRECTION_NUMBERS.items()}


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


def direction_number(direction: Direction) -> pb.BloeffDirection.ValueType:
    """Return the wire number of a direction."""
    return _DIRECTION_NUMBERS[direction]


def read_direction(number: pb.BloeffDirection.ValueType) -> Direction:
    """Return the direction with a wire number.

    Raises MalformedError.
    """
    direction = _DIRECTIONS.get(number)
    if direction is None:
        raise MalformedError(f"{number} is not a direction")
    return direction


def read_seat(number: int) -> int:
    """Return a seat number unchanged.

    Raises MalformedError if it is negative.
    """
    if number < 0:
        raise MalformedError(f"{number} is not a seat; seats count from 0")
    return number
