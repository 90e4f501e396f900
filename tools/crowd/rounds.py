"""Rounds between three to six seats, many at once, compiled.

The opponents play until a learner is asked. They are the sample bots `bayes` and `honest`.
"""

from typing import Final

import numpy as np
from numba import njit

from arena.games.bluff.kit.batch_rounds import (
    BET,
    HEAD,
    IN_PLAY,
    OPENER,
    TURN,
    new_round,
    place_bet,
    settle_doubt,
)
from arena.learn.draws import below
from arena_sample_bots.crowd import MOST_DICE
from arena_sample_bots.honest import OPENS_AT
from tools.crowd.sight import CANDIDATES, HANDS, LOWEST, MOST, SEATS, at_least, look

NUMBERS: Final = np.array([SEATS, MOST_DICE, MOST, 1, 1, 1, 0], np.int64)
"""The options, in the form of `batch_rounds`."""
LEARNER, BAYES, HONEST = range(3)
"""The kinds of players."""


@njit(cache=True, error_model="numpy")
def _honest(row, random, i):  # type: ignore[no-untyped-def]
    """Return the action of `honest`."""
    seat, bet, total = row[TURN], row[BET], row[IN_PLAY]
    own = row[HEAD + seat]
    best, ties, chosen = -1.0, 0, -1
    for f in range(6):
        star = 1 if f == 5 else 0
        match = row[HANDS + seat * 6 + 5] + (row[HANDS + seat * 6 + f] if f != 5 else 0)
        if bet:
            q = LOWEST[bet, f]
            if q > total:
                continue
            score = at_least(q - match, total - own, star)
        else:
            q = 1
            while q < total and at_least(q + 1 - match, total - own, star) >= OPENS_AT:
                q += 1
            score = 4.0 * q - 1 if f == 5 else 2.0 * q
        if score > best:
            best, ties, chosen = score, 1, 6 * (q - 1) + f + 1
        elif score == best:
            ties += 1
            if below(random, i, ties) == 0:
                chosen = 6 * (q - 1) + f + 1
    if bet:
        f, q = (bet - 1) % 6, (bet - 1) // 6 + 1
        match = row[HANDS + seat * 6 + 5] + (row[HANDS + seat * 6 + f] if f != 5 else 0)
        if 1 - at_least(q - match, total - own, 1 if f == 5 else 0) >= best:
            return 0
    return chosen


@njit(cache=True, error_model="numpy")
def _best(ids, worth, random, i):  # type: ignore[no-untyped-def]
    """Return an action of the highest worth, as `bayes` does."""
    best, ties, chosen = -1.0, 0, -1
    for at in range(CANDIDATES):
        if ids[at] < 0:
            continue
        if worth[at] > best + 1e-12:
            best, ties, chosen = worth[at], 1, ids[at]
        elif worth[at] > best - 1e-12:
            ties += 1
            if below(random, i, ties) == 0:
                chosen = ids[at]
    return chosen


@njit(cache=True, error_model="numpy")
def _play(row, action):  # type: ignore[no-untyped-def]
    """Apply an action, and return whether the round is over."""
    if action:
        place_bet(NUMBERS, row, action)
        return False
    settle_doubt(SEATS, row)
    return True


@njit(cache=True, error_model="numpy")
def advance(state, kinds, random, active, ids, features):  # type: ignore[no-untyped-def]
    """Let the opponents play until a learner is asked or the round is over, in active rows.

    Return how many learners are asked; their rows come first in `active`, and what they see in
    `ids` and `features`.
    """
    worth = np.zeros(CANDIDATES)
    count = 0
    for place in range(active.shape[0]):
        i = active[place]
        row, over = state[i], False
        while kinds[i, row[TURN]] != LEARNER:
            if kinds[i, row[TURN]] == HONEST:
                action = _honest(row, random, i)
            else:
                look(row, ids[count], features[count], worth)
                action = _best(ids[count], worth, random, i)
            over = _play(row, action)
            if over:
                break
        if not over:
            look(row, ids[count], features[count], worth)
            active[count] = i
            count += 1
    return count


@njit(cache=True, error_model="numpy")
def act(state, active, actions):  # type: ignore[no-untyped-def]
    """Apply the learners' actions; return how many rows go on, which `active` then lists."""
    count = 0
    for place in range(active.shape[0]):
        if not _play(state[active[place]], actions[place]):
            active[count] = active[place]
            count += 1
    return count


@njit(cache=True, error_model="numpy")
def begin(state, random, fresh, live):  # type: ignore[no-untyped-def]
    """Begin a match in the fresh rows, with the first `live` seats; and a round in all."""
    for i in range(state.shape[0]):
        row = state[i]
        if fresh[i]:
            row[:] = 0
            for s in range(live[i]):
                row[HEAD + s] = MOST_DICE
            row[IN_PLAY] = MOST_DICE * live[i]
            row[OPENER] = below(random, i, live[i])
        new_round(NUMBERS, row, random, i)
