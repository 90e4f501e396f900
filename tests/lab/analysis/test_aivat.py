"""AIVAT: the expectation of the result, exactly, with less variance."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.bot import Bot, Turn
from arena.games import make_game
from arena.games.bluff import Bet, BluffView, Doubt
from arena.lab.analysis.bluff.pair_values import SETS
from arena.local.in_process import Contender, Seed, play_match, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import MODELS
from arena.rating.luck import luck_adjusted
from tests.lab.analysis.one_die import aivat, declared, every_match, fitted, stranger, values
from tests.thoroughness import thorough


def test_as_many_sets_of_values_as_are_told_estimate() -> None:
    assert {len(values().of(model)) for model in (None, *MODELS.values())} == {SETS}


@cache
def all_estimates(known_bot: str, known: int) -> NDArray[np.float64]:
    """Probability, result and estimates of every match with one die each: [match, 2 + v]."""
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared(known_bot, game), stranger
    estimator, more = aivat(known_bot, game), fitted(known_bot, "stranger")[0]
    return np.array(
        [
            (chance, one.result.placing[known] == 1, *estimator.estimates(one, known, more))
            for chance, one in every_match(game, policies if known == 0 else policies[::-1])
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize("bot", ["cfr", "bayes", "honest"])
def test_its_mean_over_all_matches_is_that_of_the_results(bot: str, known: int) -> None:
    chances, results, *estimates = all_estimates(bot, known).T
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert len(estimates) == SETS + 1
    for each in estimates:
        assert chances @ each == pytest.approx(chances @ results, abs=1e-9)


@pytest.mark.parametrize("other", ["bayes", "honest"])
def test_it_varies_a_fifth_as_much_against_near_equilibrium_play(other: str) -> None:
    game, results, estimates = make_game("bluff", {"dice_per_player": 2}), [], []
    contenders = [Contender(name, load_bot(name)) for name in ("cfr", other)]
    estimator = aivat("cfr", game)
    for played in play_series(game, contenders, 200, "variance"):
        seat = played.contenders.index(0)
        results.append(played.result.placing[seat] == 1)
        estimates.append(estimator.estimates(played.transcript, seat)[0])
    assert np.var(estimates) < 0.2 * np.var(results)


@pytest.mark.slow
def test_intervals_of_its_means_cover_the_truth_in_a_thousand_leagues() -> None:
    chances, results, estimates = all_estimates("cfr", 0)[:, :3].T
    drawn = np.random.default_rng(7).choice(len(chances), (1000, 400), p=chances / chances.sum())
    found = estimates[drawn]
    means, errors = found.mean(1), found.std(1, ddof=1) / np.sqrt(found.shape[1])
    truth = chances @ results
    covered = np.mean(np.abs(means - truth) <= 1.96 * errors)
    assert 0.93 <= covered <= 0.97
    assert abs(means.mean() - truth) < 3 * means.std() / np.sqrt(1000)


@pytest.mark.parametrize("bot", ["cfr", "bayes", "honest"])
def test_so_do_those_of_results_regressed_on_the_luck_it_finds(bot: str) -> None:
    chances, results, *estimates = all_estimates(bot, 0).T
    luck = results[:, None] - np.transpose(estimates)
    drawn = np.random.default_rng(8).choice(len(chances), (1000, 400), p=chances / chances.sum())
    found = [luck_adjusted(results[one], luck[one]) for one in drawn]
    means = np.array([one.adjusted for one in found])
    errors = np.array([one.adjusted_se for one in found])
    truth = chances @ results
    assert 0.93 <= np.mean(np.abs(means - truth) <= 1.96 * errors) <= 0.97
    # The regression is biased by a part of an error, of order 1/n. The mean of 1,000 leagues has an
    # error of a thirtieth of one's.
    assert abs(means.mean() - truth) < 0.15 * means.std()


@pytest.mark.slow
@pytest.mark.parametrize(
    "bots", [("cfr", "honest"), thorough(("bayes", "cfr")), ("honest", "timid")], ids=str
)
def test_it_has_the_mean_of_the_results_in_matches_of_many_rounds(bots: tuple[str, str]) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    estimator = aivat(bots[0], game)
    contenders = [Contender(name, load_bot(name)) for name in bots]
    gaps = []
    for played in play_series(game, contenders, 800, "aivat"):
        seat = played.contenders.index(0)
        estimates = estimator.estimates(played.transcript, seat)
        gaps.append(estimates - (played.result.placing[seat] == 1))
    assert np.all(np.abs(np.mean(gaps, 0)) < 3.5 * np.std(gaps, 0) / np.sqrt(len(gaps)))


def test_so_has_it_for_both_seats_where_both_declare_their_play() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    bots = "cfr", "bayes"
    estimators, more = [aivat(bot, game) for bot in bots], fitted(*bots)
    rows = [
        (
            chance,
            one.result.placing[0] == 1,
            *estimators[0].estimates(one, 0, more[0]),
            *(1 - estimators[1].estimates(one, 1, more[1])),
        )
        for chance, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
    ]
    chances, results, *estimates = np.array(rows).T
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert len(estimates) == 2 * (SETS + 1)
    for each in estimates:
        assert chances @ each == pytest.approx(chances @ results, abs=1e-9)


@pytest.mark.slow
def test_a_match_that_the_other_seat_forfeits_counts_as_its_result() -> None:
    class Silent(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            raise RuntimeError

    game = make_game("bluff")
    estimator = aivat("cfr", game)
    estimates = []
    for number in range(200):
        contenders = [Contender("cfr", load_bot("cfr")), Contender("silent", Silent)]
        transcript, _ = play_match(game, contenders, Seed("forfeits"), number)
        # Some matches are lost by the rules before the third fault.
        estimates.append(
            estimator.estimates(transcript, 0)[0] - (transcript.result.placing[0] == 1)
        )
    assert abs(np.mean(estimates)) < 3.5 * np.std(estimates) / np.sqrt(len(estimates))


@pytest.mark.parametrize(
    ("options", "seats", "covered"),
    [
        ({}, 2, True),
        ({"dice_per_player": 1}, 2, True),
        ({"start_mode": "seat"}, 2, True),
        ({"dice_per_player": 6}, 2, False),
        ({"show_and_reroll": True}, 2, False),
        ({"bet_cap": "table"}, 2, False),
        ({}, 3, False),
    ],
)
def test_it_covers_what_the_tables_know(options: dict[str, Any], seats: int, covered: bool) -> None:
    game = make_game("bluff", options)
    assert aivat("cfr", make_game("bluff")).covers(game, seats) is covered


def test_it_covers_no_other_game() -> None:
    assert not aivat("cfr", make_game("bluff")).covers(make_game("bloeff"), 2)
