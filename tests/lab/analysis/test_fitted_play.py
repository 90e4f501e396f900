"""Play fitted to decisions: what was seen is likely in it, and what is not legal impossible."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from arena.games import make_game
from arena.games.bluff.bets import track
from arena.lab.analysis.bluff.fitted_play import ChoiceModel, SeenDecision, decisions
from arena.lab.analysis.bluff.last_bet_play import LastBetPlay, Model, by_model, by_tables
from arena.lab.analysis.bluff.solved_play import chosen
from arena.lab.analysis.bluff.table import hands_of
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.faults import FaultKind
from arena.match.transcript import Transcript


@cache
def guides() -> tuple[LastBetPlay, ...]:
    found = chosen()
    assert found is not None
    return by_tables(found), by_model(Model.BAYES), by_model(Model.HONEST)


def matches(bot: str, count: int, seed: str) -> list[tuple[int, Transcript]]:
    game = make_game("bluff", {"dice_per_player": 2})
    contenders = [Contender(name, load_bot(name)) for name in (bot, "cfr")]
    return [
        (played.contenders.index(0), played.transcript)
        for played in play_series(game, contenders, count, seed)
    ]


@cache
def seen(bot: str, seed: str) -> tuple[SeenDecision, ...]:
    return tuple(each for seat, match in matches(bot, 40, seed) for each in decisions(match, seat))


def likelihood(play: LastBetPlay, of: Sequence[SeenDecision]) -> float:
    """Return the geometric mean of the probabilities of decisions."""
    chances = [play(each.dice, each.role)[each.place][each.action, each.hand] for each in of]
    return float(np.exp(np.mean(np.log(np.maximum(chances, 1e-3)))))


def test_decisions_are_a_seats_own_bets_and_doubts_with_what_it_held() -> None:
    ((seat, match),) = matches("honest", 1, "one")
    steps = [step for step in match.steps if step.actor == seat]
    found = list(decisions(match, seat))
    assert len(found) == len(steps) > 1
    for step, each in zip(steps, found, strict=True):
        bets = track(sum(each.dice))
        if each.action:
            assert bets[each.place + each.action - 1] == step.action
        assert each.hand < len(hands_of(each.dice[each.role]).dice)
    first = found[0]
    assert first.dice == (2, 2)
    assert (first.place == 0) == (first.role == 0)


def test_what_a_seat_did_not_choose_is_no_decision_of_it() -> None:
    ((seat, match),) = matches("honest", 1, "one")
    at = next(at for at, step in enumerate(match.steps) if step.actor == seat)
    whole = list(decisions(match, seat))
    for changed in ({"fault": FaultKind.LATE}, {"stand_in": True}):
        step = match.steps[at]._replace(**changed)
        other = replace(match, steps=(*match.steps[:at], step, *match.steps[at + 1 :]))
        assert list(decisions(other, seat)) == whole[1:]


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "least"), [("honest", 0.6), ("bayes", 0.5), ("timid", 0.1)])
def test_what_was_seen_of_a_bot_makes_its_other_decisions_likely(bot: str, least: float) -> None:
    other = seen(bot, "other")
    found = likelihood(ChoiceModel(guides()).fitted(seen(bot, "seen")), other)
    assert found > least
    assert found > 1.5 * likelihood(guides()[0], other)


def test_it_is_play_of_legal_actions() -> None:
    play = ChoiceModel(guides()).fitted(seen("honest", "seen"))
    for dice, role in (((2, 1), 0), ((2, 1), 1), ((1, 2), 0)):
        places = play(dice, role)
        assert len(places) == len(track(sum(dice))) + 1
        for place, shares in enumerate(places):
            assert shares.shape == (len(places) - place, len(hands_of(dice[role]).dice))
            assert shares.sum(0) == pytest.approx(1)
            assert shares.min() >= 0
        assert not places[0][0].any()  # there is nothing to doubt


def test_without_a_decision_all_actions_are_alike() -> None:
    first, second, *_ = ChoiceModel(guides()).fitted([])((1, 1), 0)
    bets = len(track(2))
    assert first[1:] == pytest.approx(np.full((bets, 6), 1 / bets))
    assert second == pytest.approx(np.full((bets, 6), 1 / bets))
