"""The rules of Bluff You! for batches of matches, compiled by numba."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bluff_you.kit.batch_turns import BLUFFER, HEAD, OWNED, SEATS, apply, new_match, pay
from arena.games.bluff_you.kit.batch_views import show
from arena.games.bluff_you.kit.encoding import BluffYouEncoding
from arena.games.bluff_you.legality import Legality
from arena.games.bluff_you.values import DICE, LOWEST_CHIP, PIPS
from arena.games.encoding import EncodingError
from arena.learn.batch_rules import BatchRules, Rewards


def batch_rules(encoding: BluffYouEncoding, rewards: Rewards) -> BatchRules:
    """Return the compiled rules of Bluff You!; all options are supported.

    Raises EncodingError for rewards other than by placing.
    """
    if rewards is not Rewards.PLACING:
        raise EncodingError("bluff_you in batches has rewards by placing only")
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
        width=OWNED + seats,
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
    hands[np.arange(len(state)), state[:, BLUFFER]] = state[:, HEAD:OWNED]
    return hands


@njit(cache=True, error_model="numpy", nogil=True)
def _begin(  # type: ignore[no-untyped-def]
    tables, state, random, observations, masks, seats, rewards, done
):
    for i in range(state.shape[0]):
        new_match(state[i], random, i)
        seats[i] = show(tables, state[i], observations[i], masks[i])
        rewards[i] = 0
        done[i] = False


@njit(cache=True, error_model="numpy", nogil=True)
def _step(  # type: ignore[no-untyped-def]
    tables, actions, state, random, observations, masks, seats, rewards, done
):
    """Apply an action in every row; see BatchRules."""
    numbers, points = tables[0], tables[1]
    for i in range(state.shape[0]):
        row, action = state[i], actions[i]
        rewards[i] = 0
        done[i] = False
        if action < 0:
            continue
        if apply(tables, row, action, random, i):
            pay(numbers[SEATS], points, row, rewards[i])
            done[i] = True
            new_match(row, random, i)
        seats[i] = show(tables, row, observations[i], masks[i])
