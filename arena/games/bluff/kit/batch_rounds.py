"""The rounds of Bluff, compiled: game.py, dealing.py and showdown.py on one row of a batch.

A state is a row of HEAD numbers, then by seat the dice left, the round of going out (0 while in
play), and the hidden dice by face; with history also the bettor of each bet of the round, from 1.
"""

from typing import Final

import numpy as np
from numba import njit

from arena.games.bluff.bets import FACES
from arena.learn.draws import below, roll

TURN, OPENER, ROUND, BETTOR, BET, IN_PLAY, HEAD = range(7)
"""The places in a state; BET is the id of the standing bet, 0 without one."""

SEATS, DICE, MOST, CAPPED, DRAWN_OPENER, HISTORY, CHANCES = range(7)
"""The places in `numbers`: the seats, the dice per player, the largest quantity of a bet; then as 1
or 0: bets capped at the dice in play, a drawn opener, history, rewards by chances to win."""

_FACES: Final = len(FACES)
_STAR: Final = _FACES - 1


@njit(cache=True, error_model="numpy", nogil=True)
def new_match(numbers, row, random, i):  # type: ignore[no-untyped-def]
    """Begin a match; the opener is drawn directly instead of by starting rolls (BL-4)."""
    seats, dice = numbers[SEATS], numbers[DICE]
    row[OPENER] = below(random, i, seats) if numbers[DRAWN_OPENER] else 0
    row[ROUND] = 0
    row[IN_PLAY] = seats * dice
    for seat in range(seats):
        row[HEAD + seat] = dice
        row[HEAD + seats + seat] = 0
    new_round(numbers, row, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def new_round(numbers, row, random, i):  # type: ignore[no-untyped-def]
    """Roll all dice in play in secret; the opener bets first (BL-6)."""
    seats = numbers[SEATS]
    row[ROUND] += 1
    row[TURN] = row[OPENER]
    row[BETTOR] = row[BET] = 0
    # Clear the hidden dice, and with history the bets stored after them.
    row[HEAD + 2 * seats :] = 0
    for seat in range(seats):
        roll(random, i, row[HEAD + seat], row[HEAD + 2 * seats + seat * _FACES :])


@njit(cache=True, error_model="numpy", nogil=True)
def _next_live(seats, row, seat):  # type: ignore[no-untyped-def]
    """Return the next seat clockwise that has dice (BL-9)."""
    while True:
        seat = seat + 1 if seat + 1 < seats else 0
        if row[HEAD + seat]:
            return seat


@njit(cache=True, error_model="numpy", nogil=True)
def place_bet(numbers, row, action):  # type: ignore[no-untyped-def]
    """Place the bet with an id (BL-14)."""
    seats, seat = numbers[SEATS], row[TURN]
    row[BETTOR], row[BET] = seat, action
    if numbers[HISTORY]:
        row[HEAD + seats * (2 + _FACES) + action] = seat + 1
    row[TURN] = _next_live(seats, row, seat)


@njit(cache=True, error_model="numpy", nogil=True)
def settle_doubt(seats, row):  # type: ignore[no-untyped-def]
    """Settle the standing bet (BL-19 to 24); return whether the match is over."""
    face, quantity = (row[BET] - 1) % _FACES, (row[BET] - 1) // _FACES + 1
    surplus = -quantity
    for seat in range(seats):
        cup = HEAD + 2 * seats + seat * _FACES
        surplus += row[cup + _STAR]
        if face != _STAR:
            surplus += row[cup + face]
    bettor, doubter = row[BETTOR], row[TURN]
    if surplus == 0:
        for seat in range(seats):
            if seat != bettor:
                _lose(seats, row, seat, 1)
    else:
        _lose(seats, row, doubter if surplus > 0 else bettor, abs(surplus))
    row[OPENER] = bettor if surplus >= 0 else doubter
    live = 0
    for seat in range(seats):
        live += row[HEAD + seat] > 0
    return live == 1


@njit(cache=True, error_model="numpy", nogil=True)
def chance_to_win(chances, row):  # type: ignore[no-untyped-def]
    """Return seat 0's chance to win a match of two seats, at the start of a round."""
    opener = row[OPENER]
    chance = chances[row[HEAD + opener], row[HEAD + 1 - opener]]
    return np.float32(1) - chance if opener else chance


@njit(cache=True, error_model="numpy", nogil=True)
def _lose(seats, row, seat, dice):  # type: ignore[no-untyped-def]
    had = row[HEAD + seat]
    lost = min(had, dice)
    row[HEAD + seat] -= lost
    row[IN_PLAY] -= lost
    if had and lost == had:
        row[HEAD + seats + seat] = row[ROUND]


@njit(cache=True, error_model="numpy", nogil=True)
def pay(seats, row, rewards):  # type: ignore[no-untyped-def]
    """Write the rewards by placing: seats that went out later are ahead (BL-26)."""
    for seat in range(seats):
        own = row[HEAD + seats + seat]
        ahead = 0
        for other in range(seats):
            out = row[HEAD + seats + other]
            if own != out:
                ahead += 1 if own == 0 or (out and own > out) else -1
        rewards[seat] = np.float32(ahead) / np.float32(seats - 1)
