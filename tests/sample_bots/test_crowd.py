"""The bot `crowd`: its net sees in play what it saw in training."""

import numpy as np
import pytest

from arena.games.bluff import Bet, BluffView, Doubt, Face, PlacedBet
from arena.games.bluff.bets import FACES
from arena.games.bluff.kit.batch_rounds import HEAD, IN_PLAY, OPENER, TURN
from arena.learn.draws import streams
from arena_sample_bots import crowd
from arena_sample_bots.bayes import best_actions
from tools.crowd.rounds import act, begin
from tools.crowd.sight import BETS, CANDIDATES, FEATURES, HANDS, LOWEST, MOST, ROW, SEATS, look
from tools.crowd.training import Training

pytestmark = pytest.mark.slow

MATCHES = 16


@pytest.mark.system  # computes for long
def test_the_net_sees_in_play_what_it_saw_in_training() -> None:
    random, state = np.random.default_rng(3), np.zeros((MATCHES, ROW), np.int32)
    seats = random.integers(3, SEATS + 1, MATCHES)
    begin(state, streams(5, MATCHES), np.ones(MATCHES, np.bool_), seats)
    active = np.arange(MATCHES)
    while len(active):
        taken = []
        for match in active:
            ids = np.zeros(CANDIDATES, np.int32)
            seen, worth = np.zeros((CANDIDATES, FEATURES), np.float32), np.zeros(CANDIDATES)
            look(state[match], ids, seen, worth)
            view = view_of(state[match])
            assert view.seat is not None
            actions, rows = crowd.look(view, view.seat)
            order = [list(ids).index(number_of(action)) for action in actions]
            assert len(order) == (ids >= 0).sum()
            assert np.allclose(seen[order], rows, atol=1e-5)
            best = {ids[at] for at in order if worth[at] > worth[order].max() - 1e-9}
            assert {number_of(action) for action in best_actions(view, view.seat)} <= best
            taken.append(random.choice(sorted(best) + list(ids[order][:2])))
        active = active[: act(state, active, np.array(taken))]


def test_the_same_seed_trains_the_same_net() -> None:
    trainings = [Training(32, seed=7) for _ in range(2)]
    for training in trainings:
        before = [weight.copy() for weight in training.mean]
        assert training.update() > 32
        assert not np.array_equal(before[0], training.mean[0])
    one, other = trainings
    for weight, same in zip(one.mean, other.mean, strict=True):
        assert np.array_equal(weight, same)


def test_the_net_is_a_small_file() -> None:
    assert crowd.NET.stat().st_size < 5_000_000


def number_of(action: Bet | Doubt) -> int:
    """Return the id of an action."""
    return 0 if isinstance(action, Doubt) else 6 * (action.quantity - 1) + action.face


def view_of(row: np.ndarray) -> BluffView:
    """Return the view of the seat to act in a compiled match."""
    seat, total = int(row[TURN]), int(row[IN_PLAY])
    counts = tuple(int(dice) for dice in row[HEAD : HEAD + SEATS])
    hand = row[HANDS + 6 * seat :][:6]
    bets = [
        PlacedBet(int(row[BETS + number]) - 1, Bet((number - 1) // 6 + 1, FACES[(number - 1) % 6]))
        for number in range(1, 1 + 6 * MOST)
        if row[BETS + number]
    ]
    bets.sort(
        key=lambda placed: (
            4 * placed.bet.quantity - 1 if placed.bet.face == 6 else 2 * placed.bet.quantity,
            placed.bet.face,
        )
    )
    standing = number_of(bets[-1].bet) if bets else 0
    return BluffView(
        seat=seat,
        round=1,
        opener=int(row[OPENER]),
        to_act=seat,
        hidden_dice=tuple(face for face in Face for _ in range(hand[face - 1])),
        face_up=((),) * SEATS,
        dice_counts=counts,
        graveyard=SEATS * 5 - total,
        bets=tuple(bets),
        lowest=tuple(int(quantity) for quantity in LOWEST[standing]),
        highest=total,
        can_doubt=bool(bets),
    )
