"""The luck of Blöff's deal, in expected points (the share of the other seats that a seat beats).

Every kind of card has a value. A seat's luck is the value of its hand minus the mean value of all
hands at the table. All orders of the deck are equally likely and hands have equal size, so every
seat has the same expectation for any values and any deck: the mean is exactly zero.

Later draws and reshuffles have luck 0: they explain a tenth as much, and only a replay of the match
would show who drew the cards.
"""

from collections.abc import Iterator
from typing import Final

from arena.games.bloeff import BloeffOptions, Deal
from arena.games.bloeff.kit.luck_table import NAME, luck_table
from arena.lab.luck.draws import DrawLuck
from arena.lab.luck.tables import SCALE
from arena.match.transcript import Transcript

TABLE: Final = NAME
"""The name of the luck table in use."""


def lucks(transcript: Transcript) -> Iterator[DrawLuck]:
    """Yield the luck of the deal, at table sizes that have values; the transcript must be legal."""
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
    # Integers as long as possible, so that the sum over the seats is exactly zero.
    total, unit = sum(worth), seats * SCALE
    yield DrawLuck(1, deal, tuple([(seats * own - total) / unit for own in worth]))
