"""Blöff as `bloeff_search` imagines it: policies of each kind, and the value of a state.

Policies act on states instead of views, but use only what their seat sees of a state.
"""

from dataclasses import dataclass, field
from math import comb, exp
from random import Random
from typing import Final, TypeAlias

from arena.games.bloeff import (
    NUMBER_CARDS,
    RED_CARDS,
    Accepted,
    BloeffChoice,
    BloeffEvent,
    BloeffOptions,
    BloeffPhase,
    BloeffState,
    BloeffView,
    Card,
    Cards,
    Doubted,
    Number,
    Red,
)
from arena.games.bloeff import Action as ActionCard
from arena.games.game import Game
from arena_sample_bots.bloeff_counter import BOLD, FREE_LIES, LAST_CARD

Rules: TypeAlias = Game[BloeffOptions, BloeffState, BloeffChoice, BloeffView, BloeffEvent]

_USE: Final = (Card.DRAW2, Card.SKIP, Card.REVERSE)
"""The order in which `bloeff_counter` plays action cards."""


OWN: Final = (
    *(-1.35, 0.64, 0.01),
    *(-0.67, 0.62, 1.03, 0.52, 0.11, -0.14),
    *(1.05, 0.68, -0.11, 0.13, -0.34, 0.15),
    *(0.84, 0.47, -0.06, -0.14, -0.15),
    *(-0.08, -0.2, -0.08),
)
OTHER: Final = (0.53, -0.15, -0.12, 0.22, 0.06, 0.28)
"""The weights of the features that `Table.own` and `Table.other` list, in logits.

Fitted by policy iteration, in rounds of 1,500 matches at two seats against `bloeff_counter` (60 %)
and `bloeff_honest`. In a round, the bot played what was worth most by the previous round's weights,
and 8 % of its actions at random; it knew which of the two it met, and what that bot would doubt.
Then the weights were fitted by logistic regression of the winner on all states so far in which a
seat was on turn. These are the weights of an early round: after the fourth, play won less again.
"""


@dataclass
class Record:
    """The public history of a match, as `bloeff_counter` counts it."""

    lies: list[int]
    truths: list[int]
    """The lies and truths that doubts have shown, by seat, plus one of each."""
    doubted: int = 0
    accepted: int = 0
    """The number of announcements near the limit that were not doubted."""

    def add(self, event: BloeffEvent, limit: int) -> None:
        """Count an event of a round with this limit."""
        if isinstance(event, Doubted):
            self.doubted += 1
            (self.truths if event.right else self.lies)[event.seat] += 1
        elif isinstance(event, Accepted) and event.total >= limit - 1:
            self.accepted += 1

    @property
    def bold(self) -> bool:
        """Whether `bloeff_counter` would lie rather than play an action card."""
        return (self.doubted + 1) / (self.doubted + self.accepted + 3) < BOLD


@dataclass(frozen=True)
class Table:
    """The rules of a match, and the policies of both kinds."""

    game: Rules
    record: Record
    options: BloeffOptions = field(init=False)
    deck: dict[Card, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", self.game.options)
        object.__setattr__(self, "deck", {row.card: row.count for row in self.options.deck})

    def makes(self, total: int, card: int) -> int:
        """Return the honest total of a number card."""
        return max(0, total + card) if self.options.below_zero == "floor" else total + card

    def safe(self, hand: Cards, total: int, limit: int) -> list[Card]:
        """Return the number cards that can be announced honestly."""
        return [
            card for card in hand if card <= Card.FOUR and 0 <= self.makes(total, card) <= limit
        ]

    def unseen(self, state: BloeffState, seat: int) -> dict[Card, int]:
        """Return the number of each card that a seat has not seen."""
        left = dict(self.deck)
        for cards in (state.hands[seat], state.seen, state.face_down[seat], *state.waiting):
            for card in cards:
                left[card] -= 1
        return left

    def lied(self, state: BloeffState, seat: int) -> float:
        """Return `bloeff_counter`'s probability, in this seat, that the announcement is a lie."""
        unseen, limit = self.unseen(state, seat), self.options.limits[state.round - 1]
        total, liar = state.total, state.on_turn
        made = [(self.makes(total, card), unseen[card]) for card in NUMBER_CARDS]
        fits = sum(count for one, count in made if one == state.announced)
        if not fits:
            return 1.0
        safe = sum(count for one, count in made if one <= limit)
        count = sum(unseen.values())
        hand = min(len(state.hands[liar]) + 1, count)
        in_need = comb(max(0, count - safe), hand) / comb(count, hand)
        could_be_said = min(limit, total + Card.FOUR) - max(0, total - 2) + 1
        habit = self.record.lies[liar] / self.record.truths[liar]
        lie = (in_need + FREE_LIES) * habit / could_be_said
        return lie / (lie + (1 - in_need) * fits / safe)

    def doubts(self, state: BloeffState, seat: int, *, honest: bool) -> bool:
        """Return whether a seat doubts the open announcement."""
        chance = self.lied(state, seat)
        if honest:
            return chance == 1.0
        if not state.hands[state.on_turn]:  # it wins if no seat doubts
            return chance > LAST_CARD
        others = len(state.hands) - 1
        return chance > others / (others + 1)

    def plays(self, state: BloeffState, random: Random, *, honest: bool) -> BloeffChoice:
        """Return the play of the seat on turn."""
        seat, limit = state.on_turn, self.options.limits[state.round - 1]
        hand, total, sizes = state.hands[seat], state.total, list(map(len, state.hands))
        actions = [card for card in hand if card > Card.FOUR]
        nearest = min((s for s in range(len(sizes)) if s != seat), key=sizes.__getitem__)
        best = min(actions, key=_USE.index, default=None)
        few = 2 if len(sizes) == 2 else 1
        if best in RED_CARDS and not honest and sizes[nearest] <= few and len(hand) > 1:
            return Red(best, nearest, True)
        safe = self.safe(hand, total, limit)
        if safe:
            return Number(int(safe[-1]), self.makes(total, safe[-1]), True)
        numbers = hand[: len(hand) - len(actions)]
        bold = not honest and self.record.bold
        if actions and not (bold and numbers and len(hand) > 2):
            card = random.choice(actions) if honest else min(actions, key=_USE.index)
            return Red(card, nearest, True) if card in RED_CARDS else ActionCard(card, True)
        if honest:
            return Number(int(numbers[0]), max(0, self.makes(total, numbers[0])), True)
        return Number(int(numbers[-1]), self.likeliest(state, seat, limit), True)

    def likeliest(self, state: BloeffState, seat: int, limit: int) -> int:
        """Return the total within the limit that the most unseen cards would make."""
        unseen, fits = self.unseen(state, seat), dict.fromkeys(range(limit + 1), 0)
        for card in NUMBER_CARDS:
            made = self.makes(state.total, card)
            if made in fits:
                fits[made] += unseen[card]
        return max(fits, key=fits.__getitem__)

    def worth(self, state: BloeffState, seat: int) -> float:
        """Return a seat's chance to win at a table of two, by what it may know.

        Either may be on turn.
        """
        if state.phase is BloeffPhase.OVER:
            placing = self.game.placing(state)
            return (placing[seat] == 1) / placing.count(1)
        own, other = self.own(state, seat), self.other(state, 1 - seat)
        return 1 / (1 + exp(-_dot(OWN, own) - _dot(OTHER, other)))

    def own(self, state: BloeffState, seat: int) -> tuple[float, ...]:
        """Return the features of a seat that knows its hand."""
        hand, cards = state.hands[seat], len(state.hands[seat])
        draws, skips, reverses = map(hand.count, _USE)
        actions, low = draws + skips + reverses, sum(card <= Card.ZERO for card in hand)
        limit, late = self.options.limits[state.round - 1], (state.round - 1) / 5
        last, room = state.round == len(self.options.limits), limit - state.total
        safe = min(3, len(self.safe(hand, state.total, limit)))
        return (
            *(1, late, last),
            *(cards, 1 / cards if cards else 2, cards == 1, cards == 2, late * cards, last * cards),
            *(draws, skips, reverses, low, late * actions, last * actions),
            *((1, late, room / 5, safe == 0, safe) if seat == state.on_turn else (0,) * 5),
            *((room / 5, safe == 0, safe) if seat != state.on_turn else (0,) * 3),
        )

    def other(self, state: BloeffState, seat: int) -> tuple[float, ...]:
        """Return the features of a seat whose hand is unknown to the other."""
        cards, late = len(state.hands[seat]), (state.round - 1) / 5
        few = (1 / cards if cards else 2, cards == 1, cards == 2)
        return (cards, *few, late * cards, (state.round == len(self.options.limits)) * cards)


def _dot(weights: tuple[float, ...], features: tuple[float, ...]) -> float:
    return sum(weight * feature for weight, feature in zip(weights, features, strict=True))
