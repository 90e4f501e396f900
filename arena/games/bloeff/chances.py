"""The probability that an announcement is true, given one view (BO-7, BO-11, BO-27).

The model: the card is any of the number cards that the view does not show, with equal probability,
as if drawn at random from the hand; nothing is inferred from the seat's choice. A view shows the
seat's own hand, its own face-down cards, and the publicly seen cards of the centre pile; a
reshuffle removes the whole pile from the view.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.turns import honest_total
from arena.games.bloeff.values import NUMBER_CARDS, BloeffView, Card


def claim_chance(view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return the probability that the balloted announcement is true, given a view.

    It is 0 or 1 for the seat that laid the card. It is None if no announcement is balloted.
    """
    claim = view.balloted
    if claim is None:
        return None
    honest = {
        card for card in NUMBER_CARDS if honest_total(options, view.total, card) == claim.total
    }
    if view.seat == claim.seat:
        return Fraction(int(view.face_down[-1] in honest))
    left = unseen_numbers(view, options)
    return Fraction(sum(left[card] for card in honest), sum(left.values()))


def unseen_numbers(view: BloeffView, options: BloeffOptions) -> Mapping[Card, int]:
    """Return the count of each number card among the cards that the view does not show."""
    shown = Counter(view.hand + view.face_down + view.seen)
    return {row.card: row.count - shown[row.card] for row in options.deck if row.class_ == "number"}
