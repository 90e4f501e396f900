"""The rules of Bluff for batches of matches, compiled by numba; without the extension.

A state is a row of HEAD numbers, then by seat the dice left, the round of going out (0 while in
play), and the hidden dice by face; with history also the bettor of each bet of the round, from 1.
The starting rolls (BL-4) are drawn as what they decide: all seats are alike, so each is the opener
with the same probability.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bluff.bets import FACES, OPENING, lowest_raises
from arena.games.bluff.kit.encoding import BluffEncoding
from arena.games.encoding import EncodingError
from arena.learn.batch_rules import BatchRules
from arena.learn.draws import below, roll

_TURN, _OPENER, _ROUND, _BETTOR, _BET, _IN_PLAY, HEAD = range(7)
"""The places in a state; _BET is the id of the standing bet, 0 without one."""

_FACES: Final = len(FACES)
_STAR: Final = _FACES - 1


def batch_rules(encoding: BluffEncoding) -> BatchRules:
    """Return the compiled rules of Bluff.

    Raises EncodingError for the extension.
    """
    options, seats = encoding.game.options, encoding.seats
    if options.show_and_reroll:
        raise EncodingError("bluff in batches has no extension (show_and_reroll)")
    dice, most = options.dice_per_player, encoding.most
    capped = options.bet_cap == "dice_in_play"
    drawn_opener = options.start_mode == "roll"
    numbers = np.array([seats, dice, most, capped, drawn_opener, encoding.history], np.int64)
    shares = np.arange(dice + 1) / dice
    rounds = np.arange(seats * dice + 1) / (seats * dice)
    quantities = np.arange(most + 1) / most
    return BatchRules(
        width=HEAD + seats * (2 + _FACES) + (encoding.actions if encoding.history else 0),
        tables=(
            numbers,
            shares.astype(np.float32),
            rounds.astype(np.float32),
            quantities.astype(np.float32),
            _legal(encoding),
        ),
        begin=_begin,
        step=_step,
        hands=lambda state: _hands(state, seats),
    )


def _hands(state: NDArray[np.int32], seats: int) -> NDArray[np.uint8]:
    """Return the hidden dice by match, seat and face."""
    start = HEAD + 2 * seats
    return state[:, start : start + seats * _FACES].reshape(-1, seats, _FACES).astype(np.uint8)


def _legal(encoding: BluffEncoding) -> NDArray[np.uint8]:
    """Return the mask after each standing bet, by its id, with bets up to the largest quantity."""
    legal = np.zeros((encoding.actions, encoding.actions), np.uint8)
    for standing in range(encoding.actions):
        lowest: Any = OPENING
        if standing:
            fewer, face = divmod(standing - 1, _FACES)
            lowest = lowest_raises(fewer + 1, FACES[face])
        legal[standing, 0] = standing > 0
        for place, quantity in enumerate(lowest):
            legal[standing, 1 + _FACES * (quantity - 1) + place :: _FACES] = 1
    return legal


@njit(cache=True, error_model="numpy", nogil=True)
def _begin(  # type: ignore[no-untyped-def]
    tables, state, random, observations, masks, seats, rewards, done
):
    """Begin a match in every row."""
    for i in range(state.shape[0]):
        _new_match(tables[0], state[i], random, i)
        _show(tables, state[i], observations[i], masks[i])
        seats[i] = state[i, _TURN]
        rewards[i] = 0
        done[i] = False


@njit(cache=True, error_model="numpy", nogil=True)
def _step(  # type: ignore[no-untyped-def]
    tables, actions, state, random, observations, masks, seats, rewards, done
):
    """Apply an action in every row; see BatchRules."""
    numbers = tables[0]
    for i in range(state.shape[0]):
        row, action = state[i], actions[i]
        rewards[i] = 0
        done[i] = False
        if action < 0:
            continue
        if action == 0:
            if _doubt(numbers[0], row):
                _pay(numbers[0], row, rewards[i])
                done[i] = True
                _new_match(numbers, row, random, i)
            else:
                _new_round(numbers, row, random, i)
        else:
            _bet(numbers, row, action)
        _show(tables, row, observations[i], masks[i])
        seats[i] = row[_TURN]


@njit(cache=True, error_model="numpy", nogil=True)
def _new_match(numbers, row, random, i):  # type: ignore[no-untyped-def]
    seats, dice = numbers[0], numbers[1]
    row[_OPENER] = below(random, i, seats) if numbers[4] else 0
    row[_ROUND] = 0
    row[_IN_PLAY] = seats * dice
    for seat in range(seats):
        row[HEAD + seat] = dice
        row[HEAD + seats + seat] = 0
    _new_round(numbers, row, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _new_round(numbers, row, random, i):  # type: ignore[no-untyped-def]
    """Roll all dice in play in secret; the opener bets first (BL-6)."""
    seats = numbers[0]
    row[_ROUND] += 1
    row[_TURN] = row[_OPENER]
    row[_BETTOR] = row[_BET] = 0
    # The hidden dice, and with history the bets behind them.
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
def _bet(numbers, row, action):  # type: ignore[no-untyped-def]
    seats, seat = numbers[0], row[_TURN]
    row[_BETTOR], row[_BET] = seat, action
    if numbers[5]:
        row[HEAD + seats * (2 + _FACES) + action] = seat + 1
    row[_TURN] = _next_live(seats, row, seat)


@njit(cache=True, error_model="numpy", nogil=True)
def _doubt(seats, row):  # type: ignore[no-untyped-def]
    """Settle the standing bet (BL-19 to 24); return whether the match is over."""
    face, quantity = (row[_BET] - 1) % _FACES, (row[_BET] - 1) // _FACES + 1
    surplus = -quantity
    for seat in range(seats):
        cup = HEAD + 2 * seats + seat * _FACES
        surplus += row[cup + _STAR]
        if face != _STAR:
            surplus += row[cup + face]
    bettor, doubter = row[_BETTOR], row[_TURN]
    if surplus == 0:
        for seat in range(seats):
            if seat != bettor:
                _lose(seats, row, seat, 1)
    else:
        _lose(seats, row, doubter if surplus > 0 else bettor, abs(surplus))
    row[_OPENER] = bettor if surplus >= 0 else doubter
    live = 0
    for seat in range(seats):
        live += row[HEAD + seat] > 0
    return live == 1


@njit(cache=True, error_model="numpy", nogil=True)
def _lose(seats, row, seat, dice):  # type: ignore[no-untyped-def]
    had = row[HEAD + seat]
    lost = min(had, dice)
    row[HEAD + seat] -= lost
    row[_IN_PLAY] -= lost
    if had and lost == had:
        row[HEAD + seats + seat] = row[_ROUND]


@njit(cache=True, error_model="numpy", nogil=True)
def _pay(seats, row, rewards):  # type: ignore[no-untyped-def]
    """Write the rewards by placing: seats that went out later are ahead (BL-26)."""
    for seat in range(seats):
        own = row[HEAD + seats + seat]
        ahead = 0
        for other in range(seats):
            out = row[HEAD + seats + other]
            if own != out:
                ahead += 1 if own == 0 or (out and own > out) else -1
        rewards[seat] = np.float32(ahead) / np.float32(seats - 1)


@njit(cache=True, error_model="numpy", nogil=True)
def _show(tables, row, seen, mask):  # type: ignore[no-untyped-def]
    """Write the observation and the mask of the seat to act, as the encoding lays them out."""
    numbers, shares, rounds, quantities, legal = tables
    seats, own, bet = numbers[0], row[_TURN], row[_BET]
    cup = HEAD + 2 * seats + own * _FACES
    for face in range(_FACES):
        seen[face] = shares[row[cup + face]]
    at = _FACES
    for seat in range(seats):
        away = seat - own if seat >= own else seat - own + seats
        seen[at + away] = shares[row[HEAD + seat]]
    at += seats
    seen[at] = rounds[row[_ROUND]]
    at += 1
    # opener, to_act, quantity, face, bettor
    end = at + 3 * seats + 1 + _FACES
    for place in range(at, end):
        seen[place] = 0
    seen[at + (row[_OPENER] - own + seats) % seats] = 1
    seen[at + seats] = 1
    at += 2 * seats
    if bet:
        seen[at] = quantities[(bet - 1) // _FACES + 1]
        seen[at + 1 + (bet - 1) % _FACES] = 1
        seen[at + 1 + _FACES + (row[_BETTOR] - own + seats) % seats] = 1
    if numbers[5]:
        seen[end:] = 0
        placed = HEAD + seats * (2 + _FACES)
        # A star n stands behind numbers up to 2n - 1 (BL-13), whose ids are larger.
        highest = min(numbers[2], 2 * ((bet - 1) // _FACES + 1)) if bet else 0
        for each in range(1, _FACES * highest + 1):
            bettor = row[placed + each]
            if bettor:
                seen[end + (each - 1) * seats + (bettor - 1 - own + seats) % seats] = 1
    last = 1 + _FACES * (row[_IN_PLAY] if numbers[3] else numbers[2])
    raises = legal[bet]
    for each in range(last):
        mask[each] = raises[each]
    for each in range(last, mask.shape[0]):
        mask[each] = 0
