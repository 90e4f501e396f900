"""The luck of rolls at larger tables: zero on average, and most of what decides a match."""

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.games import make_game
from arena.games.game import AnyGame
from arena.lab.analysis.aivat import DeclaredPlay
from arena.lab.analysis.bluff.round_luck import round_luck
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.rating.luck import luck_adjusted


def play_of(bot: str, game: AnyGame, seats: int) -> DeclaredPlay:
    found = declared_play(load_bot(bot), game, seats)
    assert found is not None
    return found


def rows(
    bots: list[str], assumed: list[str], matches: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Results and luck of the first bot, with the play that is assumed of each."""
    game = make_game("bluff", {"dice_per_player": 2})
    plays = [play_of(bot, game, len(bots)) for bot in assumed]
    contenders = [Contender(f"{bot} {at}", load_bot(bot)) for at, bot in enumerate(bots)]
    results, lucks, random = [], [], np.random.default_rng(5)
    for played in play_series(game, contenders, matches, "rounds"):
        seat = played.contenders.index(0)
        by_seat = [plays[at] for at in played.contenders]
        results.append(float(played.result.placing[seat] == 1))
        lucks.append(round_luck(played.transcript, seat, by_seat, random, 4))
    return np.array(results), np.array(lucks)


@pytest.mark.system  # computes for long
@pytest.mark.slow
def test_it_leaves_less_than_half_the_variance_at_four_seats() -> None:
    results, lucks = rows(["bayes"] * 4, ["bayes"] * 4, 150)
    assert luck_adjusted(results, lucks).variance_factor < 0.5


@pytest.mark.slow
def test_it_is_zero_on_average_whatever_play_is_assumed() -> None:
    _, lucks = rows(["timid", "honest", "bayes"], ["bayes", "timid", "honest"], 200)
    assert lucks.std() > 0.05
    assert abs(lucks.mean()) < 3.5 * lucks.std() / np.sqrt(len(lucks))
