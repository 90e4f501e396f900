"""The fit against a textbook's table, another library, and its own laws."""

import math

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import (
    WIDEST_PRIOR,
    Anchor,
    fit,
    hessian,
    maximise,
    prior_precision,
)
from arena.rating.elo import ELO_PER_NAT, win_probabilities
from arena.rating.errors import AnchorError, RatingError, UnboundedRatingError
from arena.rating.methods import ScoreRule
from arena.rating.results import MatchResult, Results
from tests.rating.leagues import matches_strategy, random_results

# Agresti, Categorical Data Analysis (1990), table 10.10: the American League East of 1987, 13
# games per pair, wins of the row's team over the column's. The fitted abilities (Baltimore = 0)
# are those printed there and in the manual of R's BradleyTerry2 ("baseball").
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
ABILITIES = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)


def duels(teams: tuple[str, ...], wins: np.ndarray) -> Results[str]:
    winners, losers = np.nonzero(wins)
    log: Results[str] = Results()
    for i, j in zip(winners.tolist(), losers.tolist(), strict=True):
        for game in range(int(wins[i, j])):
            log.append(MatchResult((i, j, game), ((teams[i], 1), (teams[j], 2))))
    return log


def test_the_american_league_of_1987_has_the_printed_abilities() -> None:
    fitted = fit(Aggregate.of(duels(TEAMS, WINS)), prior_sd=None, anchor=Anchor("Baltimore", 0.0))
    nats = [fitted.ratings()[team] / ELO_PER_NAT for team in TEAMS]
    assert nats == pytest.approx(ABILITIES, abs=5e-5)


def test_without_prior_and_ties_the_fit_is_that_of_choix() -> None:
    pairs = [(i, j) for i in range(7) for j in range(7) for _ in range(WINS[i, j])]
    theirs = choix.ilsr_pairwise(7, pairs, alpha=0.0, tol=1e-12)
    ours, _ = maximise(WINS.astype(float), prior_sd=None)
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-7)


def test_with_a_gaussian_prior_the_fit_is_that_of_choix() -> None:
    # choix penalises alpha * |theta|^2; ours is |theta|^2 / (2 tau^2).
    pairs = [(i, j) for i in range(7) for j in range(7) for _ in range(WINS[i, j])]
    alpha = 0.5 * (ELO_PER_NAT / 120.0) ** 2
    theirs = choix.opt_pairwise(7, pairs, alpha=alpha, method="Newton-CG", tol=1e-12)
    ours, _ = maximise(WINS.astype(float), prior_sd=120.0)
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_two_bots_without_prior_stand_at_the_logit_of_their_score() -> None:
    log = Results.of_rows(
        (n, None, [("A", 1), ("B", place)]) for n, place in enumerate([2, 2, 2, 1, 1])
    )
    log.append(MatchResult("last", (("A", 2), ("B", 1))))  # A: 3 wins, 2 ties, 1 loss: 4 of 6
    fitted = fit(Aggregate.of(log), prior_sd=None)
    assert fitted.ratings()["A"] - fitted.ratings()["B"] == pytest.approx(400 * math.log10(2))


def test_the_prior_is_the_stated_gaussian() -> None:
    # One win: theta = d/2, and 1 - p(d) = (d/2) / tau^2 at the maximum.
    fitted = fit(Aggregate.of(Results.of_rows([("m", None, [("A", 1), ("B", 2)])])))
    half = fitted.ratings()["A"] / ELO_PER_NAT
    assert 1 / (1 + math.exp(2 * half)) == pytest.approx(half / (350 / ELO_PER_NAT) ** 2)


def test_an_anchor_moves_the_zero_and_no_difference() -> None:
    aggregate = Aggregate.of(random_results(np.random.default_rng(1), bots=6, matches=40))
    free, anchored = fit(aggregate), fit(aggregate, anchor=Anchor(3, 1500.0))
    assert free.elo.mean() == pytest.approx(0.0, abs=1e-9)
    assert anchored.ratings()[3] == 1500.0
    assert anchored.elo - free.elo == pytest.approx(1500.0 - free.ratings()[3])


def test_perfect_scores_and_separate_pools_are_finite_under_the_prior_only() -> None:
    log = Results.of_rows(
        [("1", None, [("A", 1), ("B", 2)]), ("2", None, [("C", 1), ("D", 1)])],
    )
    fitted = fit(Aggregate.of(log))
    assert np.isfinite(fitted.elo).all()
    assert fitted.ratings()["C"] == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(UnboundedRatingError) as refusal:
        fit(Aggregate.of(log), prior_sd=None)
    assert set(refusal.value.bots) == {"A", "B"}
    assert "A" in str(refusal.value)


def test_what_cannot_be_fitted_is_refused() -> None:
    log = Results.of_rows([("1", None, [("A", 1), ("B", 2)])])
    with pytest.raises(AnchorError, match="Z"):
        fit(Aggregate.of(log), anchor=Anchor("Z"))
    for elo in (1e15, -1e300, math.inf, math.nan):  # intervals would lose their digits in silence
        with pytest.raises(AnchorError, match="from -10,000,000 to 10,000,000"):
            fit(Aggregate.of(log), anchor=Anchor("A", elo))
    with pytest.raises(RatingError, match="no matches"):
        fit(Aggregate.of(Results[str]()))
    for prior_sd in (0.0, 1e5 + 1):
        with pytest.raises(RatingError, match="from 1 to 100,000 Elo"):
            fit(Aggregate.of(log), prior_sd=prior_sd)


@pytest.mark.parametrize("wins", [1, 200, 1_000_000])
def test_perfect_scores_are_fitted_under_the_widest_prior(wins: int) -> None:
    score = np.array([[0.0, wins], [0.0, 0.0]])
    theta, _ = maximise(score, prior_sd=WIDEST_PRIOR)
    # The slope of the likelihood is that of the prior.
    lost = wins / (1 + math.exp(theta[0] - theta[1]))
    assert lost == pytest.approx(prior_precision(WIDEST_PRIOR) * theta[0], rel=1e-4)


@given(matches_strategy(), st.randoms(use_true_random=False), st.sampled_from(ScoreRule))
def test_the_order_of_the_log_does_not_matter(
    matches: list[MatchResult[str]], shuffler: object, rule: ScoreRule
) -> None:
    straight = fit(Aggregate.of(Results(matches), rule)).ratings()
    shuffler.shuffle(matches)  # type: ignore[attr-defined]
    assert fit(Aggregate.of(Results(matches), rule)).ratings() == pytest.approx(straight, abs=1e-9)


@given(matches_strategy(), matches_strategy(prefix="other"), st.sampled_from(ScoreRule))
def test_adding_and_removing_ends_where_recomputing_does(
    matches: list[MatchResult[str]], voided: list[MatchResult[str]], rule: ScoreRule
) -> None:
    running = Aggregate[str](rule)
    start: dict[str, float] = {}
    for match in [*voided, *matches]:
        running.add(match)
        start = fit(running, start=start).nats()
    for match in voided:
        running.remove(match)
    whole = fit(Aggregate.of(Results(matches), rule)).ratings()
    assert fit(running, start=start).ratings() == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("rule", ScoreRule)
def test_matches_that_come_one_by_one_count_as_they_do_all_at_once(rule: ScoreRule) -> None:
    results = random_results(np.random.default_rng(3), bots=5, matches=40, seats=(2, 3, 4, 5))
    running, whole = Aggregate(rule, results.bots), Aggregate.of(results, rule)
    for match in results.matches():
        running.add(match)
    assert whole.ties.any()
    assert (running.wins == whole.wins).all()
    assert (running.ties == whole.ties).all()
    assert (running.matches == whole.matches).all()


def test_at_two_seats_both_score_rules_agree() -> None:
    results = random_results(np.random.default_rng(2), bots=5, matches=60, seats=(2,))
    placement, winner = (fit(Aggregate.of(results, rule)) for rule in ScoreRule)
    assert (placement.elo == winner.elo).all()


def test_only_first_place_counts_under_the_winner_rule() -> None:
    rows = [("m", None, [("A", 1), ("B", 1), ("C", 3), ("D", 4)])]
    counted = Aggregate.of(Results.of_rows(rows), ScoreRule.WINNER)
    assert counted.wins.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert counted.ties.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_a_far_start_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        count = int(rng.integers(2, 10))
        score = rng.poisson(10 ** rng.uniform(0, 5), (count, count)).astype(float)
        np.fill_diagonal(score, 0.0)
        for prior_sd in (350.0, None):
            near, _ = maximise(score + 1 - np.eye(count), prior_sd=prior_sd)
            far, _ = maximise(
                score + 1 - np.eye(count), prior_sd=prior_sd, start=rng.normal(0, 5, count)
            )
            assert far == pytest.approx(near, abs=1e-9)


@pytest.mark.parametrize("prior_sd", [350.0, None])
@pytest.mark.parametrize("reach", [1, 3, 299], ids=["a chain", "near", "all"])
def test_many_bots_are_fitted_as_few_are_whoever_met_whom(
    reach: int, prior_sd: float | None
) -> None:
    """In a chain one end hardly tells of the other: the slowest case of iterating."""
    rng = np.random.default_rng(4)
    count = 300
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    score = rng.poisson(5.0, (count, count)) * (apart <= reach) + (apart == 1.0)
    np.fill_diagonal(score, 0.0)
    theta, _ = maximise(score, prior_sd=prior_sd)
    precision = prior_precision(prior_sd)
    pairs, chances = score + score.T, win_probabilities(theta)
    gradient = (score - pairs * chances).sum(axis=1) - precision * theta
    curvature = hessian(pairs, chances, precision) + (precision == 0.0)
    assert np.linalg.solve(curvature, gradient) == pytest.approx(np.zeros(count), abs=1e-11)
    again, steps = maximise(score, prior_sd=prior_sd, start=theta)
    assert steps == 1
    assert again == pytest.approx(theta, abs=1e-12)
