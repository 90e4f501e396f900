"""The possible swaps: sets of own chips worth as much as one chip of the centre (BY-17)."""

from collections.abc import Iterator, Sequence
from typing import Final

from arena.games.bluff_you.values import Chips, Swap, ThreeDice

LEAST_OWNED: Final = 2
"""The smallest number of chips that a bluffer must own to swap, however few it gives (BY-16)."""


def is_double(dice: ThreeDice) -> bool:
    """Return whether at least two of three dice are equal; a triple is a double (BY-16)."""
    first, second, third = dice
    return first in (second, third) or second == third


def swap_targets(own: Chips, centre: Chips, points: Sequence[int], fewest: int) -> Chips:
    """Return the chips of the centre worth exactly as much as some `fewest` or more own chips.

    Return () for a seat that owns too few chips to swap. `points` is indexed by chip number.
    """
    if len(own) < max(fewest, LEAST_OWNED):
        return ()
    # reachable[k] has bit p set when some k chips (k = fewest: or more) are worth p points; the
    # sets themselves are never listed.
    reachable = [1] + [0] * fewest
    for number in own:
        worth = points[number]
        reachable[fewest] |= reachable[fewest] << worth
        for count in range(fewest, 0, -1):
            reachable[count] |= reachable[count - 1] << worth
    sums = reachable[fewest]
    return tuple([number for number in centre if sums >> points[number] & 1])


def legal_swaps(own: Chips, centre: Chips, points: Sequence[int], fewest: int) -> Iterator[Swap]:
    """Yield all swaps, each once, in ascending order of the chips given."""
    if len(own) < LEAST_OWNED:
        return
    takes: dict[int, list[int]] = {}
    for number in centre:
        takes.setdefault(points[number], []).append(number)
    dearest = max(takes, default=0)

    def gifts(start: int, given: Chips, worth: int) -> Iterator[tuple[Chips, int]]:
        if len(given) >= fewest:
            yield given, worth
        for index in range(start, len(own)):
            more = worth + points[own[index]]
            if more <= dearest:
                yield from gifts(index + 1, (*given, own[index]), more)

    for give, worth in gifts(0, (), 0):
        for take in takes.get(worth, ()):
            yield Swap(give, take)
