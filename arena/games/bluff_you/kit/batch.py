"""The rules of Bluff You! for batches of matches, compiled by numba.

A state is a row of HEAD numbers, then this turn's dice by pips, then each seat's chips; sets of
chips are bits, chip 3 first.
"""

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bluff_you.kit.encoding import (
    DOUBT,
    GIVE,
    KINDS,
    PHASES,
    STOP,
    TAKE,
    WIN,
    BluffYouEncoding,
)
from arena.games.bluff_you.legality import Legality
from arena.games.bluff_you.swaps import LEAST_OWNED
from arena.games.bluff_you.values import DICE, LOWEST_CHIP, PIPS, BluffYouPhase
from arena.learn.batch_rules import BatchRules
from arena.learn.draws import roll

(
    _PHASE,
    _TURN,
    _BLUFFER,
    _KIND,
    _SEER,
    _NUMBER,
    _BELIEVED,
    _SWAPS,
    _NO_WIN,
    _CENTRE,
    HEAD,
) = range(11)
"""The places in a state; _KIND is 1 for a win attempt, 2 for a steal; _BELIEVED 1 or 2 for no."""

_CHIPS: Final = HEAD + PIPS
_ALL: Final = (1 << KINDS) - 1

_PHASES: Final = len(PHASES)
_ANNOUNCE: Final = PHASES.index(BluffYouPhase.ANNOUNCE)
_ANSWER: Final = PHASES.index(BluffYouPhase.ANSWER)
_GIVE: Final = PHASES.index(BluffYouPhase.GIVE)
_TAKE: Final = PHASES.index(BluffYouPhase.TAKE)
_SWAP_AGAIN: Final = PHASES.index(BluffYouPhase.SWAP_AGAIN)


def batch_rules(encoding: BluffYouEncoding) -> BatchRules:
    """Return the compiled rules of Bluff You!; all options are supported."""
    options, seats = encoding.game.options, encoding.seats
    limit = Legality(options).no_win_limit(seats)
    total = sum(options.chip_points)
    numbers = np.array(
        [
            seats,
            options.announce_missing_chip == "no_effect",
            options.steal_takes == "any_chip",
            options.swap_max_per_turn,
            limit,
            encoding.steal,
            encoding.swap,
            encoding.turns,
        ],
        np.int64,
    )
    give = [sum(_bit(number) for number in swap.give) for swap in encoding.swaps]
    take = [_bit(swap.take) for swap in encoding.swaps]
    return BatchRules(
        width=_CHIPS + seats,
        tables=(
            numbers,
            np.array(options.chip_points, np.int64),
            (np.arange(total + 1) / total).astype(np.float32),
            np.arange(DICE + 1, dtype=np.float32) / np.float32(DICE),
            np.array([give, take], np.int32).reshape(2, -1),
        ),
        begin=_begin,
        step=_step,
        hands=lambda state: _hands(state, seats),
    )


def _bit(number: int) -> int:
    return 1 << (number - LOWEST_CHIP)


def _hands(state: NDArray[np.int32], seats: int) -> NDArray[np.uint8]:
    """Return the dice by match, seat and pips; seats other than the bluffer have none."""
    hands = np.zeros((len(state), seats, PIPS), np.uint8)
    hands[np.arange(len(state)), state[:, _BLUFFER]] = state[:, HEAD:_CHIPS]
    return hands


@njit(cache=True, error_model="numpy", nogil=True)
def _begin(  # type: ignore[no-untyped-def]
    tables, state, random, observations, masks, seats, rewards, done
):
    """Begin a match in every row."""
    for i in range(state.shape[0]):
        _new_match(state[i], random, i)
        seats[i] = _show(tables, state[i], observations[i], masks[i])
        rewards[i] = 0
        done[i] = False


@njit(cache=True, error_model="numpy", nogil=True)
def _step(  # type: ignore[no-untyped-def]
    tables, actions, state, random, observations, masks, seats, rewards, done
):
    """Apply an action in every row; see BatchRules."""
    for i in range(state.shape[0]):
        row, action = state[i], actions[i]
        rewards[i] = 0
        done[i] = False
        if action < 0:
            continue
        if _apply(tables, row, action, random, i):
            _pay(tables[0][0], tables[1], row, rewards[i])
            done[i] = True
            _new_match(row, random, i)
        seats[i] = _show(tables, row, observations[i], masks[i])


@njit(cache=True, error_model="numpy", nogil=True)
def _new_match(row, random, i):  # type: ignore[no-untyped-def]
    row[:] = 0
    row[_CENTRE] = _ALL
    _new_turn(row, 0, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _new_turn(row, bluffer, random, i):  # type: ignore[no-untyped-def]
    row[_PHASE] = _ANNOUNCE
    row[_TURN] += 1
    row[_BLUFFER] = bluffer
    row[_KIND] = row[_SEER] = row[_NUMBER] = row[_BELIEVED] = row[_SWAPS] = 0
    row[HEAD:_CHIPS] = 0
    roll(random, i, DICE, row[HEAD:_CHIPS])


@njit(cache=True, error_model="numpy", nogil=True)
def _end_turn(numbers, row, progress, random, i):  # type: ignore[no-untyped-def]
    """End the turn; return whether the match is over (BY-20, BY-22)."""
    row[_NO_WIN] = 0 if progress else row[_NO_WIN] + 1
    if row[_CENTRE] == 0:
        return True
    _new_turn(row, (row[_BLUFFER] + 1) % numbers[0], random, i)
    return False


@njit(cache=True, error_model="numpy", nogil=True)
def _apply(tables, row, action, random, i):  # type: ignore[no-untyped-def]
    """Apply an action; return whether the match is over."""
    numbers = tables[0]
    bluffer = row[_BLUFFER]
    if action <= DOUBT:
        return _answer(numbers, row, action, random, i)
    if action == STOP:
        return _end_turn(numbers, row, False, random, i)
    if action < TAKE:
        _move(row, 1 << (action - GIVE), bluffer, row[_SEER])
        return _end_turn(numbers, row, False, random, i)
    if action < WIN:
        _move(row, 1 << (action - TAKE), row[_SEER], bluffer)
        return _end_turn(numbers, row, False, random, i)
    if action < numbers[6]:
        stealing = action >= numbers[5]
        said = action - (numbers[5] if stealing else WIN)
        row[_PHASE] = _ANSWER
        row[_KIND] = 2 if stealing else 1
        row[_SEER] = (bluffer + 1 + said // KINDS) % numbers[0]
        row[_NUMBER] = said % KINDS
        row[_SWAPS] = 0
        return False
    give, take = tables[4][0, action - numbers[6]], tables[4][1, action - numbers[6]]
    row[_CHIPS + bluffer] ^= give | take
    row[_CENTRE] ^= give | take
    row[_SWAPS] += 1
    if row[_SWAPS] < numbers[3]:
        row[_PHASE] = _SWAP_AGAIN
        for each in range(tables[4].shape[1]):
            if _swaps(row, tables[4][0, each], tables[4][1, each]):
                return False
    return _end_turn(numbers, row, False, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _answer(numbers, row, action, random, i):  # type: ignore[no-untyped-def]
    """Reveal the dice and pay the winner (BY-10 to BY-15); return whether the match is over."""
    bluffer, seer, chip = row[_BLUFFER], row[_SEER], 1 << row[_NUMBER]
    total = 0
    for pips in range(PIPS):
        total += (pips + 1) * row[HEAD + pips]
    right = (action != DOUBT) == (total == row[_NUMBER] + LOWEST_CHIP)
    if row[_KIND] == 1:
        if row[_CENTRE] & chip == 0:
            return _end_turn(numbers, row, False, random, i)
        row[_CENTRE] ^= chip
        row[_CHIPS + (seer if right else bluffer)] |= chip
        return _end_turn(numbers, row, True, random, i)
    giver = bluffer if right else seer
    own = row[_CHIPS + giver]
    several = own & (own - 1) != 0
    if several and (right or numbers[2]):
        row[_BELIEVED] = 2 if action == DOUBT else 1
        row[_PHASE] = _GIVE if right else _TAKE
        return False
    if right:
        _move(row, own, bluffer, seer)
    else:
        _move(row, chip, seer, bluffer)
    return _end_turn(numbers, row, False, random, i)


@njit(cache=True, error_model="numpy", nogil=True)
def _move(row, chip, giver, receiver):  # type: ignore[no-untyped-def]
    row[_CHIPS + giver] ^= chip
    row[_CHIPS + receiver] |= chip


@njit(cache=True, error_model="numpy", nogil=True)
def _swaps(row, give, take):  # type: ignore[no-untyped-def]
    """Return whether the bluffer owns the chips `give` and the centre has `take`."""
    return (give & ~row[_CHIPS + row[_BLUFFER]] == 0) & (take & row[_CENTRE] != 0)


@njit(cache=True, error_model="numpy", nogil=True)
def _worth(points, chips):  # type: ignore[no-untyped-def]
    total = 0
    for chip in range(KINDS):
        total += points[chip] * ((chips >> chip) & 1)
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _count(chips):  # type: ignore[no-untyped-def]
    count = 0
    for chip in range(KINDS):
        count += (chips >> chip) & 1
    return count


@njit(cache=True, error_model="numpy", nogil=True)
def _pay(seats, points, row, rewards):  # type: ignore[no-untyped-def]
    """Write the rewards by placing: more points, then fewer chips are ahead (BY-21)."""
    for seat in range(seats):
        chips = row[_CHIPS + seat]
        own = _worth(points, chips) * 32 - _count(chips)
        ahead = 0
        for other in range(seats):
            chips = row[_CHIPS + other]
            key = _worth(points, chips) * 32 - _count(chips)
            ahead += (own > key) - (own < key)
        rewards[seat] = np.float32(ahead) / np.float32(seats - 1)


@njit(cache=True, error_model="numpy", nogil=True)
def _show(tables, row, seen, mask):  # type: ignore[no-untyped-def]
    """Write the observation and the mask of the seat to act; return that seat."""
    numbers, points, shares, dice, swaps = tables
    seats, phase, bluffer = numbers[0], row[_PHASE], row[_BLUFFER]
    own = row[_SEER] if phase == _ANSWER else bluffer
    for each in range(seen.shape[0]):
        seen[each] = 0
    seen[phase] = 1
    seen[_PHASES] = np.float32(row[_TURN] / numbers[7])
    at = _PHASES + 1
    seen[at + (bluffer - own + seats) % seats] = 1
    seen[at + seats] = 1
    at += 2 * seats
    if own == bluffer:
        for pips in range(PIPS):
            seen[at + pips] = dice[row[HEAD + pips]]
    at += PIPS
    if row[_KIND]:
        seen[at + row[_KIND] - 1] = 1
        seen[at + 2 + (row[_SEER] - own + seats) % seats] = 1
        seen[at + 2 + seats + row[_NUMBER]] = 1
    at += 2 + seats + KINDS
    if row[_BELIEVED]:
        seen[at + row[_BELIEVED] - 1] = 1
    at += 2
    for chip in range(KINDS):
        seen[at + chip] = (row[_CENTRE] >> chip) & 1
    at += KINDS
    for away in range(seats):
        chips = row[_CHIPS + (own + away) % seats]
        for chip in range(KINDS):
            seen[at + away * KINDS + chip] = (chips >> chip) & 1
        seen[at + seats * KINDS + away] = shares[_worth(points, chips)]
    seen[at + seats * (KINDS + 1)] = np.float32(row[_NO_WIN] / numbers[4])
    for each in range(mask.shape[0]):
        mask[each] = 0
    if phase == _ANSWER:
        mask[:STOP] = 1
    elif phase in (_GIVE, _TAKE):
        first = GIVE if phase == _GIVE else TAKE
        owed = row[_CHIPS + (bluffer if phase == _GIVE else row[_SEER])]
        for chip in range(KINDS):
            mask[first + chip] = (owed >> chip) & 1
    else:
        _show_ways(numbers, swaps, row, mask)
    return own


@njit(cache=True, error_model="numpy", nogil=True)
def _show_ways(numbers, swaps, row, mask):  # type: ignore[no-untyped-def]
    """Write what the bluffer may announce or swap (BY-7, 8, 12, 16 to 18, 22)."""
    seats, bluffer = numbers[0], row[_BLUFFER]
    locked = row[_NO_WIN] >= numbers[4]
    own = row[_CHIPS + bluffer]
    if row[_PHASE] == _SWAP_AGAIN:
        mask[STOP] = 1
    else:
        centre = _ALL if numbers[1] and not locked else row[_CENTRE]
        for away in range(seats - 1):
            theirs = row[_CHIPS + (bluffer + 1 + away) % seats]
            if own == 0 or locked:
                theirs = 0
            for chip in range(KINDS):
                mask[WIN + away * KINDS + chip] = (centre >> chip) & 1
                mask[numbers[5] + away * KINDS + chip] = (theirs >> chip) & 1
        if locked:
            return
    double = False
    for pips in range(PIPS):
        double |= row[HEAD + pips] > 1
    if double and _count(own) >= LEAST_OWNED:
        first = numbers[6]
        for each in range(swaps.shape[1]):
            mask[first + each] = _swaps(row, swaps[0, each], swaps[1, each])
