"""The order of bets: the track, and the bounds of the bets that raise a standing bet (BL-11 to 18).

The track carries number fields 1, 2, 3, ... and star fields, star n between numbers 2n - 1 and 2n:
number q has the key 2q, star n the key 4n - 1 (BL-13). A bet is higher if its key is larger, or if
it is on the same number field and its face is larger. This module expresses the order as bounds by
face, so that checking a bet needs arithmetic and no search.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from arena.games.bluff.values import STAR, Bet, Face
from arena.wording import span

FACES: Final = tuple(Face)
"""Every face, ascending; face f is at index f - 1."""

TABLE_CAP: Final = 99
"""The largest quantity under `bet_cap = table` (BL-16); no table holds more dice."""

OPENING: Final = (1,) * len(FACES)
"""The lowest quantity by face when no bet stands (BL-15)."""


# The cache is bounded: TABLE_CAP quantities of six faces.
@cache
def lowest_raises(quantity: int, face: Face) -> tuple[int, ...]:
    """Return, by face, the lowest quantity that is higher than a standing bet (BL-14).

    From number q the next star is q // 2 + 1; from star n the next number is 2n. A number bet can
    be raised to a larger face on its own field; a star bet cannot.
    """
    if face is STAR:
        return (2 * quantity,) * 5 + (quantity + 1,)
    turned = tuple(quantity if other > face else quantity + 1 for other in FACES[:5])
    return (*turned, quantity // 2 + 1)


def bets_within(lowest: Sequence[int], highest: int) -> Iterator[tuple[int, Face]]:
    """Yield all bets from `lowest[f - 1]` to `highest` of each face f, in track order."""
    for field in range(1, 2 * highest):
        if field <= highest:
            for face in FACES[:5]:
                if field >= lowest[face - 1]:
                    yield field, face
        # Star n lies directly behind number 2n - 1.
        star, even = divmod(field + 1, 2)
        if not even and lowest[STAR - 1] <= star <= highest:
            yield star, STAR


# The cache is bounded: at most TABLE_CAP tracks of 6 bets per quantity.
@cache
def track(highest: int) -> tuple[Bet, ...]:
    """Return all bets up to `highest` without lay-outs, ascending; legal bets are a suffix."""
    return tuple(Bet(quantity, face) for quantity, face in bets_within(OPENING, highest))


def end_of_track(lowest: Sequence[int], highest: int) -> tuple[Bet, ...]:
    """Return the suffix of the track from `lowest[f - 1]` to `highest` of each face f.

    The bounds must be those of raises, as `lowest_raises` returns them, or OPENING.
    """
    left = sum([highest + 1 - quantity for quantity in lowest if quantity <= highest])
    return track(highest)[-left:] if left else ()


def count_matching(face: Face, dice: Sequence[Sequence[Face]]) -> int:
    """Return the number of dice that count for a bet on `face` (BL-11, 12).

    These are the dice that show the face and, for numbers, the stars.
    """
    return sum(
        [cup.count(face) if face is STAR else cup.count(face) + cup.count(STAR) for cup in dice]
    )


def bounds_text(lowest: Sequence[int], highest: int) -> str:
    """Return bounds as text, such as "4 to 10 of 1 to 5, exactly 10 of *"; "" if none is legal."""
    parts: list[str] = []
    index = 0
    while index < len(FACES):
        last = index
        while last + 1 < len(FACES) and lowest[last + 1] == lowest[index]:
            last += 1
        if lowest[index] <= highest:
            faces = f"{FACES[index]}" if last == index else f"{FACES[index]} to {FACES[last]}"
            parts.append(f"{span(lowest[index], highest)} of {faces}")
        index = last + 1
    return ", ".join(parts)
