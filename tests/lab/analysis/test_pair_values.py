"""The values of places: a response knows what the declared play tells of hands."""

from itertools import product

import numpy as np
import pytest

from arena.games.bluff.bets import track
from arena.lab.analysis.bluff.last_bet_play import Model
from arena.local.match_luck import MODELS
from tests.lab.analysis.one_die import values


@pytest.mark.parametrize("opener", [0, 1])
@pytest.mark.parametrize("known", [None, *MODELS.values()], ids=str)
def test_nobody_does_better_against_the_known_seat_than_its_response(
    known: Model | None, opener: int
) -> None:
    for dice in ((1, 1), (2, 1), (2, 2)):
        *others, response = [each.round(dice, opener).before_roll for each in values().of(known)]
        sign = 1 if opener == 0 else -1
        assert sign * response < min(sign * other for other in others) + 0.005


def test_the_response_knows_hands_by_all_that_the_known_seat_did() -> None:
    *_, response = values().of(Model.HONEST)
    round_values, three = response.round((1, 1), 0), 2
    by_last_bet = round_values.after_actions(0, 0, 1, three)
    gains = []
    for bet, hand in product(range(1, len(track(2)) + 1), range(6)):
        play = np.zeros_like(by_last_bet)
        play[bet, hand] = 1.0
        answers = round_values.after_actions(bet, 1, 0, hand)[:, three]
        after = round_values.after_play(0, 0, three, play)[bet, hand]
        assert after == pytest.approx(answers.min(), abs=0.02)
        gains.append(by_last_bet[bet, hand] - after)
    assert max(gains) > 0.1
