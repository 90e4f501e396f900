"""The sequential test, against fastchess's own tests, a general optimiser, and simulation."""

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.rating.constrained import log_ratio_with_t_value
from arena.rating.elo import expected_score
from arena.rating.errors import RatingError
from arena.rating.methods import EloModel
from arena.rating.sprt import (
    NELO_PER_T,
    PAIR_SCORES,
    BlockCounts,
    Bounds,
    SprtState,
    estimate,
    expected_matches,
    log_likelihood_ratio,
    sprt,
)
from arena.rating.sprt_summary import estimate_json
from tests.thoroughness import thorough

NORMALIZED, LOGISTIC = EloModel.NORMALIZED, EloModel.LOGISTIC
SINGLE = (0.0, 0.5, 1.0)

# fastchess, app/tests/sprt_test.cpp: losses, draws, wins; LL, LD, DD + WL, WD, WW.
PUBLISHED = [
    ((36027, 68692, 36433), Bounds(0, 2), 0.92),
    ((10650, 20431, 10871), Bounds(-1.75, 0.25), 2.30),
    ((21184, 40708, 21404), Bounds(0.5, 2.5, LOGISTIC), -1.57),
    ((57030, 106593, 57433), Bounds(0, 2, LOGISTIC), -2.59),
    ((365, 16618, 36229, 16974, 390), Bounds(0, 2), 2.25),
    ((127, 4883, 10712, 5150, 104), Bounds(-1.75, 0.25), 3.01),
    ((223, 9863, 21279, 10037, 246), Bounds(0.5, 2.5, LOGISTIC), -3.07),
    ((871, 26175, 55983, 26678, 821), Bounds(0, 2, LOGISTIC), -4.98),
]


def blocks(counts: tuple[int, ...]) -> BlockCounts:
    if len(counts) == 5:
        return BlockCounts.of_pairs(counts)
    return BlockCounts(SINGLE, counts, 1)


@pytest.mark.parametrize(("counts", "bounds", "llr"), PUBLISHED)
def test_ratios_are_those_of_fastchess(counts: tuple[int, ...], bounds: Bounds, llr: float) -> None:
    assert sprt(blocks(counts), bounds).llr == pytest.approx(llr, abs=0.005)


# fastchess, app/tests/elo_test.cpp: Elo, nElo, LOS of pairs.
@pytest.mark.parametrize(
    ("counts", "elo", "nelo", "los"),
    [
        ((34, 54, 63, 64, 75), 55.58, 57.94, 1.0),
        ((332, 433, 498, 333, 334), -8.64, -9.17, 0.0505),
        ((7895, 8757, 5685, 568, 9999), -21.04, -19.01, 0.0),
    ],
)
def test_estimates_are_those_of_fastchess(
    counts: tuple[int, ...], elo: float, nelo: float, los: float
) -> None:
    found = sprt(blocks(counts), Bounds(0, 10)).raw
    assert found.elo == pytest.approx(elo, abs=0.01)
    assert found.nelo == pytest.approx(nelo, abs=0.01)
    assert found.los == pytest.approx(los, abs=1e-4)


def most_likely(counts: np.ndarray, scores: np.ndarray, wanted: float, model: EloModel) -> float:
    """The greatest log-likelihood under a hypothesis, by a general optimiser in logits."""

    def chances(logits: np.ndarray) -> np.ndarray:
        mass = np.exp(logits - logits.max())
        return mass / mass.sum()

    def excess(logits: np.ndarray) -> float:
        p = chances(logits)
        mean = p @ scores
        if model is LOGISTIC:
            return mean - wanted
        return mean - 0.5 - wanted * math.sqrt(p @ (scores - mean) ** 2)

    best = -math.inf
    # The optimiser sometimes gets lost; among several starts it does not.
    rng = np.random.default_rng(40)
    for start in (np.log(counts), np.zeros(len(counts)), *rng.normal(size=(6, len(counts)))):
        found = minimize(
            lambda logits: -(counts @ np.log(chances(logits))) / counts.sum(),
            start,
            constraints={"type": "eq", "fun": excess},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        if abs(excess(found.x)) < 1e-9:
            best = max(best, -found.fun * counts.sum())
    return best


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(10, 20, 30, 25, 12), (3, 1, 40, 2, 9), (60, 30, 8, 2, 1)])
@pytest.mark.parametrize(
    "bounds",
    [Bounds(0, 10), Bounds(-30, 60), Bounds(-300, 250), Bounds(0, 40, LOGISTIC)],
)
def test_the_ratio_compares_the_most_likely_distributions(
    counts: tuple[int, ...], bounds: Bounds
) -> None:
    seen, scores = np.array(counts, float), np.array(PAIR_SCORES)
    wanted = [
        expected_score(elo) if bounds.model is LOGISTIC else elo * math.sqrt(2) / NELO_PER_T
        for elo in (bounds.elo0, bounds.elo1)
    ]
    h0, h1 = (most_likely(seen, scores, value, bounds.model) for value in wanted)
    assert sprt(blocks(counts), bounds).llr == pytest.approx(h1 - h0, abs=1e-5)


@pytest.mark.parametrize("t_value", [1e-6, 0.01, 0.9, 0.95, 1.0, 4.0, 60.0, 400.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_most_likely_distribution_satisfies_its_hypothesis_however_far(
    t_value: float, sign: int
) -> None:
    scores = np.array(PAIR_SCORES)
    observed = np.random.default_rng(43).dirichlet([0.3] * 5, 100) + 1e-6
    observed /= observed.sum(axis=1, keepdims=True)
    p = observed * np.exp(log_ratio_with_t_value(observed, scores, 0.5, sign * t_value))
    assert p.sum(axis=1) == pytest.approx(np.ones(100))
    mean = p @ scores
    sd = np.sqrt((p * (scores - mean[:, None]) ** 2).sum(axis=1))
    assert (mean - 0.5) / sd == pytest.approx(np.full(100, sign * t_value), rel=1e-6)


def test_of_several_far_distributions_the_most_likely_counts() -> None:
    # A mean ten deviations from 1/2: nearly all blocks end 3/4, or nearly all 1. Most ended 1.
    scores = np.array(PAIR_SCORES)
    observed = np.array([[0.1, 0.1, 0.1, 0.2, 0.5]])
    p = observed * np.exp(log_ratio_with_t_value(observed, scores, 0.5, 10.0))
    assert p[0].argmax() == 4


def test_only_t_values_that_no_distribution_has_are_refused() -> None:
    low, high = np.array([0.1, 0.2, 0.3]), np.array([0.6, 0.8, 0.9])
    even = np.full((1, 3), 1 / 3)
    for scores, t_value in ((low, 0.5), (high, -0.5), (high, 0.5), (low, -0.5)):
        with pytest.raises(RatingError, match="no distribution of block scores"):
            log_ratio_with_t_value(even, scores, 0.5, t_value)
    # Of 0.6 and 0.9 the mean is at least 2 sqrt(0.1 * 0.4) / 0.3 = 1.33 deviations above 1/2.
    for scores, t_value in ((high, 1.4), (low, -2.9)):
        assert np.isfinite(log_ratio_with_t_value(even, scores, 0.5, t_value)).all()


@pytest.mark.parametrize("model", EloModel)
@pytest.mark.parametrize("ends", [(0, 1e-5), (0, 232), (-5000, 1e5), (-1e5, 1e5), (9e4, 1e5)])
def test_every_bound_gives_finite_numbers(model: EloModel, ends: tuple[float, float]) -> None:
    for counts in ((10, 20, 30, 25, 12), (0, 0, 50, 0, 0), (0, 0, 0, 0, 9)):
        found = sprt(blocks(counts), Bounds(*ends, model))
        assert math.isfinite(found.llr)
        assert 0 <= found.matches_to_go < math.inf


def test_the_rarest_errors_have_finite_limits() -> None:
    bounds = Bounds(0, 10, alpha=1e-320, beta=1e-320)
    assert math.isfinite(bounds.upper)
    assert math.isfinite(bounds.lower)


def test_many_small_steps_add_up_to_the_normal_approximation() -> None:
    # N (s1 - s0)(2 s - s0 - s1) / (2 var), and for t-values N/2 ln((1+(t-t0)^2)/(1+(t-t1)^2)).
    counts = np.array([900.0, 2100.0, 4000.0, 2200.0, 950.0])
    scores, total = np.array(PAIR_SCORES), counts.sum()
    mean = counts @ scores / total
    variance = counts @ (scores - mean) ** 2 / total
    s0, s1 = expected_score(0), expected_score(5)
    normal = total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    found = log_likelihood_ratio(counts, scores, Bounds(0, 5, LOGISTIC), matches_per_block=2)
    assert float(found) == pytest.approx(normal, rel=0.01)
    t, t1 = (mean - 0.5) / math.sqrt(variance), 5 * math.sqrt(2) / NELO_PER_T
    normal = total / 2 * math.log((1 + t**2) / (1 + (t - t1) ** 2))
    found = log_likelihood_ratio(counts, scores, Bounds(0, 5), matches_per_block=2)
    assert float(found) == pytest.approx(normal, rel=0.01)


def test_bounds_and_states() -> None:
    bounds = Bounds(0, 10)
    assert (bounds.lower, bounds.upper) == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    going = sprt(blocks((10, 20, 30, 25, 12)), bounds)
    assert going.state is SprtState.CONTINUE
    assert going.matches_to_go > 0
    assert (going.blocks, going.matches) == (97, 194)
    better = sprt(blocks((10, 200, 300, 400, 100)), bounds)
    assert better.state is SprtState.ACCEPT
    worse = sprt(blocks((100, 400, 300, 200, 10)), bounds)
    assert worse.state is SprtState.REJECT
    for stopped in (better, worse):
        assert stopped.matches_to_go == 0


@pytest.mark.parametrize("model", EloModel)
@pytest.mark.parametrize("seen", range(5))
@pytest.mark.parametrize("times", [1, 100, 1_000_000])
def test_a_single_outcome_still_has_an_answer(model: EloModel, seen: int, times: int) -> None:
    counts = tuple(times if index == seen else 0 for index in range(5))
    bounds = Bounds(0, 10, model)
    found, honest = sprt(blocks(counts), bounds), estimate(blocks(counts), bounds)
    assert math.isfinite(found.llr)
    for difference in (found.raw, honest):
        assert all(map(math.isfinite, (difference.elo, difference.nelo, difference.los)))
        assert difference.interval[0] <= difference.elo <= difference.interval[1]
        if seen > 2:
            assert difference.elo > 0
        if seen < 2:
            assert difference.elo < 0
    if seen > 2:
        assert found.llr > 0
    if seen < 2:
        assert found.llr < 0
    if seen == 2:
        assert found.raw.elo == pytest.approx(0.0, abs=1e-9)
        assert found.raw.los == pytest.approx(0.5, abs=1e-6)


def test_blocks_that_all_scored_alike_are_told() -> None:
    assert sprt(blocks((0, 0, 50, 0, 0)), Bounds(0, 10)).one_score
    assert sprt(blocks((0, 0, 0, 0, 9)), Bounds(0, 10)).one_score
    assert not sprt(blocks((0, 1, 50, 0, 0)), Bounds(0, 10)).one_score


@pytest.mark.parametrize(("counts", "known"), [((0, 0, 0, 0, 9), False), ((0, 1, 5, 8, 0), True)])
def test_what_is_not_known_then_is_null_in_json(counts: tuple[int, ...], known: bool) -> None:
    seen, bounds = blocks(counts), Bounds(0, 10)
    found = estimate_json(sprt(seen, bounds), estimate(seen, bounds))
    assert found["one_score"] is not known
    for member in ("elo_interval", "nelo", "los"):
        assert (found[member] is not None) is known
    assert found["elo"] > 0


def test_nothing_played_says_nothing() -> None:
    found = sprt(blocks((0, 0, 0, 0, 0)), Bounds(0, 10))
    for raw in (found.raw, estimate(blocks((0, 0, 0, 0, 0)), Bounds(0, 10))):
        assert (found.llr, raw.elo, raw.nelo, raw.los) == pytest.approx((0, 0, 0, 0.5))
    assert found.state is SprtState.CONTINUE


def by_score(scores: Iterable[float], matches_per_block: int) -> BlockCounts:
    """Blocks whose possible scores are those seen, 0, 1/2 and 1."""
    seen = Counter({0.0: 0, 0.5: 0, 1.0: 0})
    seen.update(scores)
    rising = sorted(seen)
    return BlockCounts(tuple(rising), tuple(seen[one] for one in rising), matches_per_block)


def test_any_finite_set_of_block_scores_will_do() -> None:
    rng = np.random.default_rng(41)
    thirds = rng.choice([0.0, 1 / 3, 2 / 3, 1.0], 300, p=[0.2, 0.25, 0.3, 0.25]).tolist()
    found = sprt(by_score(thirds, 3), Bounds(0, 20))
    assert found.blocks == 300
    assert found.matches == 900
    mean, sd = np.mean(thirds), np.std(thirds)
    assert found.raw.nelo == pytest.approx(NELO_PER_T * (mean - 0.5) / (sd * 3**0.5), rel=1e-3)


def test_pairs_by_scores_are_pairs_by_counts() -> None:
    scores = [0.0] * 3 + [0.25] * 5 + [0.5] * 7 + [0.75] * 6 + [1.0] * 2
    by_scores = sprt(by_score(scores, 2), Bounds(0, 10))
    assert by_scores == sprt(blocks((3, 5, 7, 6, 2)), Bounds(0, 10))


@pytest.mark.parametrize(("elo1", "matches"), [(5, 25_600), (10, 6_400), (20, 1_600), (50, 256)])
def test_the_expected_length_is_that_of_the_table(elo1: float, matches: int) -> None:
    bounds = Bounds(0, elo1)
    score = 0.5 + 0.5 * elo1 / NELO_PER_T
    for elo in (0.0, -400 * math.log10(1 / score - 1)):
        assert expected_matches(bounds, elo=elo) == pytest.approx(matches, rel=0.005)


def test_bounds_and_counts_that_make_no_sense_are_refused() -> None:
    for wrong in (
        lambda: Bounds(5, 0),
        lambda: Bounds(0, math.inf),
        lambda: Bounds(0, 1e-14),
        lambda: Bounds(0, 2e5),
        lambda: Bounds(0, 5, alpha=0.0),
        lambda: Bounds(0, 5, beta=0.0),
        lambda: Bounds(0, 5, alpha=0.5, beta=0.5),
        lambda: BlockCounts.of_pairs((1, 2, 3)),
        lambda: BlockCounts.of_pairs((1, 2, 3, -1, 0)),
        lambda: BlockCounts((0.5,), (1,), 1),
        lambda: BlockCounts((0.0, 1.0), (1,), 1),
        lambda: BlockCounts((0.5, 0.5), (1, 1), 1),
        lambda: BlockCounts((0.0, 1.5), (1, 1), 1),
        lambda: BlockCounts((0.0, 1.0), (1, 1), 0),
        lambda: sprt(BlockCounts((0.4, 0.6), (5, 5), 1), Bounds(0, 100, LOGISTIC)),
    ):
        with pytest.raises(RatingError):
            wrong()


def verdicts(
    rng: np.random.Generator, chances: list[float], bounds: Bounds, tests: int
) -> tuple[float, float, float]:
    """(accepted, rejected, mean matches) of tests looked at after every second pair."""
    scores = np.array(PAIR_SCORES)
    counts = np.zeros((tests, 5))
    running = np.arange(tests)
    accepted = rejected = 0
    used = 0.0
    while len(running):
        counts[running] += rng.multinomial(2, chances, len(running))
        llr = log_likelihood_ratio(counts[running], scores, bounds, matches_per_block=2)
        up, down = llr >= bounds.upper, llr <= bounds.lower
        accepted, rejected = accepted + int(up.sum()), rejected + int(down.sum())
        used += 2 * float(counts[running[up | down]].sum())
        running = running[~(up | down)]
    return accepted / tests, rejected / tests, used / tests


@pytest.mark.slow
def test_equal_bots_are_called_better_at_most_one_time_in_twenty() -> None:
    chances = [0.10, 0.20, 0.40, 0.20, 0.10]
    bounds = Bounds(0, 60.0, LOGISTIC)
    accepted, rejected, matches = verdicts(np.random.default_rng(42), chances, bounds, 1500)
    assert accepted <= 0.05
    assert rejected >= 0.95
    sd = math.sqrt(2 * np.array(chances) @ (np.array(PAIR_SCORES) - 0.5) ** 2)
    assert matches == pytest.approx(expected_matches(bounds, elo=0.0, sd=sd), rel=0.15)


def pairs_of(nelo: float) -> np.ndarray:
    """Chances of the five pairs with this normalised Elo."""
    chances, scores = np.array([0.10, 0.20, 0.40, 0.20, 0.10]), np.array(PAIR_SCORES)
    for _ in range(80):
        mean = chances @ scores
        target = 0.5 + nelo * math.sqrt(2) / NELO_PER_T * math.sqrt(chances @ (scores - mean) ** 2)
        chances = chances * np.exp(8 * (target - mean) * (scores - mean))
        chances /= chances.sum()
    return chances


def stopped_tests(
    rng: np.random.Generator, chances: np.ndarray, bounds: Bounds, tests: int, most: int
) -> np.ndarray:
    """The counts [test, 5] of tests at a bound, or after so many looks, one each second pair."""
    counts, running = np.zeros((tests, 5)), np.arange(tests)
    for _ in range(most):
        counts[running] += rng.multinomial(2, chances, len(running))
        llr = log_likelihood_ratio(
            counts[running], np.array(PAIR_SCORES), bounds, matches_per_block=2
        )
        running = running[(llr < bounds.upper) & (llr > bounds.lower)]
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(("nelo", "most"), [(0, 1000), thorough(50, 1000), (20, 40)])
def test_estimates_after_a_stop_are_median_unbiased_and_their_intervals_cover(
    nelo: float, most: int
) -> None:
    """The raw estimate is too low in 37 % (50 nElo) to 66 % (0 nElo) of 2,000 tests."""
    bounds, chances = Bounds(0, 50), pairs_of(nelo)
    truth = -400 * math.log10(1 / (chances @ np.array(PAIR_SCORES)) - 1)
    counts = stopped_tests(np.random.default_rng(44), chances, bounds, 500, most)
    observed = [blocks(tuple(map(int, row))) for row in counts]
    if nelo in (0, 50):  # one of the hypotheses: the other one is accepted once in twenty tests
        states = Counter(sprt(one, bounds).state for one in observed)
        wrong = states[SprtState.ACCEPT if nelo == 0 else SprtState.REJECT]
        assert wrong <= 0.05 * len(observed)
    found = [estimate(one, bounds) for one in observed]
    below = np.mean([one.elo < truth for one in found])
    covered = np.mean([one.interval[0] <= truth <= one.interval[1] for one in found])
    assert below == pytest.approx(0.5, abs=0.06)
    assert 0.93 <= covered <= 0.975


@pytest.mark.slow
def test_an_estimate_after_a_stop_is_nearer_to_the_bound_not_reached() -> None:
    bounds = Bounds(0, 40)
    counts = stopped_tests(np.random.default_rng(45), pairs_of(0), bounds, 60, 1000)
    for row in counts:
        observed = blocks(tuple(map(int, row)))
        raw, honest = sprt(observed, bounds).raw, estimate(observed, bounds)
        if sprt(observed, bounds).state is SprtState.ACCEPT:
            assert honest.elo < raw.elo
        else:
            assert honest.elo > raw.elo


def test_far_from_both_bounds_the_estimate_is_the_raw_one() -> None:
    observed = blocks((100, 210, 400, 205, 102))
    raw, honest = sprt(observed, Bounds(-1, 1)).raw, estimate(observed, Bounds(-1, 1))
    assert honest.elo == pytest.approx(raw.elo, abs=0.05)
    assert honest.interval == pytest.approx(raw.interval, abs=0.1)
    assert honest.los == pytest.approx(raw.los, abs=1e-3)
