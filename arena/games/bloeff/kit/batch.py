"""The rules of Blöff for batches of matches, compiled by numba.

Sealed ballots are asked for one after the other, in seat order; no observation shows which of them
have been given.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.games.bloeff.deck import CARD_TOTAL
from arena.games.bloeff.kit.batch_layout import (
    BALLOTING,
    FEWEST_CARDS,
    HANDS,
    KINDS,
    SEATS,
    WIDTH,
    numbers,
)
from arena.games.bloeff.kit.batch_turns import ballot, hand_size, new_match, play
from arena.games.bloeff.kit.batch_views import asked, show
from arena.games.bloeff.kit.encoding import CARDS, BloeffEncoding
from arena.games.bloeff.values import LOWEST_VALUE
from arena.games.encoding import EncodingError
from arena.learn.batch_rules import BatchRules, Rewards


def batch_rules(encoding: BloeffEncoding, rewards: Rewards) -> BatchRules:
    """Return the compiled rules of Blöff; all options are supported.

    Raises EncodingError for rewards other than by placing.
    """
    if rewards is not Rewards.PLACING:
        raise EncodingError("bloeff in batches has rewards by placing only")
    options, seats = encoding.game.options, encoding.seats
    layout, size = numbers(encoding), len(encoding.deck)
    blue = {row.card for row in options.deck if row.class_ == "number" and row.colour == "blue"}
    points = [options.points_blue if card in blue else options.points_other for card in CARDS]
    counts = np.arange(size + 1, dtype=np.float32)
    return BatchRules(
        width=int(layout[WIDTH]),
        tables=(
            layout,
            np.array(options.limits, np.int64),
            np.array([card - LOWEST_VALUE for card in encoding.deck], np.int64),
            np.array(points, np.int64),
            (np.arange(size + 1) / size).astype(np.float32),
            counts[None, :] / encoding.of_kind[:, None],
        ),
        begin=_begin,
        step=_step,
        hands=lambda state: _hands(state, seats),
    )


def _hands(state: NDArray[np.int32], seats: int) -> NDArray[np.uint8]:
    """Return the cards in hand by match, seat and kind."""
    hands = state[:, HANDS : HANDS + seats * KINDS]
    return hands.reshape(-1, seats, KINDS).astype(np.uint8)


@njit(cache=True, error_model="numpy", nogil=True)
def _begin(  # type: ignore[no-untyped-def]
    tables, state, random, observations, masks, seats, rewards, done
):
    for i in range(state.shape[0]):
        new_match(tables[0], tables[2], state[i], random, i)
        seats[i] = show(tables, state[i], observations[i], masks[i])
        rewards[i] = 0
        done[i] = False


@njit(cache=True, error_model="numpy", nogil=True)
def _step(  # type: ignore[no-untyped-def]
    tables, actions, state, random, observations, masks, seats, rewards, done
):
    """Apply an action in every row; see BatchRules."""
    layout = tables[0]
    for i in range(state.shape[0]):
        row, action = state[i], actions[i]
        rewards[i] = 0
        done[i] = False
        if action < 0:
            continue
        if row[BALLOTING]:
            over = ballot(layout, row, asked(layout, row), action == 1, random, i)
        else:
            over = play(layout, tables[1], row, action, random, i)
        if over:
            _pay(layout, tables[3], row, rewards[i])
            done[i] = True
            new_match(layout, tables[2], row, random, i)
        seats[i] = show(tables, row, observations[i], masks[i])


@njit(cache=True, error_model="numpy", nogil=True)
def _key(layout, points, row, seat):  # type: ignore[no-untyped-def]
    """Return the ranking key of a seat; smaller is better (BO-24, BO-25)."""
    total = 0
    for kind in range(KINDS):
        total += points[kind] * row[HANDS + seat * KINDS + kind]
    return total * (CARD_TOTAL + 1) + (hand_size(row, seat) if layout[FEWEST_CARDS] else 0)


@njit(cache=True, error_model="numpy", nogil=True)
def _pay(layout, points, row, rewards):  # type: ignore[no-untyped-def]
    """Write the rewards by placing."""
    seats = layout[SEATS]
    for seat in range(seats):
        own, ahead = _key(layout, points, row, seat), 0
        for other in range(seats):
            key = _key(layout, points, row, other)
            if own != key:
                ahead += 1 if own < key else -1
        rewards[seat] = np.float32(ahead) / np.float32(seats - 1)
