"""The observations and masks of encoding.py, compiled: written from one row of a batch."""

import numpy as np
from numba import njit

from arena.games.bluff_you.kit.batch_turns import (
    ALL,
    BELIEVED,
    BLUFFER,
    CENTRE,
    HEAD,
    IN_ANSWER,
    IN_GIVE,
    IN_SWAP_AGAIN,
    IN_TAKE,
    KIND,
    LONGEST,
    MISSING_CHIPS,
    NO_WIN,
    NO_WIN_LIMIT,
    NUMBER,
    OWNED,
    PHASE,
    SEATS,
    SEER,
    STEAL,
    SWAP,
    TURN,
    can_swap,
    count_chips,
    worth,
)
from arena.games.bluff_you.kit.encoding import GIVE, KINDS, PHASES, STOP, TAKE, WIN
from arena.games.bluff_you.swaps import LEAST_OWNED
from arena.games.bluff_you.values import PIPS


@njit(cache=True, error_model="numpy", nogil=True)
def show(tables, row, seen, mask):  # type: ignore[no-untyped-def]
    """Write the observation and the mask of the seat to act; return that seat."""
    numbers, points, shares, dice, swaps = tables
    seats, phase, bluffer = numbers[SEATS], row[PHASE], row[BLUFFER]
    own = row[SEER] if phase == IN_ANSWER else bluffer
    for each in range(seen.shape[0]):
        seen[each] = 0
    seen[phase] = 1
    seen[len(PHASES)] = np.float32(row[TURN] / numbers[LONGEST])
    at = len(PHASES) + 1
    seen[at + (bluffer - own + seats) % seats] = 1
    seen[at + seats] = 1
    at += 2 * seats
    if own == bluffer:
        for pips in range(PIPS):
            seen[at + pips] = dice[row[HEAD + pips]]
    at += PIPS
    if row[KIND]:
        seen[at + row[KIND] - 1] = 1
        seen[at + 2 + (row[SEER] - own + seats) % seats] = 1
        seen[at + 2 + seats + row[NUMBER]] = 1
    at += 2 + seats + KINDS
    if row[BELIEVED]:
        seen[at + row[BELIEVED] - 1] = 1
    at += 2
    for chip in range(KINDS):
        seen[at + chip] = (row[CENTRE] >> chip) & 1
    at += KINDS
    for away in range(seats):
        chips = row[OWNED + (own + away) % seats]
        for chip in range(KINDS):
            seen[at + away * KINDS + chip] = (chips >> chip) & 1
        seen[at + seats * KINDS + away] = shares[worth(points, chips)]
    seen[at + seats * (KINDS + 1)] = np.float32(row[NO_WIN] / numbers[NO_WIN_LIMIT])
    for each in range(mask.shape[0]):
        mask[each] = 0
    if phase == IN_ANSWER:
        mask[:STOP] = 1
    elif phase in (IN_GIVE, IN_TAKE):
        first = GIVE if phase == IN_GIVE else TAKE
        owed = row[OWNED + (bluffer if phase == IN_GIVE else row[SEER])]
        for chip in range(KINDS):
            mask[first + chip] = (owed >> chip) & 1
    else:
        _show_ways(numbers, swaps, row, mask)
    return own


@njit(cache=True, error_model="numpy", nogil=True)
def _show_ways(numbers, swaps, row, mask):  # type: ignore[no-untyped-def]
    """Write the mask of the bluffer's announcements and swaps (BY-7, 8, 12, 16 to 18, 22)."""
    seats, bluffer = numbers[SEATS], row[BLUFFER]
    locked = row[NO_WIN] >= numbers[NO_WIN_LIMIT]
    own = row[OWNED + bluffer]
    if row[PHASE] == IN_SWAP_AGAIN:
        mask[STOP] = 1
    else:
        centre = ALL if numbers[MISSING_CHIPS] and not locked else row[CENTRE]
        for away in range(seats - 1):
            theirs = row[OWNED + (bluffer + 1 + away) % seats]
            if own == 0 or locked:
                theirs = 0
            for chip in range(KINDS):
                mask[WIN + away * KINDS + chip] = (centre >> chip) & 1
                mask[numbers[STEAL] + away * KINDS + chip] = (theirs >> chip) & 1
        if locked:
            return
    double = False
    for pips in range(PIPS):
        double |= row[HEAD + pips] > 1
    if double and count_chips(own) >= LEAST_OWNED:
        first = numbers[SWAP]
        for each in range(swaps.shape[1]):
            mask[first + each] = can_swap(row, swaps[0, each], swaps[1, each])
