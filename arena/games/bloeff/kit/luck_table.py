"""The luck table of Blöff: the values of dealt cards."""

from functools import cache
from typing import Final

from arena.games.bloeff.values import Card
from arena.lab.luck.tables import TableName, document, shipped

NAME: Final = TableName(
    "bloeff_1.json", "1c3b8743cd59c5a9b1a66997dffc5966966761443e4cda0fdfe048ce5ae295e3"
)
"""The file name of the shipped table and its SHA-256."""


@cache
def luck_table() -> dict[int, dict[Card, int]]:
    """Return the values of cards in 1 / SCALE points, by number of seats and card.

    They come from the shipped table. Raises LuckTableError.
    """
    return read_table(shipped(__package__, NAME), NAME)


def read_table(content: bytes, name: TableName) -> dict[int, dict[Card, int]]:
    """Return the table in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    return {
        int(seats): {card: values[str(card)] for card in Card}
        for seats, values in document(content, name)["values"].items()
    }
