"""The observations and masks of encoding.py, compiled: written from one row of a batch."""

import numpy as np
from numba import njit

from arena.games.bloeff.kit.batch_layout import (
    ANNOUNCED,
    ANY_TOTAL,
    AUTO_CALL,
    BALLOTING,
    BALLOTS,
    CLOCKWISE,
    DOWN,
    DRAW2_KIND,
    HANDS,
    HIGHEST,
    HISTORY,
    KINDS,
    LARGEST,
    MAX_TURNS,
    NUMBERS,
    ON_TURN,
    PILE,
    RED_CARDS_AT,
    REDS,
    REVERSE_KIND,
    ROUND,
    ROUNDS,
    SAID,
    SEATS,
    SEEN,
    TOLD,
    TOP,
    TOTAL,
    TURN,
    WAITING,
)
from arena.games.bloeff.kit.batch_turns import hand_size
from arena.games.bloeff.kit.encoding import LATEST, RED, REVERSE, VALUES
from arena.games.bloeff.values import HIGHEST_VALUE, LOWEST_VALUE

_BALLOT_IDS = REVERSE


@njit(cache=True, error_model="numpy", nogil=True)
def asked(numbers, row):  # type: ignore[no-untyped-def]
    """Return the seat on turn, or the first whose ballot is missing."""
    if not row[BALLOTING]:
        return np.int64(row[ON_TURN])
    seat = 0
    while seat == row[ON_TURN] or row[numbers[BALLOTS] + seat]:
        seat += 1
    return seat


@njit(cache=True, error_model="numpy", nogil=True)
def show(tables, row, seen, mask):  # type: ignore[no-untyped-def]
    """Write the observation and the mask of the seat that is asked; return that seat."""
    numbers, limits, _, _, shares, of_kind = tables
    seats, own = numbers[SEATS], asked(numbers, row)
    largest, balloting = numbers[LARGEST], row[BALLOTING]
    for each in range(seen.shape[0]):
        seen[each] = 0
    seen[0] = np.float32(row[ROUND] / numbers[ROUNDS])
    seen[1] = np.float32(row[TURN] / numbers[MAX_TURNS])
    seen[2] = np.float32(limits[row[ROUND] - 1] / largest)
    seen[3] = np.float32(row[TOTAL] / largest)
    seen[4] = row[CLOCKWISE]
    player = (row[ON_TURN] - own + seats) % seats
    seen[5 + player] = 1
    at = 5 + seats
    for away in range(seats):
        seen[at + away] = (away != player) == (balloting == 1)
    at += seats
    hand = HANDS + own * KINDS
    for kind in range(KINDS):
        seen[at + kind] = of_kind[kind, row[hand + kind]]
    at += KINDS
    in_hands = waiting = 0
    reds = at + seats + 2
    for away in range(seats):
        seat = (own + away) % seats
        size, count = hand_size(row, seat), row[numbers[WAITING] + seat]
        in_hands += size
        waiting += count
        seen[at + away] = shares[size]
        for place in range(count):
            kind = row[numbers[RED_CARDS_AT] + seat * numbers[REDS] + place]
            seen[reds + (away * numbers[REDS] + place) * 2 + kind - DRAW2_KIND] = 1
    at += seats
    drawn = row[PILE] - row[TOP]
    seen[at] = shares[drawn]
    # All other cards are on the centre pile, including the one being balloted.
    seen[at + 1] = shares[shares.shape[0] - 1 - in_hands - waiting - drawn]
    at = reds + 2 * seats * numbers[REDS]
    if balloting:
        seen[at] = 1
        seen[at + 1] = np.float32(row[ANNOUNCED] / largest)
    at += 2
    for kind in range(KINDS):
        seen[at + kind] = of_kind[kind, row[SEEN + kind]]
    at += KINDS
    for kind in range(VALUES):
        seen[at + kind] = of_kind[kind, row[numbers[DOWN] + own * VALUES + kind]]
    # Field `laid` stays 0: the seat that is asked never laid the card being balloted.
    at += 2 * VALUES
    due = not balloting and not numbers[AUTO_CALL] and hand_size(row, own) == 2
    seen[at] = due
    if numbers[HISTORY]:
        _show_history(numbers, row, own, seen[at + 1 :])
    _show_legal(numbers, row, own, mask)
    return own


@njit(cache=True, error_model="numpy", nogil=True)
def _show_history(numbers, row, own, seen):  # type: ignore[no-untyped-def]
    seats = numbers[SEATS]
    for place in range(min(row[SAID], LATEST)):
        told = numbers[TOLD] + 2 * ((row[SAID] - 1 - place) % LATEST)
        seen[place * (seats + 1) + (row[told] - own + seats) % seats] = 1
        seen[place * (seats + 1) + seats] = np.float32(row[told + 1] / numbers[LARGEST])


@njit(cache=True, error_model="numpy", nogil=True)
def _show_legal(numbers, row, own, mask):  # type: ignore[no-untyped-def]
    for each in range(mask.shape[0]):
        mask[each] = 0
    if row[BALLOTING]:
        mask[:_BALLOT_IDS] = 1
        return
    hand = HANDS + own * KINDS
    if row[hand + REVERSE_KIND]:
        mask[REVERSE:RED] = 1
    each = 2 * (numbers[SEATS] - 1)
    for red in range(2):
        if row[hand + DRAW2_KIND + red]:
            mask[RED + red * each : RED + (red + 1) * each] = 1
    lowest, highest = 0, numbers[HIGHEST]
    if not numbers[ANY_TOTAL]:
        lowest = max(0, row[TOTAL] + LOWEST_VALUE)
        highest = row[TOTAL] + HIGHEST_VALUE
    for kind in range(VALUES):
        if row[hand + kind]:
            first = numbers[NUMBERS] + 2 * kind * (numbers[HIGHEST] + 1)
            mask[first + 2 * lowest : first + 2 * (highest + 1)] = 1
