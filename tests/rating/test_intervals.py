"""The errors: against the formula written out cluster by cluster, and what is derived from them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, Fit, fit, hessian
from arena.rating.elo import ELO_PER_NAT, Z_95, normal_cdf, win_probabilities
from arena.rating.flags import Flag, flags
from arena.rating.intervals import (
    _SMALL,
    Intervals,
    _positive_inverse,
    intervals,
    standard_errors,
)
from arena.rating.ladder import rate
from arena.rating.methods import Clusters, ScoreRule
from arena.rating.ranks import band_numbers, bands, ladder_order, rank_ranges
from arena.rating.results import MatchResult, Results
from arena.rating.support import Support
from tests.rating.leagues import matches_strategy, random_results
from tests.rating.test_bradley_terry import TEAMS, WINS, duels
from tests.thoroughness import tries


def written_out(fitted: Fit, results: Results, clusters: Clusters) -> np.ndarray:
    """Sigma in Elo squared, one pair at a time."""
    count = len(fitted.bots)
    index = {bot: i for i, bot in enumerate(fitted.bots)}
    scores: dict[object, np.ndarray] = {}
    precision = 0.0 if fitted.prior_sd is None else (ELO_PER_NAT / fitted.prior_sd) ** 2
    hessian = precision * np.eye(count)
    for match in results.matches():
        for a, (bot, placing) in enumerate(match.seats):
            for other, placed in match.seats[a + 1 :]:
                if fitted.rule is ScoreRule.WINNER and min(placing, placed) > 1:
                    continue
                i, j = index[bot], index[other]
                p = 1 / (1 + math.exp(fitted.theta[j] - fitted.theta[i]))
                points = 1.0 if placing < placed else 0.5 if placing == placed else 0.0
                cluster: object = ("match", match.match)
                if clusters is Clusters.BLOCK and match.block is not None:
                    cluster = ("block", match.block)
                if clusters is Clusters.PAIR:
                    cluster = (match.match, bot, other)
                u = scores.setdefault(cluster, np.zeros(count))
                u[i] += points - p
                u[j] -= points - p
                unit = np.zeros(count)
                unit[i], unit[j] = 1, -1
                hessian += p * (1 - p) * np.outer(unit, unit)
    bread = np.linalg.pinv(hessian, rcond=1e-10, hermitian=True)
    middle = sum((np.outer(u, u) for u in scores.values()), np.zeros((count, count)))
    return ELO_PER_NAT**2 * bread @ middle @ bread


@settings(max_examples=tries(60, quick=15), deadline=None)
@given(matches_strategy(), st.sampled_from(Clusters), st.sampled_from(ScoreRule))
def test_the_covariance_is_the_formula_written_out(
    matches: list[MatchResult[str]], clusters: Clusters, rule: ScoreRule
) -> None:
    log = Results(matches)
    fitted = fit(Aggregate.of(log, rule))
    expected = written_out(fitted, log, clusters)
    assert intervals(fitted, log, clusters).covariance == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("clusters", Clusters)
@pytest.mark.parametrize(("bots", "block"), [(7, 4), (60, None), (60, 3)])
def test_large_and_small_pools_take_the_same_formula(
    bots: int, block: int | None, clusters: Clusters
) -> None:
    log = random_results(np.random.default_rng(4), bots=bots, matches=400, block=block)
    fitted = fit(Aggregate.of(log), prior_sd=350.0)
    expected = written_out(fitted, log, clusters)
    assert intervals(fitted, log, clusters).covariance == pytest.approx(expected, rel=1e-7)


def test_without_a_prior_errors_are_those_of_the_pseudo_inverse() -> None:
    log = random_results(np.random.default_rng(5), bots=6, matches=200, block=4)
    fitted = fit(Aggregate.of(log), prior_sd=None)
    measured = intervals(fitted, log)
    assert measured.covariance == pytest.approx(written_out(fitted, log, Clusters.BLOCK), rel=1e-7)
    assert measured.covariance.sum(axis=1) == pytest.approx(np.zeros(6), abs=1e-6)


def test_the_american_league_of_1987_has_the_printed_standard_errors() -> None:
    # R's BradleyTerry2, data "baseball": standard errors of the differences to Baltimore. They are
    # the inverse curvature's, as if all pairs were independent games.
    printed = (0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319)
    fitted = fit(Aggregate.of(duels(TEAMS, WINS)), prior_sd=None)
    covariance = np.linalg.pinv(hessian(fitted.pairs, win_probabilities(fitted.theta), 0.0))
    own = np.diag(covariance)
    place = [fitted.bots.index(team) for team in TEAMS]
    last = place[-1]
    errors = np.sqrt(own + own[last] - 2 * covariance[last])
    assert errors[place[:-1]] == pytest.approx(printed, abs=6e-5)


def test_two_equal_bots_have_the_error_of_a_coin() -> None:
    # n independent games at p = 1/2: SE of the logit is 2 / sqrt(n).
    rows = [(n, None, [("A", 1 + n % 2), ("B", 2 - n % 2)]) for n in range(400)]
    log = Results.of_rows(rows)
    measured = intervals(fit(Aggregate.of(log), prior_sd=None), log)
    assert measured.difference_se[0, 1] == pytest.approx(ELO_PER_NAT * 2 / 20)
    assert measured.los[0, 1] == pytest.approx(0.5)


def test_pairs_of_one_match_taken_for_independent_make_errors_half_again_too_small() -> None:
    log = random_results(
        np.random.default_rng(6), bots=30, matches=20_000, seats=(6,), spread=0.0, grain=0.0
    )
    fitted = fit(Aggregate.of(log))
    ratio = intervals(fitted, log).se / intervals(fitted, log, Clusters.PAIR).se
    # Untied and equal at n seats: variance of a mean placing against that of n - 1 coins is
    # ((n + 1) / 3) : 1 per pair of a seat, sqrt(7 / 3) = 1.53 at six seats.
    assert ratio.mean() == pytest.approx(math.sqrt(7 / 3), rel=0.01)


def test_with_an_anchor_errors_are_those_of_differences() -> None:
    log = random_results(np.random.default_rng(7), bots=6, matches=100, block=4)
    free = rate(log)
    anchored = rate(log, anchor=Anchor(2, 1500.0))
    errors = {rating.bot: rating.se for rating in anchored.ratings}
    assert errors[2] == 0.0
    index = free.intervals.fit.bots.index
    for bot, se in errors.items():
        assert se == pytest.approx(free.intervals.difference_se[index(bot), index(2)])
    ranks = {rating.bot: (rating.rank_low, rating.rank_high) for rating in anchored.ratings}
    assert ranks == {rating.bot: (rating.rank_low, rating.rank_high) for rating in free.ratings}


@pytest.mark.slow
@pytest.mark.parametrize("anchor", [None, Anchor(2, 1500.0)], ids=["mean", "anchor"])
@pytest.mark.parametrize("prior_sd", [350.0, None])
def test_errors_alone_are_those_of_all_covariances(
    anchor: Anchor[int] | None, prior_sd: float | None
) -> None:
    log = random_results(np.random.default_rng(8), bots=300, matches=4000, block=2)
    fitted = fit(Aggregate.of(log), anchor=anchor, prior_sd=prior_sd)
    measured = intervals(fitted, log)
    assert standard_errors(fitted, log) == pytest.approx(measured.se, rel=1e-9)
    assert measured.covariance == pytest.approx(measured.covariance.T, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@given(matches_strategy(), st.randoms(use_true_random=False))
def test_the_order_of_the_log_does_not_matter_to_errors_either(
    matches: list[MatchResult[str]], shuffler: object
) -> None:
    straight = {rating.bot: rating for rating in rate(Results(matches)).ratings}
    shuffler.shuffle(matches)  # type: ignore[attr-defined]
    for rating in rate(Results(matches)).ratings:
        assert rating.se == pytest.approx(straight[rating.bot].se, abs=1e-6)
        assert rating.rank_low == straight[rating.bot].rank_low
        assert rating.flags == straight[rating.bot].flags


def test_the_order_of_the_log_does_not_matter_to_what_is_provisional() -> None:
    met = {"AB": 8, "AC": 1, "AD": 8, "AE": 10, "BC": 1, "BE": 6, "CD": 12, "CE": 8, "DE": 3}
    matches = [
        MatchResult((pair, number), ((pair[number % 2], 1), (pair[1 - number % 2], 2)))
        for pair, times in met.items()
        for number in range(times)
    ]
    found = set()
    for seed in range(8):
        shuffled = np.random.default_rng(seed).permutation(len(matches))
        ratings = rate(Results([matches[at] for at in shuffled])).ratings
        found.add(tuple((one.bot, round(one.interval[0], 6), one.flags) for one in ratings))
    assert len(found) == 1


def measured_with(elo: list[float], se: list[float]) -> Intervals[str]:
    """Independent ratings, as if from a fit to very many clusters."""
    count = len(elo)
    none = np.zeros((count, count), np.int64)
    theta = np.array(elo) / ELO_PER_NAT
    bots = tuple("ABCDEFGH"[:count])
    fitted = Fit(bots, theta, none, none, none[0], ScoreRule.PLACEMENT, 350.0, None, 1)
    supported = Support(none[0] + 10**9, none[0], none[0])
    errors = np.diag(np.square(se, dtype=float))
    return Intervals(fitted, Clusters.BLOCK, errors, errors, supported)


def test_ranks_are_ranges_and_bots_that_cannot_be_told_apart_share_a_band() -> None:
    # Differences of 30 are told apart at a standard error of 10 * sqrt(2) = 14.1, of 20 are not.
    measured = measured_with([100, 80, 60, 0], [10, 10, 10, 10])
    low, high = rank_ranges(measured)
    assert low.tolist() == [1, 1, 2, 4]
    assert high.tolist() == [2, 3, 3, 4]
    assert [band.bots for band in bands(measured)] == [("A", "B"), ("B", "C"), ("D",)]


def test_equal_bots_share_one_band_and_all_ranks() -> None:
    measured = measured_with([0, 0, 0], [0, 0, 0])
    assert [band.bots for band in bands(measured)] == [("A", "B", "C")]
    low, high = rank_ranges(measured)
    assert low.tolist() == [1, 1, 1]
    assert high.tolist() == [3, 3, 3]
    assert measured.los == pytest.approx(np.full((3, 3), 0.5))


def test_the_inverse_of_a_large_matrix_is_put_together_from_its_quarters() -> None:
    random = np.random.default_rng(1)
    root = random.normal(size=(_SMALL + 3, _SMALL + 3))
    matrix = root @ root.T + np.eye(len(root))
    assert _positive_inverse(matrix) == pytest.approx(np.linalg.inv(matrix), abs=1e-9)


def test_the_likelihood_of_superiority_is_the_normal_of_the_difference() -> None:
    measured = measured_with([10, 0], [6, 8])
    assert measured.los[0, 1] == pytest.approx(normal_cdf(1.0))
    assert measured.difference_low[0, 1] == pytest.approx(10 - Z_95 * 10)
    assert measured_with([0.1, 0], [0.06, 0.08]).los[0, 1] == pytest.approx(normal_cdf(1.0))


def test_what_the_prior_alone_holds_is_flagged() -> None:
    rows = []
    for n in range(60):
        rows.append((f"a{n}", None, [("A", 1 + n % 2), ("B", 2 - n % 2)]))
        rows.append((f"b{n}", None, [("Best", 1), ("A", 2)]))
        rows.append((f"w{n}", None, [("B", 1), ("Worst", 2)]))
        rows.append((f"x{n}", None, [("X", 1 + n % 2), ("Y", 2 - n % 2)]))
        rows.append((f"y{n}", None, [("X", 1), ("Lower", 2), ("Low", 2 + n % 2)]))
    rows.append(("new", None, [("New", 1), ("A", 1)]))
    log = Results.of_rows(rows)
    measured = intervals(fit(Aggregate.of(log)), log)
    found = dict(zip(measured.fit.bots, flags(measured), strict=True))
    assert found["A"] == found["B"] == frozenset()
    assert found["Best"] == {Flag.PERFECT_SCORE}
    assert found["Worst"] == {Flag.ZERO_SCORE}
    assert found["X"] == {Flag.SEPARATE_POOL, Flag.PROVISIONAL}
    assert found["New"] == {Flag.PROVISIONAL}
    assert np.isfinite(measured.se).all()


def test_a_group_that_only_lost_to_the_rest_is_flagged() -> None:
    rows = []
    for n in range(60):
        rows.append((f"a{n}", None, [("A", 1 + n % 2), ("B", 2 - n % 2)]))
        rows.append((f"b{n}", None, [("B", 1 + n % 2), ("C", 2 - n % 2)]))
        rows.append((f"x{n}", None, [("X", 1 + n % 2), ("Y", 2 - n % 2)]))
        rows.append((f"y{n}", None, [("A", 1), ("X", 2)]))
    log = Results.of_rows(rows)
    measured = intervals(fit(Aggregate.of(log)), log)
    found = dict(zip(measured.fit.bots, flags(measured), strict=True))
    assert found["X"] == found["Y"] == {Flag.ONE_SIDED}
    assert found["C"] == frozenset()


def newcomer(seats: int, blocks: int, *, wins: bool = False) -> Results[str]:
    """Eight bots with many blocks, and a newcomer with few; or with one match, which it `wins`."""
    rng = np.random.default_rng([seats, blocks])
    tables = [rng.choice(8, seats, replace=False) for _ in range(8 * 100 // seats)]
    tables += [np.r_[8, rng.choice(8, seats - 1, replace=False)] for _ in range(blocks)]
    rows = []
    for block, bots in enumerate(tables):
        for turn in range(1 if wins and 8 in bots else seats):
            order = rng.random(seats) - (2.0 * (bots == 8) if wins else 0.0)
            places = (1 + np.argsort(np.argsort(order))).tolist()
            seated = list(zip(map(str, bots), places, strict=True))
            rows.append(((block, turn), block, seated))
    return Results.of_rows(rows)


def by_curvature(fitted: Fit[str]) -> np.ndarray:
    """(K, K): the standard errors of differences if all pairs were independent."""
    precision = 0.0 if fitted.prior_sd is None else (ELO_PER_NAT / fitted.prior_sd) ** 2
    curvature = hessian(fitted.pairs, win_probabilities(fitted.theta), precision)
    covariance = ELO_PER_NAT**2 * np.linalg.pinv(curvature)
    own = np.diag(covariance)
    return np.sqrt(np.maximum(np.add.outer(own, own) - 2 * covariance, 0.0))


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("blocks", [1, 2, 5, 10, 19])
def test_of_few_clusters_an_interval_is_never_narrower_than_the_model_s(
    seats: int, blocks: int
) -> None:
    measured = rate(newcomer(seats, blocks)).intervals
    new = measured.fit.bots.index("8")
    model = np.delete(by_curvature(measured.fit)[new], new)
    found = np.delete(measured.difference_se[new], new)
    assert (found >= model - 1e-9).all()
    # Six bots that meet at random scatter more than independent pairs, and the pool knows that.
    if seats == 6:
        assert (found > 1.3 * model).all()


def test_of_many_clusters_the_sandwich_alone_decides() -> None:
    for seats in (2, 6):
        measured = rate(newcomer(seats, 1)).intervals
        old = [measured.fit.bots.index(str(bot)) for bot in range(8)]
        own = np.diag(measured.covariance)
        sandwich = np.sqrt(np.add.outer(own, own) - 2 * measured.covariance)
        among_old = np.ix_(old, old)
        assert measured.difference_se[among_old] == pytest.approx(sandwich[among_old], rel=1e-12)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_a_newcomer_that_wins_its_only_match_is_not_first_for_certain(seats: int) -> None:
    rated = rate(newcomer(seats, 1, wins=True))
    (line,) = [one for one in rated.ratings if one.bot == "8"]
    assert line.interval[1] - line.interval[0] > 250
    assert line.rank_high == 9
    assert Flag.PROVISIONAL in line.flags
    new = rated.intervals.fit.bots.index("8")
    assert rated.intervals.los[new].max() < 0.975


def test_blocks_that_all_end_evenly_leave_a_difference_uncertain() -> None:
    rows = [
        (f"{block}{seat}", block, [("A", 1 + seat), ("B", 2 - seat)])
        for block in range(50)
        for seat in range(2)
    ]
    measured = rate(Results.of_rows(rows)).intervals
    # Of 50 blocks, the variance of 20 / 50 of that of 100 independent matches, or somewhat less.
    assert measured.difference_se[0, 1] == pytest.approx(
        by_curvature(measured.fit)[0, 1] * 0.4**0.5
    )


def test_two_pools_with_one_block_between_them_are_far_from_told_apart() -> None:
    pools = (("A", "B", "C"), ("X", "Y", "Z"))
    rows = []
    for number in range(300):
        for pool in pools:
            one, other = pool[number % 3], pool[(number + 1) % 3]
            first = 1 + number // 3 % 2
            rows.append((f"{number}{one}", None, [(one, first), (other, 3 - first)]))
    rows += [(f"link {seat}", "link", [("A", 1), ("X", 2)]) for seat in range(2)]
    measured = rate(Results.of_rows(rows)).intervals
    at = {bot: index for index, bot in enumerate(measured.fit.bots)}
    among, between = (
        measured.difference_se[at["B"], at["C"]],
        measured.difference_se[at["B"], at["Z"]],
    )
    assert among < 40
    assert between > 150
    assert measured.los[at["B"], at["Z"]] < 0.975


@pytest.mark.parametrize("prior_sd", [350.0, 1e4, 1e5])
def test_pools_that_never_met_are_as_far_apart_as_the_prior_lets_them(prior_sd: float) -> None:
    rows = [
        (f"{number}{one}", None, [(one, 1 + number % 2), (other, 2 - number % 2)])
        for number in range(1000)
        for one, other in (("A", "B"), ("X", "Y"))
    ]
    measured = rate(Results.of_rows(rows), prior_sd=prior_sd).intervals
    at = {bot: index for index, bot in enumerate(measured.fit.bots)}
    # Half the sum and half the difference of the bots of a pool are independent a priori.
    within = 0.5 * measured.difference_se[at["A"], at["B"]]
    apart = measured.difference_se[at["A"], at["X"]]
    assert apart == pytest.approx(math.hypot(prior_sd, math.sqrt(2) * within), rel=1e-3)


def test_the_interval_does_not_depend_on_how_weak_the_prior_is() -> None:
    wins = [("A", "B")] * 13 + [("B", "A")] * 7 + [("B", "C")] * 12 + [("C", "B")] * 8
    wins += [("A", "C")] * 14 + [("C", "A")] * 6
    log = Results.of_rows(
        (number, None, [(better, 1), (worse, 2)]) for number, (better, worse) in enumerate(wins)
    )
    strong, weak, none = (
        next(one for one in rate(log, prior_sd=sd).ratings if one.bot == "A")
        for sd in (3e4, 1e5, None)
    )
    assert weak.interval == pytest.approx(strong.interval, abs=0.01)
    assert weak.interval == pytest.approx(none.interval, abs=0.01)


def test_provisional_bots_stand_below_established_ones_in_a_band_of_their_own() -> None:
    rated = rate(newcomer(2, 1, wins=True))
    *old, new = rated.ratings
    assert new.bot == "8"
    assert new.elo > old[-1].elo
    assert [one.elo for one in old] == sorted((one.elo for one in old), reverse=True)
    assert new.band == 1 + max(one.band for one in old)
    # What cannot be told apart does not depend on that order.
    assert any({"8", old[0].bot} <= set(band.bots) for band in rated.bands)


def test_a_band_of_a_table_starts_below_a_bot_that_is_significantly_better() -> None:
    measured = measured_with([100, 80, 60, 55, 0], [10, 10, 10, 10, 10])
    assert band_numbers(measured, ladder_order(measured)) == [0, 0, 1, 1, 2]
