"""The sequence of a turn of Bluff You!, compiled: the rules of game.py on one row of a batch.

A state is a row of HEAD numbers, then this turn's dice by pips, then each seat's chips; a set of
chips is a bit mask whose lowest bit is chip 3.
"""

from typing import Final

import numpy as np
from numba import njit

from arena.games.bluff_you.kit.encoding import DOUBT, GIVE, KINDS, PHASES, STOP, TAKE, WIN
from arena.games.bluff_you.swaps import LEAST_OWNED
from arena.games.bluff_you.values import DICE, LOWEST_CHIP, PIPS, BluffYouPhase
from arena.learn.draws import roll

(
    PHASE,
    TURN,
    BLUFFER,
    KIND,
    SEER,
    NUMBER,
    BELIEVED,
    SWAPS,
    NO_WIN,
    CENTRE,
    HEAD,
) = range(11)
"""The places in a state; KIND: 1 is a win attempt, 2 a steal; BELIEVED: 1 is yes, 2 no; else 0."""

(
    SEATS,
    MISSING_CHIPS,
    ANY_CHIP,
    MOST_SWAPS,
    NO_WIN_LIMIT,
    STEAL,
    SWAP,
    LONGEST,
) = range(8)
"""The places in `numbers`, the first of the tables.

MISSING_CHIPS is 1 if win attempts may name chips that the centre lacks, ANY_CHIP 1 if a steal takes
any chip; STEAL and SWAP are the first ids of their kinds, LONGEST is the divisor of turn numbers.
"""

OWNED: Final = HEAD + PIPS
ALL: Final = (1 << KINDS) - 1

IN_ANNOUNCE: Final = PHASES.index(BluffYouPhase.ANNOUNCE)
IN_ANSWER: Final = PHASES.index(BluffYouPhase.ANSWER)
IN_GIVE: Final = PHASES.index(BluffYouPhase.GIVE)
IN_TAKE: Final = PHASES.index(BluffYouPhase.TAKE)
IN_SWAP_AGAIN: Final = PHASES.index(BluffYouPhase.SWAP_AGAIN)


@njit(cache=True, error_model="numpy", nogil=True)
def new_match(row, random, i):  # type: ignore[no-untyped-def]
    """Put all chips into the centre; seat 0 is the first bluffer (BY-4, BY-5)."""
    row[:] = 0
    row[CENTRE] = ALL
    _new_turn(row, 0, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _new_turn(row, bluffer, random, i):  # type: ignore[no-untyped-def]
    row[PHASE] = IN_ANNOUNCE
    row[TURN] += 1
    row[BLUFFER] = bluffer
    row[KIND] = row[SEER] = row[NUMBER] = row[BELIEVED] = row[SWAPS] = 0
    row[HEAD:OWNED] = 0
    roll(random, i, DICE, row[HEAD:OWNED])


@njit(cache=True, error_model="numpy", nogil=True)
def _end_turn(numbers, row, progress, random, i):  # type: ignore[no-untyped-def]
    """End the turn; return whether the match is over (BY-20, BY-22)."""
    row[NO_WIN] = 0 if progress else row[NO_WIN] + 1
    if row[CENTRE] == 0:
        return True
    _new_turn(row, (row[BLUFFER] + 1) % numbers[SEATS], random, i)
    return False


@njit(cache=True, error_model="numpy", nogil=True)
def apply(tables, row, action, random, i):  # type: ignore[no-untyped-def]
    """Apply an action; return whether the match is over."""
    numbers, swaps = tables[0], tables[4]
    bluffer = row[BLUFFER]
    if action <= DOUBT:
        return _answer(numbers, row, action, random, i)
    if action == STOP:
        return _end_turn(numbers, row, False, random, i)
    if action < TAKE:
        _move(row, 1 << (action - GIVE), bluffer, row[SEER])
        return _end_turn(numbers, row, False, random, i)
    if action < WIN:
        _move(row, 1 << (action - TAKE), row[SEER], bluffer)
        return _end_turn(numbers, row, False, random, i)
    if action < numbers[SWAP]:
        stealing = action >= numbers[STEAL]
        said = action - (numbers[STEAL] if stealing else WIN)
        row[PHASE] = IN_ANSWER
        row[KIND] = 2 if stealing else 1
        row[SEER] = (bluffer + 1 + said // KINDS) % numbers[SEATS]
        row[NUMBER] = said % KINDS
        row[SWAPS] = 0
        return False
    give, take = swaps[0, action - numbers[SWAP]], swaps[1, action - numbers[SWAP]]
    row[OWNED + bluffer] ^= give | take
    row[CENTRE] ^= give | take
    row[SWAPS] += 1
    if row[SWAPS] < numbers[MOST_SWAPS] and count_chips(row[OWNED + bluffer]) >= LEAST_OWNED:
        row[PHASE] = IN_SWAP_AGAIN
        for each in range(swaps.shape[1]):
            if can_swap(row, swaps[0, each], swaps[1, each]):
                return False
    return _end_turn(numbers, row, False, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _answer(numbers, row, action, random, i):  # type: ignore[no-untyped-def]
    """Reveal the dice and pay the winner (BY-10 to BY-15); return whether the match is over."""
    bluffer, seer, chip = row[BLUFFER], row[SEER], 1 << row[NUMBER]
    total = 0
    for pips in range(PIPS):
        total += (pips + 1) * row[HEAD + pips]
    right = (action != DOUBT) == (total == row[NUMBER] + LOWEST_CHIP)
    if row[KIND] == 1:
        if row[CENTRE] & chip == 0:
            return _end_turn(numbers, row, False, random, i)
        row[CENTRE] ^= chip
        row[OWNED + (seer if right else bluffer)] |= chip
        return _end_turn(numbers, row, True, random, i)
    giver = bluffer if right else seer
    own = row[OWNED + giver]
    several = own & (own - 1) != 0
    if several and (right or numbers[ANY_CHIP]):
        row[BELIEVED] = 2 if action == DOUBT else 1
        row[PHASE] = IN_GIVE if right else IN_TAKE
        return False
    if right:
        _move(row, own, bluffer, seer)
    else:
        _move(row, chip, seer, bluffer)
    return _end_turn(numbers, row, False, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _move(row, chip, giver, receiver):  # type: ignore[no-untyped-def]
    row[OWNED + giver] ^= chip
    row[OWNED + receiver] |= chip


@njit(cache=True, error_model="numpy", nogil=True)
def can_swap(row, give, take):  # type: ignore[no-untyped-def]
    """Return whether the bluffer owns the chips `give` and the centre has `take`."""
    return (give & ~row[OWNED + row[BLUFFER]] == 0) & (take & row[CENTRE] != 0)


@njit(cache=True, error_model="numpy", nogil=True)
def worth(points, chips):  # type: ignore[no-untyped-def]
    """Return the points of a set of chips."""
    total = 0
    for chip in range(KINDS):
        total += points[chip] * ((chips >> chip) & 1)
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def count_chips(chips):  # type: ignore[no-untyped-def]
    """Return the size of a set of chips."""
    count = 0
    for chip in range(KINDS):
        count += (chips >> chip) & 1
    return count


@njit(cache=True, error_model="numpy", nogil=True)
def _key(points, chips):  # type: ignore[no-untyped-def]
    """Return the ranking key of the owner of a set of chips; larger is better (BY-21)."""
    return worth(points, chips) * (KINDS + 1) - count_chips(chips)


@njit(cache=True, error_model="numpy", nogil=True)
def pay(seats, points, row, rewards):  # type: ignore[no-untyped-def]
    """Write the rewards by placing: more points rank first, then fewer chips (BY-21)."""
    for seat in range(seats):
        own = _key(points, row[OWNED + seat])
        ahead = 0
        for other in range(seats):
            key = _key(points, row[OWNED + other])
            if own != key:
                ahead += 1 if own > key else -1
        rewards[seat] = np.float32(ahead) / np.float32(seats - 1)
