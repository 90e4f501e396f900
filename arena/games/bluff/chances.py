"""The probability that a bet is true, given one view (BL-11, BL-12).

Every die that the view does not show is fair and independent of the others: it counts for a bet on
a number with probability 1/3 (that face or a star) and for a bet on stars with 1/6. Inference from
the seats' bets is left out, because it depends on a model of the bettors.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb

from arena.games.bluff.bets import count_matching
from arena.games.bluff.values import STAR, Bet, BluffView, Dice

_FACES = 6


def claim_chance(view: BluffView) -> Fraction | None:
    """Return the probability that the standing bet is true, given a view; None without a bet."""
    if not view.bets:
        return None
    placed = view.bets[-1]
    # Dice left under the cup after a lay-out are rolled again before they count (BL-X3).
    rerolling = placed.seat == view.seat and placed.bet.show and view.to_act is None
    own = () if rerolling else view.hidden_dice
    return _bet_chance(view, placed.bet, own)


def own_bet_chance(view: BluffView, bet: Bet) -> Fraction:
    """Return the probability that a bet of the view's seat would be true, given its view.

    Dice that a lay-out leaves under the cup are rolled again before they count (BL-X3).
    """
    return _bet_chance(view, bet, bet.show or view.hidden_dice)


def _bet_chance(view: BluffView, bet: Bet, own: Dice) -> Fraction:
    """Return the probability that a bet is true if the seat's dice `own` are known."""
    known = (own, *view.face_up)
    unknown = sum(view.dice_counts) - sum(map(len, known))
    needed = bet.quantity - count_matching(bet.face, known)
    return at_least(needed, unknown, 1 if bet.face is STAR else 2)


# Few distinct values occur in a match, each many times.
@lru_cache(maxsize=4096)
def at_least(needed: int, dice: int, faces: int) -> Fraction:
    """Return the probability that at least `needed` of `dice` fair dice show certain faces.

    `faces` is the number of these faces. The count of matching dice is binomial.
    """
    ways = sum(
        comb(dice, count) * faces**count * (_FACES - faces) ** (dice - count)
        for count in range(max(0, needed), dice + 1)
    )
    return Fraction(ways, _FACES**dice)
