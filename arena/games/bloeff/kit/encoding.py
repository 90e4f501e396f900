"""The encoding of Blöff for learners: docs/learn.md has its layout.

Ids in order, each play without a call and then with one: the ballots (no doubt, doubt); the
reverse; draw2 and then skip for each other seat, the next clockwise first; the number cards from -2
to 4, each with all totals from 0 to the largest that options allow.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bloeff.deck import CARD_TOTAL, cards_of
from arena.games.bloeff.game import Bloeff
from arena.games.bloeff.options import HIGHEST_ANNOUNCEMENT
from arena.games.bloeff.values import (
    HIGHEST_VALUE,
    LOWEST_VALUE,
    NUMBER_CARDS,
    RED_CARDS,
    Action,
    Ballot,
    BloeffChoice,
    BloeffView,
    Card,
    Direction,
    Number,
    Red,
)
from arena.games.encoding import EncodedField, Encoding

CARDS: Final = tuple(Card)
"""The kinds of cards; the place of a card's kind is its value - LOWEST_VALUE."""
VALUES: Final = len(NUMBER_CARDS)
LATEST: Final = 16
"""The number of latest announcements that the history holds."""
REVERSE: Final = 2
"""The id of the reverse without a call; ids 0 and 1 are the ballots."""
RED: Final = 4
"""The id of the first red card."""


class BloeffEncoding(Encoding):
    """The encoding of Blöff at a fixed number of seats; it covers all options."""

    version: ClassVar[str] = "bloeff-obs/1"

    def __init__(self, game: Bloeff, seats: int, *, history: bool) -> None:
        options = game.options
        self.highest: Final = (
            HIGHEST_ANNOUNCEMENT
            if options.announce_range == "any"
            else options.limits[0] + HIGHEST_VALUE
        )
        """The largest total that can be announced."""
        self.numbers: Final = RED + 2 * len(RED_CARDS) * (seats - 1)
        """The id of the first number card."""
        self.deck: Final = cards_of(options.deck)
        """All cards, ascending."""
        self.reds: Final = sum(card in RED_CARDS for card in self.deck)
        counts = Counter(self.deck)
        self.of_kind: Final = np.array([max(1, counts[card]) for card in CARDS], np.float32)
        """The number of cards of each kind, 1 at least."""
        self.largest: Final = max(1, options.limits[0])
        """The divisor of totals and limits."""
        super().__init__(
            game,
            seats,
            history=history,
            fields=_fields(seats, self.reds, history=history),
            actions=self.numbers + 2 * VALUES * (self.highest + 1),
        )
        self._rounds, self._turns = len(options.limits), options.max_turns

    def action(self, number: int, seat: int | None = None) -> BloeffChoice:
        """Return the action with an id."""
        if not 0 <= number < self.actions:
            raise self._no_id(number)
        if number < REVERSE:
            return Ballot(number == 1)
        play, call = divmod(number, 2)
        if number < RED:
            return Action(Card.REVERSE, bool(call))
        if number < self.numbers:
            red, away = divmod(play - RED // 2, self.seats - 1)
            return Red(RED_CARDS[red], self._other(away + 1, seat), bool(call))
        value, announce = divmod(play - self.numbers // 2, self.highest + 1)
        return Number(value + LOWEST_VALUE, announce, bool(call))

    def id(self, action: Any, seat: int | None = None) -> int:
        """Return the id of an action."""
        match action:
            case Ballot(doubt):
                return int(doubt)
            case Action(Card.REVERSE, call):
                return REVERSE + call
            case Red(card, target, call) if card in RED_CARDS:
                away = self._away(target, seat, action)
                return RED + 2 * (RED_CARDS.index(card) * (self.seats - 1) + away - 1) + call
            case Number(value, announce, call) if (
                LOWEST_VALUE <= value <= HIGHEST_VALUE and 0 <= announce <= self.highest
            ):
                place = (value - LOWEST_VALUE) * (self.highest + 1) + announce
                return self.numbers + 2 * place + call
        raise self._no_action(action)

    def _seats_and_own(self, view: BloeffView) -> tuple[int, int | None]:
        return len(view.hand_sizes), view.seat

    def _observe(self, view: BloeffView, into: Mapping[str, NDArray[np.float32]]) -> None:
        own, seats = view.seat, self.seats
        assert own is not None
        into["round"][0] = view.round / self._rounds
        into["turn"][0] = view.turn / self._turns
        into["limit"][0] = view.limit / self.largest
        into["total"][0] = view.total / self.largest
        into["direction"][0] = view.direction is Direction.CLOCKWISE
        if view.on_turn is not None:
            into["on_turn"][(view.on_turn - own) % seats] = 1
        for seat in view.to_act:
            into["to_act"][(seat - own) % seats] = 1
        for name, cards in (("hand", view.hand), ("seen", view.seen)):
            for card in cards:
                into[name][card - LOWEST_VALUE] += 1
            into[name] /= self.of_kind
        for card in view.face_down:
            into["face_down"][card - LOWEST_VALUE] += 1
        into["face_down"] /= self.of_kind[:VALUES]
        waiting = into["waiting"].reshape(seats, self.reds, len(RED_CARDS))
        for seat in range(seats):
            away = (seat - own) % seats
            into["hand_sizes"][away] = view.hand_sizes[seat] / CARD_TOTAL
            for place, card in enumerate(view.waiting[seat]):
                waiting[away, place, RED_CARDS.index(card)] = 1
        into["draw_pile"][0] = view.draw_pile / CARD_TOTAL
        into["centre_pile"][0] = view.centre_pile / CARD_TOTAL
        if view.balloted is not None:
            into["balloted"][:] = 1, view.balloted.total / self.largest
            if view.balloted.seat == own:
                into["laid"][view.face_down[-1] - LOWEST_VALUE] = 1
        into["call_due"][0] = view.call_due
        if self.history:
            announcements = into["announcements"].reshape(LATEST, seats + 1)
            for place, told in enumerate(view.announcements[: -LATEST - 1 : -1]):
                announcements[place, (told.seat - own) % seats] = 1
                announcements[place, seats] = told.total / self.largest


def _fields(seats: int, reds: int, *, history: bool) -> list[EncodedField]:
    kinds = (len(CARDS),)
    fields = [
        EncodedField("round", (), "", "the number of the round / all rounds"),
        EncodedField("turn", (), "", "turns begun / max_turns"),
        EncodedField("limit", (), "", "the limit / that of the first round, or 1"),
        EncodedField("total", (), "", "the last accepted total / the first limit, or 1"),
        EncodedField("direction", (), "", "1 clockwise, 0 counterclockwise"),
        EncodedField("on_turn", (seats,), "seat", "1 for the seat on turn"),
        EncodedField("to_act", (seats,), "seat", "1 for the seats that are asked"),
        EncodedField("hand", kinds, "kind", "the seat's cards / those of the kind in the deck"),
        EncodedField("hand_sizes", (seats,), "seat", f"cards in hand / {CARD_TOTAL}"),
        EncodedField("draw_pile", (), "", f"cards in the draw pile / {CARD_TOTAL}"),
        EncodedField("centre_pile", (), "", f"cards in the centre pile / {CARD_TOTAL}"),
        EncodedField(
            "waiting",
            (seats, reds, len(RED_CARDS)),
            "seat × place × draw2, skip",
            "1 for each red card in front of a seat, the oldest first",
        ),
        EncodedField("balloted", (2,), "open, total", "1 and the total / the first limit, or 1"),
        EncodedField("seen", kinds, "kind", "cards of the centre pile that all saw / the deck's"),
        EncodedField(
            "face_down", (VALUES,), "value", "cards there that the seat laid / the deck's"
        ),
        EncodedField("laid", (VALUES,), "value", "1 for the own card that others ballot about"),
        EncodedField("call_due", (), "", "1 if a call is due with the next card"),
    ]
    if history:
        fields.append(
            EncodedField(
                "announcements",
                (LATEST, seats + 1),
                "announcement × seat, total",
                f"the round's latest {LATEST} accepted announcements, the newest first: 1 for the "
                "seat, and the total / the first limit, or 1",
            )
        )
    return fields


ENCODING: Final = BloeffEncoding
