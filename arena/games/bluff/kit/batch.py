"""The rules of Bluff for batches of matches, compiled by numba; without the extension.

A uniform draw of the opener replaces the starting rolls (BL-4): by symmetry, every seat opens with
the same probability.
"""

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bluff.bets import FACES, OPENING, lowest_raises
from arena.games.bluff.kit.batch_rounds import (
    CHANCES,
    HEAD,
    SEATS,
    TURN,
    chance_to_win,
    new_match,
    new_round,
    pay,
    place_bet,
    settle_doubt,
)
from arena.games.bluff.kit.batch_views import show, show_legal
from arena.games.bluff.kit.encoding import BluffEncoding
from arena.games.encoding import EncodingError
from arena.lab.analysis.bluff.solved_play import chosen
from arena.learn.batch_rules import BatchRules, Rewards

_FACES: Final = len(FACES)


def batch_rules(encoding: BluffEncoding, rewards: Rewards) -> BatchRules:
    """Return the compiled rules of Bluff.

    Raises EncodingError for the extension, and for rewards by chances to win that are not known.
    """
    options, seats = encoding.game.options, encoding.seats
    if options.show_and_reroll:
        raise EncodingError("bluff in batches has no extension (show_and_reroll)")
    dice, most = options.dice_per_player, encoding.most
    capped = options.bet_cap == "dice_in_play"
    drawn_opener = options.start_mode == "roll"
    chances = rewards is Rewards.CHANCES
    numbers = np.array(
        [seats, dice, most, capped, drawn_opener, encoding.history, chances], np.int64
    )
    shares = np.arange(dice + 1) / dice
    rounds = np.arange(seats * dice + 1) / (seats * dice)
    return BatchRules(
        width=HEAD + seats * (2 + _FACES) + (encoding.actions if encoding.history else 0),
        tables=(
            numbers,
            shares.astype(np.float32),
            rounds.astype(np.float32),
            _said(encoding),
            _legal(encoding),
            _chances(encoding) if chances else np.zeros((1, 1), np.float32),
        ),
        begin=_begin,
        step=_step,
        hands=lambda state: _hands(state, seats),
    )


def _hands(state: NDArray[np.int32], seats: int) -> NDArray[np.uint8]:
    """Return the hidden dice by match, seat and face."""
    start = HEAD + 2 * seats
    return state[:, start : start + seats * _FACES].reshape(-1, seats, _FACES).astype(np.uint8)


def _said(encoding: BluffEncoding) -> NDArray[np.float32]:
    """Return the fields `quantity` and `face` of each standing bet, by its id; 0 without one."""
    said = np.zeros((encoding.actions, 1 + _FACES), np.float32)
    for standing in range(1, encoding.actions):
        fewer, face = divmod(standing - 1, _FACES)
        said[standing, 0] = (fewer + 1) / encoding.most
        said[standing, 1 + face] = 1
    return said


def _chances(encoding: BluffEncoding) -> NDArray[np.float32]:
    """Return the opener's chance to win under solved play, by its dice and the other seat's."""
    options, dice = encoding.game.options, encoding.game.options.dice_per_player
    solved, states = chosen(), range(1, dice + 1)
    if (
        encoding.seats != 2
        or options.bet_cap != "dice_in_play"
        or solved is None
        or any((opener, other) not in solved.values for opener in states for other in states)
    ):
        raise EncodingError(
            "rewards by chances to win need bluff at two seats, bet_cap=dice_in_play, at most five "
            "dice per player, and the installed sample bots"
        )
    found = np.zeros((dice + 1, dice + 1), np.float32)
    found[0, :], found[:, 0] = 0, 1
    for opener in states:
        for other in states:
            found[opener, other] = solved.values[opener, other]
    return found


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
    numbers, shares, rounds, said, legal, _ = tables
    for i in range(state.shape[0]):
        row = state[i]
        new_match(numbers, row, random, i)
        show(numbers, shares, rounds, said, row, observations[i])
        show_legal(numbers, legal, row, masks[i])
        seats[i] = row[TURN]
        rewards[i] = 0
        done[i] = False


@njit(cache=True, error_model="numpy", nogil=True)
def _step(  # type: ignore[no-untyped-def]
    tables, actions, state, random, observations, masks, seats, rewards, done
):
    """Apply an action in every row; see BatchRules."""
    numbers, shares, rounds, said, legal, chances = tables
    for i in range(state.shape[0]):
        row, action = state[i], actions[i]
        rewards[i] = 0
        done[i] = False
        if action < 0:
            continue
        if action == 0:
            chance = chance_to_win(chances, row) if numbers[CHANCES] else np.float32(0)
            over = settle_doubt(numbers[SEATS], row)
            if numbers[CHANCES]:
                rewards[i, 0] = 2 * (chance_to_win(chances, row) - chance)
                rewards[i, 1] = -rewards[i, 0]
            elif over:
                pay(numbers[SEATS], row, rewards[i])
            if over:
                done[i] = True
                new_match(numbers, row, random, i)
            else:
                new_round(numbers, row, random, i)
        else:
            place_bet(numbers, row, action)
        show(numbers, shares, rounds, said, row, observations[i])
        show_legal(numbers, legal, row, masks[i])
        seats[i] = row[TURN]
