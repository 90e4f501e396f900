"""The probability that an announcement is true, given what one view shows (BO-7, BO-11, BO-27).

The card could be any number card that the view does not show, each with the same probability: that
is the chance of a card taken at random from the hand, before anything is supposed about why the
seat chose it. A view shows the own hand, the own cards that lie face down, and the cards of the
centre pile that all saw; a reshuffle takes all of the pile out of the view.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from arena.games.bloeff.options import BloeffOptions
from arena.games.bloeff.turns import honest_total
from arena.games.bloeff.values import NUMBER_CARDS, BloeffView, Card


def claim_chance(view: BloeffView, options: BloeffOptions) -> Fraction | None:
    """Return the probability that the balloted announcement is true, for who has this view.

    The seat that laid the card knows (0 or 1). None without an announcement to ballot.
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
    """Return the number cards that the view does not show, by value."""
    shown = Counter(view.hand + view.face_down + view.seen)
    return {row.card: row.count - shown[row.card] for row in options.deck if row.class_ == "number"}
