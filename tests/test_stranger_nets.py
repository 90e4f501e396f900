"""The strangers that are nets: their files, their play, and the loss that each was trained for."""

import numpy as np
import pytest

from arena.games import make_game
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from benchmarks.strangers_load.nets import LOSSES, file_of, net
from benchmarks.strangers_load.training import Learner


@pytest.mark.parametrize("dice", [1, 5])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_net_plays_its_matches_without_a_fault(loss: str, dice: int) -> None:
    contenders = [Contender("net", net(loss)), Contender("honest", load_bot("honest"))]
    game = make_game("bluff", {"dice_per_player": dice})
    for played in play_series(game, contenders, 10, "nets"):
        assert played.refused == ()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_net_is_a_small_file(loss: str) -> None:
    assert file_of(loss).stat().st_size < 100_000


def test_the_round_only_loss_pays_each_round_alone_and_alike() -> None:
    _, _, _, taken, _, rewards, ends = Learner("round", seed=1).play()
    assert np.array_equal(ends, taken == 0)
    assert set(np.unique(rewards[ends])) == {-1, 1}
    assert not rewards[~ends].any()


def test_the_loss_of_the_match_pays_its_end_alone() -> None:
    _, _, _, taken, _, rewards, ends = Learner("match", seed=1).play()
    assert 0 < ends.sum() < (taken == 0).sum()
    assert set(np.unique(rewards[ends])) == {-1, 1}
    assert not rewards[~ends].any()
