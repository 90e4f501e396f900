"""What the net of `crowd` sees of each action: the numbers of `look` of the bot, compiled.

A match is a row in the form of arena/games/bluff/kit/batch_rounds.py, with history, for six seats.
"""

from math import comb
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bluff.bets import FACES, OPENING, lowest_raises
from arena.games.bluff.kit.batch_rounds import (
    BET,
    BETTOR,
    HEAD,
    IN_PLAY,
    TURN,
)
from arena_sample_bots.bayes import CANDOUR, PRESSURE, REACH, TILT, TRUSTS
from arena_sample_bots.crowd import LARGEST_GAIN, MOST_DICE, MOST_SEATS

SEATS: Final = MOST_SEATS
MOST: Final = SEATS * MOST_DICE
CANDIDATES: Final = 1 + len(FACES) * REACH
"""The doubt, and the lowest bets of each face."""
FEATURES: Final = 22
"""The number of inputs of the net for an action."""
HANDS: Final = HEAD + 2 * SEATS
BETS: Final = HEAD + 8 * SEATS
ROW: Final = BETS + 1 + 6 * MOST
"""Offsets in a row, of the hidden dice by seat and face and of the bets' bettors; its length."""


def _tails() -> NDArray[np.float64]:
    """Return the probability that `wanted` or more of some dice match: [star, dice, wanted]."""
    tails = np.zeros((2, MOST + 1, MOST + 1))
    for star, chance in enumerate((1 / 3, 1 / 6)):
        for dice in range(MOST + 1):
            counts = [
                comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
                for count in range(dice + 1)
            ]
            tails[star, dice, : dice + 1] = [sum(counts[wanted:]) for wanted in range(dice + 1)]
    return tails


def _lowest() -> NDArray[np.int64]:
    """Return the lowest quantities that raise each standing bet: [its id, face]."""
    lowest = [OPENING]
    lowest += [lowest_raises(bet // 6 + 1, FACES[bet % 6]) for bet in range(6 * MOST)]
    return np.array(lowest, np.int64)


TAILS: Final = _tails()
LOWEST: Final = _lowest()
WAYS: Final = np.array([[comb(dice, count) for count in range(6)] for dice in range(6)], np.float64)


@njit(cache=True, error_model="numpy")
def at_least(wanted, dice, star):  # type: ignore[no-untyped-def]
    """Return the probability that `wanted` or more of the dice match."""
    if wanted <= 0:
        return 1.0
    if wanted > dice:
        return 0.0
    return TAILS[star, dice, wanted]


@njit(cache=True, error_model="numpy")
def _spread(n, p, out):  # type: ignore[no-untyped-def]
    """Write the probabilities of 0 to n matching dice."""
    for k in range(n + 1):
        out[k] = WAYS[n, k] * p**k * (1 - p) ** (n - k)


@njit(cache=True, error_model="numpy")
def _held(n, p, quantity, unseen, star, out):  # type: ignore[no-untyped-def]
    """Write the probabilities of 0 to n matching dice of a seat that bet `quantity`, 0 for none."""
    _spread(n, p, out)
    if quantity:
        total = 0.0
        for k in range(n + 1):
            out[k] *= at_least(quantity - k, unseen, star) ** CANDOUR
            total += out[k]
        for k in range(n + 1):
            out[k] /= total


@njit(cache=True, error_model="numpy")
def _following(row, seat):  # type: ignore[no-untyped-def]
    """Return the next seat clockwise that has dice."""
    while True:
        seat = (seat + 1) % SEATS
        if row[HEAD + seat]:
            return seat


@njit(cache=True, error_model="numpy")
def _share(own, total, live, mine, other, surplus):  # type: ignore[no-untyped-def]
    """Return the own share of the dice after a doubt, as `bayes` computes it.

    The own seat made the bet if `mine`, else the doubt. The other seat of both has `other` dice.
    """
    if surplus == 0:
        return (own - (not mine)) / (total - (live - 1))
    own_loss = mine == (surplus < 0)
    loss = min(abs(surplus), own if own_loss else other)
    return (own - loss * own_loss) / (total - loss)


@njit(cache=True, error_model="numpy")
def look(row, ids, out, worth):  # type: ignore[no-untyped-def]
    """Write the id of each action (-1 if it is not legal), what the net sees, and its worth."""
    seat, bet, total = row[TURN], row[BET], row[IN_PLAY]
    own = row[HEAD + seat]
    live = 0
    for s in range(SEATS):
        live += row[HEAD + s] > 0
    named = np.zeros((SEATS, 6), np.int64)
    bets = 0
    for b in range(1, 1 + 6 * MOST):
        who = row[BETS + b]
        if who:
            named[who - 1, (b - 1) % 6] = (b - 1) // 6 + 1  # ids ascend with the quantity
            bets += 1
    follower = _following(row, seat)
    unseen = total - own
    out[:] = 0
    chance = np.zeros((SEATS, 6))
    for s in range(SEATS):
        w = np.ones(6)
        for f in range(6):
            if named[s, f]:
                w[f] = TILT
        for f in range(6):
            chance[s, f] = (w[5] + (w[f] if f != 5 else 0.0)) / w.sum()
    cup, rest, more = np.zeros(6), np.zeros(32), np.zeros(32)
    bettor = row[BETTOR]
    standing_true = 0.0
    for f in range(6):
        star = 1 if f == 5 else 0
        match = row[HANDS + seat * 6 + 5] + (row[HANDS + seat * 6 + f] if f != 5 else 0)
        rest[:] = 0
        rest[0] = 1
        size = 0
        naming = 0
        s = follower
        while True:
            s = _following(row, s)
            if s == seat:
                break
            naming += named[s, f] > 0
            n = row[HEAD + s]
            _held(n, chance[s, f], named[s, f], total - n, star, cup)
            more[:] = 0
            for i in range(size + 1):
                for j in range(n + 1):
                    more[i + j] += rest[i] * cup[j]
            rest[:] = more
            size += n
        n = row[HEAD + follower]
        _held(n, chance[follower, f], named[follower, f], total - n, star, cup)
        more[:] = 0
        for i in range(size + 1):
            for j in range(n + 1):
                more[i + j] += rest[i] * cup[j]
        if bet and (bet - 1) % 6 == f:  # the doubt
            quantity = (bet - 1) // 6 + 1
            missing = quantity - match
            value, false, exact = 0.0, 0.0, 0.0
            for c in range(unseen + 1):
                value += more[c] * _share(own, total, live, False, row[HEAD + bettor], c - missing)
                if c < missing:
                    false += more[c]
                if c == missing:
                    exact = more[c]
            standing_true = 1 - false
            ids[0] = 0
            worth[0] = value
            out[0, 0] = (value - own / total) * total
            out[0, 2] = false
            out[0, 3] = 1 - at_least(missing, unseen, star)
            out[0, 4] = exact
            out[0, 5] = match / own
            out[0, 6] = star
            out[0, 8] = named[seat, f] > 0
            out[0, 9] = row[HEAD + bettor] / 5
            out[0, 11] = 1
        low = LOWEST[bet, f]
        for k in range(REACH):
            at, quantity = 1 + f * REACH + k, low + k
            if quantity > total:
                ids[at] = -1
                continue
            ids[at] = 6 * (quantity - 1) + f + 1
            missing, value, passed = quantity - match, 0.0, 0.0
            for held in range(n + 1):
                if at_least(quantity - held, unseen - n + own, star) >= TRUSTS:
                    passed += cup[held]
                    value += cup[held] * (own / total + PRESSURE)
                else:
                    for o in range(size + 1):
                        value += (
                            cup[held]
                            * rest[o]
                            * _share(own, total, live, True, n, held + o - missing)
                        )
            true = 0.0
            for c in range(max(0, missing), unseen + 1):
                true += more[c]
            worth[at] = value
            out[at, 0] = (value - own / total) * total
            out[at, 1] = passed
            out[at, 2] = true
            out[at, 3] = at_least(missing, unseen, star)
            out[at, 4] = more[missing] if 0 <= missing <= unseen else 0.0
            out[at, 5] = match / own
            out[at, 6] = star
            out[at, 7] = k / 3
            out[at, 8] = named[seat, f] > 0
            out[at, 9] = named[follower, f] > 0
            out[at, 10] = naming / max(1, live - 2)
            out[at, 12] = (quantity - match) / unseen * 3
    if not bet:
        ids[0] = -1
    for at in range(CANDIDATES):
        out[at, 0] = min(LARGEST_GAIN, max(-LARGEST_GAIN, out[at, 0])) / 2
        out[at, 13] = own / 5
        out[at, 14] = row[HEAD + follower] / 5
        out[at, 15] = total / MOST
        out[at, 16] = live / SEATS
        out[at, 17] = 0 if bet else 1
        out[at, 18] = min(bets, 12) / 6
        out[at, 19] = own * live / total / 2
        out[at, 20] = standing_true
        out[at, 21] = 1
