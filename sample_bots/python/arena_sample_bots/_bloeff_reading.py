"""Blöff as `bloeff_search` reads it: inferences from plays about the cards of the others."""

from collections.abc import Sequence
from typing import Final

from arena.games.bloeff import (
    NUMBER_CARDS,
    Accepted,
    ActionPlayed,
    BloeffEvent,
    BloeffRoundStarted,
    Card,
    CardsDrawn,
    Doubted,
    NumberPlayed,
    RedPlayed,
    Reshuffled,
)
from arena_sample_bots._bloeff_policies import Table

ALL: Final = frozenset(Card)
ACTIONS: Final = frozenset(card for card in Card if card > Card.FOUR)


class Reading:
    """The inferences from plays about the others' cards: for each card, what it is unlikely to be.

    Both kinds lay the highest card that they can announce honestly. So the card laid is probably
    the one announced, and a card that stayed in the hand is none that would have made a higher
    total.
    """

    def __init__(self, table: Table, hand_sizes: Sequence[int]) -> None:
        self.table = table
        self.hands: list[list[frozenset[Card]]] = [[frozenset()] * size for size in hand_sizes]
        self.laid: list[frozenset[Card]] = []
        """The face-down cards of others."""
        self.limit, self.total = table.options.limits[0], 0
        self.open: frozenset[Card] = frozenset()

    def add(self, event: BloeffEvent, seat: int) -> None:
        """Update the inferences by an event, from the view of a seat."""
        match event:
            case BloeffRoundStarted():
                self.limit, self.total = event.limit, 0
            case NumberPlayed() if event.seat != seat:
                self.open = self.unless(event.announce)
                self.lacks(event.seat, event.announce if event.announce <= self.limit else -1)
                self.take(event.seat, self.open)
                if event.announce > self.limit:
                    self.laid.append(ACTIONS)
            case RedPlayed() | ActionPlayed() if event.seat != seat:
                if not (isinstance(event, RedPlayed) and len(self.hands[event.target]) <= 2):
                    self.lacks(event.seat, -1)
                self.take(event.seat, frozenset())
            case RedPlayed() | ActionPlayed() | NumberPlayed():
                self.take(event.seat, frozenset())
            case Doubted() if event.seat != seat and not event.right:
                self.lacks(event.seat, -1)
            case Accepted():
                self.total = event.total
                if event.seat != seat:
                    self.laid.append(self.open)
            case CardsDrawn():
                self.hands[event.seat] += [frozenset()] * event.count
            case Reshuffled():
                self.laid = []
            case _:
                pass

    def unless(self, announced: int) -> frozenset[Card]:
        """Return all cards but those that make the announced total."""
        makes, deck = self.table.makes, self.table.deck
        return frozenset(c for c in deck if c > Card.FOUR or makes(self.total, c) != announced)

    def lacks(self, seat: int, announced: int) -> None:
        """Record that a seat has no card that makes an honest total above the announced one."""
        makes = self.table.makes
        cards = {c for c in NUMBER_CARDS if announced < makes(self.total, c) <= self.limit}
        self.hands[seat] = [card | cards for card in self.hands[seat]]

    def take(self, seat: int, unless: frozenset[Card]) -> None:
        """Remove the card that a seat lays: of those that it may be, the one most is known of."""
        hand, number = self.hands[seat], ALL - unless
        fits = [card for card in hand if number - card] or hand
        if fits:
            hand.remove(max(fits, key=len))

    def sized(self, known: list[frozenset[Card]], size: int) -> list[frozenset[Card]]:
        """Return what is known of `size` cards."""
        return (known + [frozenset()] * size)[:size]
