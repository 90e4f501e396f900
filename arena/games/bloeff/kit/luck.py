"""The luck of Blöff's deal, in expected points (the share of the other seats that a seat beats).

Every kind of card has a value. A seat's luck is the value of its hand minus the mean value of all
hands at the table. All orders of the deck are equally likely and hands have equal size, so every
seat has the same expectation for any values and any deck: the mean is exactly zero.

Later draws and reshuffles count as luck 0: they explain a tenth as much, and attributing them to
seats would need a replay of the match.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from arena.games.bloeff import BloeffOptions, Deal
from arena.games.bloeff.values import Card
from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.tables import SCALE, TableName, document, shipped
from arena.match.transcript import Transcript

TABLE: Final = TableName(
    "bloeff_1.json", "1c3b8743cd59c5a9b1a66997dffc5966966761443e4cda0fdfe048ce5ae295e3"
)
"""The file name of the shipped luck table and its SHA-256."""


@cache
def luck_table() -> dict[int, dict[Card, int]]:
    """Return the shipped values of cards in 1 / SCALE points, by number of seats and card.

    Raises LuckTableError.
    """
    return read_table(shipped(__package__, TABLE), TABLE)


def read_table(content: bytes, name: TableName) -> dict[int, dict[Card, int]]:
    """Return the table in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    return {
        int(seats): {card: values[str(card)] for card in Card}
        for seats, values in document(content, name)["values"].items()
    }


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """Yield the luck of the deal; nothing if the table lacks this number of seats.

    The transcript must be legal.
    """
    seats, options = len(transcript.setup.entrants), transcript.setup.options
    assert isinstance(options, BloeffOptions)
    values = luck_table().get(seats)
    if values is None or not transcript.steps or type(transcript.steps[0].action) is not Deal:
        return
    deal, size = transcript.steps[0].action, options.cards_dealt(seats)
    worth = [
        sum([values[card] for card in deal.cards[seat * size : (seat + 1) * size]])
        for seat in range(seats)
    ]
    # The division comes last, so that the sum over the seats is exactly zero.
    total, unit = sum(worth), seats * SCALE
    yield DrawLuck(1, deal, tuple([(seats * own - total) / unit for own in worth]))
