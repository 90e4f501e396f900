"""The legal bets, and how likely each is by a seat's own dice alone."""

from collections.abc import Sequence
from functools import cache
from math import comb

from arena.games.bluff import STAR, Bet, BluffView
from arena.games.bluff.bets import track


def raises(view: BluffView) -> Sequence[Bet]:
    """Return all legal bets, the lowest first."""
    bets = track(sum(view.dice_counts))
    return bets[bets.index(view.bets[-1].bet) + 1 :] if view.bets else bets


def likelihood(view: BluffView, bet: Bet) -> float:
    """Return the probability that a bet is true by the seat's own dice alone."""
    star = bet.face is STAR
    own = sum(die in (bet.face, STAR) for die in view.hidden_dice)
    unseen = sum(view.dice_counts) - len(view.hidden_dice)
    return at_least(bet.quantity - own, unseen, 1 / 6 if star else 1 / 3)


@cache
def at_least(wanted: int, dice: int, chance: float) -> float:
    """Return the probability that at least `wanted` of some dice match."""
    return sum(
        comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
        for count in range(max(0, wanted), dice + 1)
    )
