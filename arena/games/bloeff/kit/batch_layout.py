"""The layout of Blöff's compiled states, and the numbers that its compiled functions read.

A state is a row of HEAD numbers, the draw pile, and the cards of the centre pile that all saw, by
kind. Then follow, each for all seats: hands by kind, cards laid face down by value, numbers of
waiting red cards, these cards, and ballots; with history also the latest announcements.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.games.bloeff.deck import CARD_TOTAL
from arena.games.bloeff.kit.encoding import CARDS, LATEST, VALUES, BloeffEncoding
from arena.games.bloeff.values import RED_CARDS, Card

KINDS: Final = len(CARDS)
REVERSE_KIND: Final = CARDS.index(Card.REVERSE)
DRAW2_KIND, SKIP_KIND = (CARDS.index(card) for card in RED_CARDS)

(
    BALLOTING,
    ROUND,
    TURN,
    TOTAL,
    CLOCKWISE,
    ON_TURN,
    OPEN,
    ANNOUNCED,
    STARTER,
    TOP,
    PILE,
    SAID,
    HEAD,
) = range(13)
"""The places in a state.

OPEN is the kind of the card in its doubt window, TOP the place of the draw pile's top card, PILE
the end of the pile, SAID the number of the round's accepted announcements.
"""

DRAW: Final = HEAD
SEEN: Final = DRAW + CARD_TOTAL
HANDS: Final = SEEN + KINDS
"""The places of the draw pile, the seen cards and the first hand."""

(
    SEATS,
    DEAL,
    ROUNDS,
    MAX_TURNS,
    FIRST_SEAT,
    FLOOR,
    ANY_TOTAL,
    DOUBT_PENALTY,
    BUST_PENALTY,
    CALL_PENALTY,
    AUTO_CALL,
    DRAW2_ENDS,
    CARD_RETURNS,
    IN_ORDER,
    FEWEST_CARDS,
    HISTORY,
    HIGHEST,
    NUMBERS,
    REDS,
    LARGEST,
    DOWN,
    WAITING,
    RED_CARDS_AT,
    BALLOTS,
    TOLD,
    WIDTH,
) = range(26)
"""The places in `numbers`: values from the options, then the places of the parts of a state."""


def numbers(encoding: BloeffEncoding) -> NDArray[np.int64]:
    """Return the numbers that compiled functions read."""
    options, seats = encoding.game.options, encoding.seats
    down = HANDS + KINDS * seats
    waiting = down + VALUES * seats
    red_cards = waiting + seats
    ballots = red_cards + encoding.reds * seats
    told = ballots + seats
    return np.array(
        [
            seats,
            options.cards_dealt(seats),
            len(options.limits),
            options.max_turns,
            options.first_seat,
            options.below_zero == "floor",
            options.announce_range == "any",
            options.doubt_penalty,
            options.bust_penalty,
            options.call_penalty,
            options.call_mode == "auto",
            options.draw2_ends_turn,
            options.caught_card_returns,
            options.doubt_choice == "turn_order",
            options.final_tie == "fewest_cards",
            encoding.history,
            encoding.highest,
            encoding.numbers,
            encoding.reds,
            encoding.largest,
            down,
            waiting,
            red_cards,
            ballots,
            told,
            told + (2 * LATEST if encoding.history else 0),
        ],
        np.int64,
    )
