"""The probability that a bid is true, given one view (SK-6, SK-9, SK-10).

A bid of n is true if its seat can turn over n discs without a skull: its own mat first, then other
mats from the top, in some order. Mats that the view does not show are assumed random: each of the
discs that a seat began with is its skull with equal probability, in any place of the mat, even
after discs were lost. Earlier rounds are ignored.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from arena.games.skull.values import Disc, SkullPhase, SkullView


def flowers_on_top(mat: Sequence[Disc]) -> int:
    """Return the number of flowers above a mat's skull, or all; `mat` has its lowest disc first."""
    above = mat[::-1]
    return above.index(Disc.SKULL) if Disc.SKULL in above else len(mat)


def standing_chance(view: SkullView, flowers: int) -> Fraction | None:
    """Return the probability that the standing bid is true, given a view.

    Args:
        view: The view of a seat or of a spectator.
        flowers: The number of flowers with which a seat begins.

    Returns:
        0 to 1; None outside the phase RAISE.
    """
    if view.phase is not SkullPhase.RAISE or view.bidder is None:
        return None
    return bid_chance(view, view.bidder, view.bid, flowers)


def bid_chance(view: SkullView, bidder: int, bid: int, flowers: int) -> Fraction:
    """Return the probability that a seat's bid is true, given a view."""
    own = min(bid, view.mats[bidder])
    if bidder == view.seat:
        clean = Fraction(int(flowers_on_top(view.own_mat) >= own))
    else:
        clean = 1 - Fraction(own, flowers + 1)
    others = [seat for seat in range(len(view.mats)) if seat != bidder]
    missing = bid - own
    if view.seat in others:
        others.remove(view.seat)
        missing -= flowers_on_top(view.own_mat)
    mats = tuple(sorted(view.mats[seat] for seat in others))
    return clean * _reached(missing, mats, flowers + 1)


# Mats have only a few sizes.
@lru_cache(maxsize=4096)
def _reached(missing: int, mats: tuple[int, ...], discs: int) -> Fraction:
    """Return the probability that at least `missing` flowers lie above the skulls of `mats`.

    Args:
        missing: The number of flowers needed.
        mats: The number of discs on each mat.
        discs: The number of discs with which a seat begins, one of them the skull.
    """
    if missing <= 0:
        return Fraction(1)
    if not mats:
        return Fraction(0)
    first, rest = mats[0], mats[1:]
    found = Fraction(discs - first, discs) * _reached(missing - first, rest, discs)
    for above in range(first):
        found += Fraction(1, discs) * _reached(missing - above, rest, discs)
    return found
