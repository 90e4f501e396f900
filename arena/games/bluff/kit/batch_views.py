"""The observations and masks of encoding.py, compiled: written from one row of a batch."""

from typing import Final

from numba import njit

from arena.games.bluff.bets import FACES
from arena.games.bluff.kit.batch_rounds import (
    BET,
    BETTOR,
    CAPPED,
    HEAD,
    HISTORY,
    IN_PLAY,
    MOST,
    OPENER,
    ROUND,
    SEATS,
    TURN,
)

_FACES: Final = len(FACES)


@njit(cache=True, nogil=True)
def _away(seat, own, seats):  # type: ignore[no-untyped-def]
    """Return the distance in seats clockwise from `own` to `seat`."""
    distance = seat - own
    # A remainder would take far longer.
    return distance + seats if distance < 0 else distance


# Inlined, because a call would copy eight array descriptors.
@njit(inline="always")
def show(  # type: ignore[no-untyped-def]
    numbers, shares, rounds, said, row, seen
):
    """Write the observation of the seat to act, as the encoding lays it out.

    It avoids branches and remainders, because each costs more than the stores.
    """
    seats, own, bet = numbers[SEATS], row[TURN], row[BET]
    cup = HEAD + 2 * seats + own * _FACES
    for face in range(_FACES):
        seen[face] = shares[row[cup + face]]
    at = _FACES
    opener, bettor = _away(row[OPENER], own, seats), _away(row[BETTOR], own, seats)
    for seat in range(seats):
        seen[at + _away(seat, own, seats)] = shares[row[HEAD + seat]]
        seen[at + seats + 1 + seat] = seat == opener
        seen[at + 2 * seats + 1 + seat] = seat == 0
        seen[at + 3 * seats + 2 + _FACES + seat] = (seat == bettor) & (bet > 0)
    seen[at + seats] = rounds[row[ROUND]]
    at += 3 * seats + 1
    for place in range(1 + _FACES):
        seen[at + place] = said[bet, place]
    if numbers[HISTORY]:
        _show_bets(numbers, row, seen, at + 1 + _FACES + seats)


@njit(cache=True, error_model="numpy", nogil=True)
def _show_bets(numbers, row, seen, first):  # type: ignore[no-untyped-def]
    """Write the bets of the round into the history, which begins at the place `first`."""
    seats, bet, own = numbers[SEATS], row[BET], row[TURN]
    for place in range(first, seen.shape[0]):
        seen[place] = 0
    # A standing star n may follow bets on numbers up to 2n - 1 (BL-13), whose ids are larger.
    highest = min(numbers[MOST], 2 * ((bet - 1) // _FACES + 1)) if bet else 0
    placed = HEAD + seats * (2 + _FACES)
    for each in range(_FACES * highest):
        bettor = row[placed + 1 + each]
        if bettor:
            seen[first + each * seats + _away(bettor - 1, own, seats)] = 1


@njit(cache=True, error_model="numpy", nogil=True)
def show_legal(numbers, legal, row, mask):  # type: ignore[no-untyped-def]
    """Write the mask of the seat to act; a separate function, so that its loop is vectorised."""
    last = 1 + _FACES * (row[IN_PLAY] if numbers[CAPPED] else numbers[MOST])
    bet = row[BET]
    for each in range(mask.shape[0]):
        mask[each] = legal[bet, each] & (each < last)
