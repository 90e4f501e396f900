"""Elo with luck taken out: the same expectation, and smaller errors where luck explains."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rating.aggregate import Aggregate
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.elo import ELO_PER_NAT, Z_95, win_probabilities
from arena.rating.errors import ResultError
from arena.rating.intervals import intervals
from arena.rating.luck_column import FEWEST_MATCHES, LuckColumn, luck_column, luck_fit
from arena.rating.luck_sums import LuckSums
from arena.rating.methods import ScoreRule
from arena.rating.results import MatchColumns, MatchResult, Results
from tests.rating.leagues import placings_of, seated
from tests.thoroughness import tries

LEAGUES = 400
BOTS = 8
STRENGTHS = np.linspace(-200.0, 200.0, BOTS)


def league(
    rng: np.random.Generator, seats: int, matches: int, *, weight: float, block: int = 1
) -> Results[int]:
    """A league where part of every result is luck that is known, up to its scale and some noise.

    weight: how much, in nats a unit. What is told as luck is a table's guess at it, in another unit
    and summing to zero; its mean is zero whoever plays, as that of a dealer's draw.
    """
    who = np.repeat(seated(rng, BOTS, -(-matches // block), seats), block, axis=0)[:matches]
    luck = rng.normal(size=who.shape)
    luck -= luck.mean(axis=1, keepdims=True)
    scores = STRENGTHS[who] / ELO_PER_NAT + rng.gumbel(size=who.shape) + weight * luck
    told = 0.2 * luck + 0.05 * rng.normal(size=who.shape)
    told -= told.mean(axis=1, keepdims=True)
    blocks = np.arange(matches) // block
    placings = placings_of(np.floor(scores / 0.5))
    table = MatchColumns(who.astype(np.int32), placings, blocks, np.arange(matches), told)
    return Results.of_tables(range(BOTS), [table])


def column(log: Results[int], rule: ScoreRule = ScoreRule.PLACEMENT) -> LuckColumn[int]:
    aggregate = Aggregate.of(log, rule)
    official = fit(aggregate)
    luck = luck_fit(official, aggregate)
    assert luck is not None
    return luck_column(luck, intervals(official, log), log)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "matches", "block", "rule"),
    [
        (2, 700, 1, ScoreRule.PLACEMENT),
        (2, 700, 2, ScoreRule.PLACEMENT),
        (4, 300, 4, ScoreRule.PLACEMENT),
        (4, 500, 1, ScoreRule.WINNER),
    ],
    ids=str,
)
def test_it_estimates_the_same_with_intervals_that_hold_and_are_narrower(
    seats: int, matches: int, block: int, rule: ScoreRule
) -> None:
    rng = np.random.default_rng(100 * seats + block)
    endless = league(rng, seats, 150_000, weight=1.5, block=block)
    # The truth is what an endless league would show officially.
    truth = fit(Aggregate.of(endless, rule), prior_sd=None).theta * ELO_PER_NAT
    true_difference = truth[:, None] - truth[None, :]
    upper = np.triu_indices(BOTS, 1)
    held, errors, official_errors, factors = 0, [], [], []
    for _ in range(LEAGUES):
        log = league(rng, seats, matches, weight=1.5, block=block)
        aggregate = Aggregate.of(log, rule)
        official = fit(aggregate)
        luck = luck_fit(official, aggregate)
        assert luck is not None
        found = luck_column(luck, intervals(official, log), log)
        adjusted = intervals(luck.fit, log, luck_taken=luck.taken)
        miss = (adjusted.difference - true_difference)[upper]
        held += int((np.abs(miss) <= Z_95 * adjusted.difference_se[upper]).sum())
        errors.append(luck.fit.theta * ELO_PER_NAT - truth)
        official_errors.append(official.theta * ELO_PER_NAT - truth)
        factors.append(found.variance_factors.mean())
    assert 0.93 <= held / (LEAGUES * len(upper[0])) <= 0.97
    off, spread = np.array(errors), np.array(official_errors)
    # Unbiased as the official numbers are: the prior draws both to the middle alike.
    unlike = (off - spread).mean(axis=0)
    assert (np.abs(unlike) <= 4 * (off - spread).std(axis=0) / LEAGUES**0.5).all()
    # What the factor says is what the leagues' scatter shows.
    factor = float(np.mean(factors))
    assert factor < 0.85
    assert (off.var(axis=0) / spread.var(axis=0)).mean() == pytest.approx(factor, abs=0.1)


def test_luck_that_explains_nothing_gains_nothing_and_costs_nothing() -> None:
    rng = np.random.default_rng(5)
    found = column(league(rng, 2, 20_000, weight=0.0))
    assert found.luck.coefficient == pytest.approx(0.0, abs=0.05)
    assert found.variance_factors == pytest.approx(np.ones(BOTS), abs=0.01)


def test_whatever_the_table_the_numbers_tend_to_the_same() -> None:
    """Luck in another unit is the same luck: only what it explains matters."""
    rng = np.random.default_rng(6)
    log = league(rng, 4, 2000, weight=1.0)
    (table,) = log.tables
    assert table.luck is not None
    scaled = MatchColumns(
        table.bots, table.placings, table.blocks, table.numbers, -7.0 * table.luck
    )
    one, other = column(log), column(Results.of_tables(range(BOTS), [scaled]))
    assert other.luck.coefficient == pytest.approx(one.luck.coefficient / -7.0)
    assert other.luck.fit.theta == pytest.approx(one.luck.fit.theta, abs=1e-9)
    assert other.se == pytest.approx(one.se, abs=1e-9)


@pytest.mark.parametrize("rule", ScoreRule)
def test_it_is_what_its_definition_says_pair_by_pair(rule: ScoreRule) -> None:
    log = league(np.random.default_rng(7), 4, 300, weight=1.0, block=2)
    aggregate = Aggregate.of(log, rule)
    official = fit(aggregate)
    found = column(log, rule)
    chances = win_probabilities(official.theta)
    above = below = 0.0
    pairs = []
    for match in log.matches():
        assert match.luck is not None
        n = len(match.seats)
        for a, (i, first) in enumerate(match.seats):
            for b, (j, second) in enumerate(match.seats):
                if a == b:
                    continue
                x = (match.luck[a] - match.luck[b]) * (n - 1) / n
                counts = rule is ScoreRule.PLACEMENT or 1 in (first, second)
                score = 1.0 if first < second else 0.5 if first == second else 0.0
                pairs.append((match.block, i, j, counts, score, x))
                above += counts * (score - chances[i, j]) * x
                below += 4 * chances[i, j] * (1 - chances[i, j]) * x * x
    beta = above / below
    assert found.luck.coefficient == pytest.approx(beta, abs=1e-12)
    theta = found.luck.fit.theta
    adjusted = win_probabilities(theta)
    vectors: dict[object, np.ndarray] = {}
    for block, i, j, counts, score, x in pairs:
        vector = vectors.setdefault(block, np.zeros(BOTS))
        weight = 4 * chances[i, j] * (1 - chances[i, j])
        vector[i] += counts * (score - adjusted[i, j]) - beta * weight * x
    gradient = sum(vectors.values()) - theta * (ELO_PER_NAT / 350) ** 2
    assert gradient == pytest.approx(np.zeros(BOTS), abs=1e-8)
    weights = official.pairs * adjusted * (1 - adjusted)
    curvature = np.diag(weights.sum(axis=1)) - weights + np.eye(BOTS) * (ELO_PER_NAT / 350) ** 2
    bread = np.linalg.inv(curvature)
    middle = sum(np.outer(vector, vector) for vector in vectors.values())
    covariance = bread @ middle @ bread * ELO_PER_NAT**2
    measured = intervals(found.luck.fit, log, luck_taken=found.luck.taken)
    assert measured.covariance == pytest.approx(covariance, rel=1e-8, abs=1e-8)
    assert found.se == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "block"), [(2, 1), (2, 2), (4, 1)], ids=str)
def test_on_a_ladder_just_old_enough_it_is_nearly_as_honest_as_the_official_number(
    seats: int, block: int
) -> None:
    """Where few matches make the official intervals too narrow, these are hardly narrower yet."""
    rng = np.random.default_rng(100 * seats + block)
    endless = league(rng, seats, 150_000, weight=1.5, block=block)
    truth = fit(Aggregate.of(endless), prior_sd=None).theta * ELO_PER_NAT
    true_difference = truth[:, None] - truth[None, :]
    held, official_held, factors, errors, official_errors = [], [], [], [], []
    for _ in range(LEAGUES):
        log = league(rng, seats, BOTS * FEWEST_MATCHES // seats, weight=1.5, block=block)
        aggregate = Aggregate.of(log)
        official = fit(aggregate)
        luck = luck_fit(official, aggregate)
        if luck is None or luck.enough.sum() < 2:
            continue
        before = intervals(official, log)
        found, adjusted = (
            luck_column(luck, before, log),
            intervals(luck.fit, log, luck_taken=luck.taken),
        )
        # Only what is told, half of the bots; that it is the half that played most is no matter.
        told = np.triu(np.outer(luck.enough, luck.enough), 1)
        miss = np.abs(adjusted.difference - true_difference)
        held.append((miss <= Z_95 * adjusted.difference_se)[told])
        official_miss = np.abs(before.difference - true_difference)
        official_held.append((official_miss <= Z_95 * before.difference_se)[told])
        factors.append(found.variance_factors[luck.enough].mean())
        errors.append(((adjusted.difference - true_difference) ** 2)[told])
        official_errors.append(((before.difference - true_difference) ** 2)[told])
    assert len(held) > 0.9 * LEAGUES
    coverage, official_coverage = np.concatenate(held).mean(), np.concatenate(official_held).mean()
    assert coverage > 0.91
    assert coverage > official_coverage - 0.02
    gained = np.concatenate(errors).mean() / np.concatenate(official_errors).mean()
    assert np.mean(factors) == pytest.approx(gained, abs=0.07)


def test_a_bot_is_told_its_number_once_it_has_matches_enough_with_luck() -> None:
    aggregate: Aggregate[int] = Aggregate()
    pair = ((0, 1), (1, 2))
    for number in range(FEWEST_MATCHES - 1):
        luck = (0.1, -0.1) if number % 2 else (-0.2, 0.2)
        aggregate.add(MatchResult(number, pair, luck=luck))
    aggregate.add(MatchResult("a third bot", ((0, 1), (2, 2)), luck=(0.1, -0.1)))
    # One bot has enough; from the other as its anchor nothing could be told.
    alone = luck_fit(fit(aggregate), aggregate)
    assert alone is not None
    assert alone.enough.tolist() == [True, False, False]
    for anchored in (0, 1):
        assert luck_fit(fit(aggregate, anchor=Anchor(anchored, 0.0)), aggregate) is None
    aggregate.add(MatchResult("unmeasured", pair))
    found = luck_fit(fit(aggregate), aggregate)
    assert found is not None
    assert found.enough.tolist() == [True, False, False]
    aggregate.add(MatchResult("lucky", pair, luck=(0.1, -0.1)))
    found = luck_fit(fit(aggregate, anchor=Anchor(0, 0.0)), aggregate)
    assert found is not None
    assert found.enough.tolist() == [True, True, False]


def test_too_little_luck_makes_no_column() -> None:
    log = league(np.random.default_rng(8), 2, FEWEST_MATCHES - 1, weight=1.0)
    aggregate = Aggregate.of(log)
    assert luck_fit(fit(aggregate), aggregate) is None


@settings(max_examples=tries(30, quick=10))
@given(st.integers(0, 10_000), st.sampled_from(ScoreRule), st.integers(2, 5))
def test_one_by_one_or_at_once_or_with_some_taken_back_it_adds_up_to_the_same(
    seed: int, rule: ScoreRule, seats: int
) -> None:
    rng = np.random.default_rng(seed)
    log = league(rng, seats, 60, weight=1.0, block=2)
    whole = Aggregate.of(log, rule)
    one_by_one = Aggregate(rule, log.bots)
    more = MatchResult(
        "more",
        tuple((bot, 1 + bot % 2) for bot in range(seats)),
        luck=(0.3, -0.3, *[0.0] * (seats - 2)),
    )
    for match in log.matches():
        one_by_one.add(match)
        one_by_one.add(more)
    for _ in range(len(log)):
        one_by_one.remove(more)
    one, other = whole.luck, one_by_one.luck
    assert one.matches(BOTS).tolist() == other.matches(BOTS).tolist()
    assert one.matches(BOTS).sum() == 60 * seats
    assert one.products == pytest.approx(other.products, abs=1e-12)
    for first, second in (
        (one.all_pairs(BOTS), other.all_pairs(BOTS)),
        (one.counted_pairs(BOTS), other.counted_pairs(BOTS)),
        (one.squares(BOTS), other.squares(BOTS)),
    ):
        assert first == pytest.approx(second, abs=1e-12)
    assert one.all_pairs(BOTS) == pytest.approx(-one.all_pairs(BOTS).T, abs=1e-12)
    assert (one.all_pairs(BOTS) != 0).any()


def test_a_log_keeps_luck_whether_it_grew_or_came_at_once() -> None:
    log = league(np.random.default_rng(9), 3, 40, weight=1.0)
    matches = list(log.matches())
    assert all(match.luck is not None for match in matches)
    grown = Results[int]()
    # Luck comes in only after a while.
    for match in matches[:20]:
        grown.append(MatchResult(match.match, match.seats, match.block))
    for match in matches[20:]:
        grown.append(match)
    nothing = (0.0, 0.0, 0.0)
    assert [match.luck for match in grown.matches()] == [
        *[nothing] * 20,
        *(match.luck for match in matches[20:]),
    ]
    assert [match.luck for match in log.first(30).matches()] == [m.luck for m in matches[:30]]


@pytest.mark.parametrize("rule", ScoreRule)
def test_bots_can_come_with_their_matches_before_their_pairs(rule: ScoreRule) -> None:
    sums = LuckSums(rule)
    luck = np.array([[0.5, -0.5], [0.0, 0.0], [-0.25, 0.25]])
    sums.add_matches(np.array([[0, 1], [0, 1], [2, 1]], np.int32), luck, 3)
    assert sums.matches(4).tolist() == [1, 2, 1, 0]


def test_luck_of_other_seats_is_refused() -> None:
    with pytest.raises(ResultError, match="luck of 3 seats, not 2"):
        MatchResult("m", ((0, 1), (1, 2)), luck=(0.0, 0.0, 0.0))
    log = league(np.random.default_rng(10), 3, 10, weight=1.0)
    (table,) = log.tables
    assert table.luck is not None
    with pytest.raises(ResultError, match="luck of another number"):
        Results.of_tables(
            range(BOTS),
            [
                MatchColumns(
                    table.bots, table.placings, table.blocks, table.numbers, table.luck[:, :2]
                )
            ],
        )


@pytest.mark.parametrize("rule", ScoreRule)
def test_bots_without_luck_come_last_with_sums_of_zero(rule: ScoreRule) -> None:
    sums = LuckSums(rule)
    sums.add([(0, 1), (1, 2)], [0.25, -0.25], 1)
    more = 100
    for of_all, of_two in (
        (sums.all_pairs(more), [[0, 0.25], [-0.25, 0]]),
        (sums.counted_pairs(more), [[0, 0.25], [-0.25, 0]]),
        (sums.squares(more), [[0, 0.0625], [0.0625, 0]]),
    ):
        assert of_all.shape == (more, more)
        assert of_all[:2, :2].tolist() == of_two
        assert np.count_nonzero(of_all) == 2
