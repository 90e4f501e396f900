"""The wire form of one of Blöff's cards."""

from typing import Final

from arena.codec.malformed import MalformedError
from arena.games.bloeff.values import LOWEST_VALUE, Card
from arena.v1 import bloeff_pb2 as pb

_OFFSET: Final = pb.BLOEFF_CARD_MINUS_TWO - LOWEST_VALUE
"""The difference between a card's wire number and its value.

Cards have the same order on the wire, but count from 1 there, because 0 is never sent.
"""

_CARDS: Final = {card + _OFFSET: card for card in Card}


def card_number(card: int) -> pb.BloeffCard.ValueType:
    """Return the wire number of a card, or of a number card's value."""
    return card + _OFFSET  # type: ignore[return-value]  # the order is the same by design


def read_card(number: int) -> Card:
    """Return the card with a wire number. Raises MalformedError."""
    card = _CARDS.get(number)
    if card is None:
        raise MalformedError(
            f"{number} is not a card; cards are 1 (for -2) to {len(_CARDS)} (SKIP)"
        )
    return card
