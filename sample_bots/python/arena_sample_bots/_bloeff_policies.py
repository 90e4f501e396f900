"""Blöff as `bloeff_search` imagines it: how seats of a kind play, on states instead of views.

A policy looks only at what its seat sees of a state.
"""

from dataclasses import dataclass
from math import comb, exp
from random import Random
from typing import Final, TypeAlias

from arena.games.bloeff import (
    NUMBER_CARDS,
    RED_CARDS,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffPhase,
    BloeffState,
    BloeffView,
    Card,
    Cards,
    Number,
    Red,
)
from arena.games.bloeff import Action as ActionCard
from arena.games.game import Game

Rules: TypeAlias = Game[BloeffOptions, BloeffState, BloeffChoice, BloeffView, BloeffEvent]

FREE_LIES: Final = 0.05
"""How often a seat is believed to lie without need."""
LAST_CARD: Final = 0.1
"""How likely a lie about a last card must be to be doubted."""
_USE: Final = (Card.DRAW2, Card.SKIP, Card.REVERSE)
"""The order in which a seat that weighs chances plays action cards."""
WORTH: Final = 0.4
"""How many logits a point less in hand is worth, where imagined play is given up. Measured between
two of `bloeff_counter` 0.6, against `bloeff_honest` 0.26."""


@dataclass(frozen=True)
class Policy:
    """How a seat of a kind plays in imagined play."""

    honest: bool
    """It lies and doubts only when it must."""
    lies: float = 0.0
    """Otherwise, how likely it lies rather than play an action card."""


HONEST: Final = Policy(honest=True)
COUNTER: Final = Policy(honest=False, lies=0.6)
SELF: Final = Policy(honest=False, lies=0.9)


class Table:
    """The rules of a match, as imagined play asks for them."""

    def __init__(self, game: Rules) -> None:
        self.game, self.options = game, game.options
        rows = self.options.deck
        self.deck = {row.card: row.count for row in rows}
        self.points = {
            row.card: self.options.points_blue
            if row.class_ == "number" and row.colour == "blue"
            else self.options.points_other
            for row in rows
        }

    def makes(self, total: int, card: int) -> int:
        """The honest total of a number card."""
        return max(0, total + card) if self.options.below_zero == "floor" else total + card

    def safe(self, hand: Cards, total: int, limit: int) -> list[Card]:
        """The number cards that can be announced honestly."""
        return [
            card for card in hand if card <= Card.FOUR and 0 <= self.makes(total, card) <= limit
        ]

    def unseen(self, state: BloeffState, seat: int) -> dict[Card, int]:
        """The cards that a seat has not seen."""
        left = dict(self.deck)
        for cards in (state.hands[seat], state.seen, state.face_down[seat], *state.waiting):
            for card in cards:
                left[card] -= 1
        return left

    def lied(self, state: BloeffState, seat: int) -> float:
        """How likely the open announcement is a lie, by the cards that a seat has not seen and the
        size of the hand from which it came."""
        unseen, limit = self.unseen(state, seat), self.options.limits[state.round - 1]
        made = [(self.makes(state.total, card), unseen[card]) for card in NUMBER_CARDS]
        fits = sum(count for total, count in made if total == state.announced)
        if not fits:
            return 1.0
        safe = sum(count for total, count in made if total <= limit)
        count = sum(unseen.values())
        hand = min(len(state.hands[state.on_turn]) + 1, count)
        in_need = comb(max(0, count - safe), hand) / comb(count, hand)
        lie = (in_need + FREE_LIES) / (limit + 1)
        return lie / (lie + (1 - in_need) * fits / max(safe, 1))

    def doubts(self, state: BloeffState, seat: int, policy: Policy) -> bool:
        """Whether a seat doubts the open announcement."""
        chance = self.lied(state, seat)
        if policy.honest:
            return chance == 1.0
        if not state.hands[state.on_turn]:  # it wins, if nobody doubts
            return chance > LAST_CARD
        others = len(state.hands) - 1
        return chance > others / (others + 1)

    def plays(
        self, state: BloeffState, policy: Policy, random: Random
    ) -> Number | Red | ActionCard:
        """What the seat on turn plays."""
        seat, limit = state.on_turn, self.options.limits[state.round - 1]
        hand, total, sizes = state.hands[seat], state.total, list(map(len, state.hands))
        actions = [card for card in hand if card > Card.FOUR]
        others = [other for other in range(len(sizes)) if other != seat]
        nearest = min(others, key=sizes.__getitem__)
        reds = [card for card in actions if card in RED_CARDS]
        if reds and not policy.honest and sizes[nearest] <= 2 and len(hand) > 1:
            return Red(reds[0], nearest, True)
        safe = self.safe(hand, total, limit)
        if safe:
            return Number(int(safe[-1]), self.makes(total, safe[-1]), True)
        numbers = hand[: len(hand) - len(actions)]
        bold = not policy.honest and (not actions or random.random() < policy.lies)
        if actions and not (bold and numbers and len(hand) > 2):
            card = random.choice(actions) if policy.honest else min(actions, key=_USE.index)
            return Red(card, nearest, True) if card in RED_CARDS else ActionCard(card, True)
        if bold:
            return Number(int(numbers[-1]), self.likeliest(state, seat, limit), True)
        return Number(int(numbers[0]), max(0, self.makes(total, numbers[0])), True)

    def likeliest(self, state: BloeffState, seat: int, limit: int) -> int:
        """The total within the limit that the most unseen cards would make."""
        unseen, fits = self.unseen(state, seat), dict.fromkeys(range(limit + 1), 0)
        for card in NUMBER_CARDS:
            made = self.makes(state.total, card)
            if made in fits:
                fits[made] += unseen[card]
        return max(fits, key=fits.__getitem__)

    def worth(self, state: BloeffState, seat: int) -> float:
        """A seat's chance to win, by the points in all hands."""
        if state.phase is BloeffPhase.OVER:
            placing = self.game.placing(state)
            return (placing[seat] == 1) / placing.count(1)
        points = [sum(map(self.points.__getitem__, hand)) for hand in state.hands]
        return 1 / sum(exp(WORTH * (points[seat] - other)) for other in points)
