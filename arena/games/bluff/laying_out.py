"""Lay-outs of dice with a bet: the legal ones and the dice that stay hidden (BL-X)."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from arena.games.bluff.bets import FACES
from arena.games.bluff.values import Dice, Face


# A cup of five dice has 252 rolls; the bound only matters for options with many more dice.
@lru_cache(maxsize=4096)
def lay_outs(hidden: Dice) -> tuple[Dice, ...]:
    """Return the legal lay-outs of a cup, each multiset once, with () first.

    At least one die stays hidden (BL-X2).
    """
    numbers = [range(hidden.count(face) + 1) for face in FACES]
    shows = (
        tuple(face for face, count in zip(FACES, counts, strict=True) for _ in range(count))
        for counts in product(*numbers)
    )
    return tuple(sorted((show for show in shows if len(show) < len(hidden)), key=_fewest_first))


def without(hidden: Dice, show: Sequence[Face]) -> Dice | None:
    """Return the dice that stay in the cup if `show` is laid out; None if some are not in it."""
    left = list(hidden)
    for face in show:
        if face not in left:
            return None
        left.remove(face)
    return tuple(left)


def _fewest_first(show: Dice) -> tuple[int, Dice]:
    return len(show), show
