"""Context for an Elo: pairs, win shares, the worst residual, Nash averaging, luck."""

import numpy as np
import pytest

from arena.rating.aggregate import Aggregate
from arena.rating.bootstrap import resampled
from arena.rating.bradley_terry import fit
from arena.rating.errors import RatingError
from arena.rating.head_to_head import head_to_head, wilson, worst_residual
from arena.rating.luck import adjusted_share, luck_adjusted
from arena.rating.nash import equilibrium, nash_average, nash_bootstrap
from arena.rating.results import MatchResult, Results
from arena.rating.win_share import win_shares


def games(*pairs: tuple[str, str, int, int]) -> Results[str]:
    """(first, second, wins, losses), ..."""
    log: Results[str] = Results()
    for first, second, wins, losses in pairs:
        for game in range(wins + losses):
            places = (1, 2) if game < wins else (2, 1)
            log.append(
                MatchResult((first, second, game), ((first, places[0]), (second, places[1])))
            )
    return log


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # Newcombe 1998 (Statistics in Medicine 17, 857-872), table I, method 3: score.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(
    wins: int, games: int, low: float, high: float
) -> None:
    found = wilson(np.array([float(wins)]), np.array([float(games)]))
    assert [bound[0] for bound in found] == pytest.approx([low, high], abs=5e-5)


def test_the_matrix_counts_wins_draws_and_losses() -> None:
    log = Results.of_rows(
        [("1", None, [("A", 1), ("B", 2), ("C", 2)]), ("2", None, [("A", 2), ("B", 1)])]
    )
    matrix = head_to_head(Aggregate.of(log))
    assert matrix.bots == ("A", "B", "C")
    assert (matrix.wins[0, 1], matrix.ties[0, 1], matrix.losses[0, 1]) == (1, 0, 1)
    assert (matrix.wins[1, 2], matrix.ties[1, 2], matrix.losses[1, 2]) == (0, 1, 0)
    assert matrix.share[0].tolist()[1:] == [0.5, 1.0]
    assert np.isnan(matrix.share[0, 0])
    assert (matrix.low[0, 0], matrix.high[0, 0]) == (0.0, 1.0)
    assert matrix.low[0, 2] + matrix.high[2, 0] == pytest.approx(1.0)


def test_win_shares_split_a_shared_first_place_and_tied_placings() -> None:
    log = Results.of_rows(
        [
            ("1", None, [("A", 1), ("B", 1), ("C", 3)]),
            ("2", None, [("A", 1), ("B", 2), ("C", 2)]),
            ("3", None, [("A", 1), ("B", 2)]),
        ]
    )
    two, three = win_shares(log)
    assert (two.seats, three.seats) == (2, 3)
    assert three.matches.tolist() == [2, 2, 2]
    assert three.firsts.tolist() == [1.5, 0.5, 0.0]
    assert three.mean_placing.tolist() == [1.25, 2.0, 2.75]
    assert two.matches.tolist() == [1, 1, 0]
    assert np.isnan(two.share[2])


def test_the_worst_residual_is_the_bot_with_a_nemesis() -> None:
    log = games(("A", "B", 50, 50), ("A", "C", 50, 50), ("A", "D", 50, 50), ("B", "C", 80, 20))
    found = worst_residual(fit(Aggregate.of(log)))
    assert found is not None
    assert (found.bot, found.opponent) == ("B", "C")
    assert found.actual == 0.8
    assert found.expected < 0.75
    assert worst_residual(fit(Aggregate.of(log)), fewest=1000) is None


def test_stone_paper_scissors_is_played_evenly() -> None:
    game = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    assert equilibrium(game) == pytest.approx(np.full(3, 1 / 3))


def test_copies_share_the_weight_of_one() -> None:
    # Balduzzi et al. 2018, section 3: adding copies of C leaves A and B what they had.
    game = np.array(
        [[0, 4.6, -4.6, -4.6], [-4.6, 0, 4.6, 4.6], [4.6, -4.6, 0, 0], [4.6, -4.6, 0, 0]]
    )
    assert equilibrium(game) == pytest.approx(np.array([1 / 3, 1 / 3, 1 / 6, 1 / 6]), abs=1e-6)


def test_equal_bots_are_weighed_equally_and_a_dominated_one_not_at_all() -> None:
    game = np.zeros((4, 4))
    game[:3, 3], game[3, :3] = 1.0, -1.0
    assert equilibrium(game) == pytest.approx(np.array([1 / 3, 1 / 3, 1 / 3, 0.0]), abs=1e-6)
    assert equilibrium(np.zeros((1, 1))).tolist() == [1.0]


def test_no_bot_gains_against_an_equilibrium() -> None:
    rng = np.random.default_rng(21)
    for count in (2, 5, 20, 60):
        half = rng.normal(size=(count, count))
        game = half - half.T
        weight = equilibrium(game)
        assert weight.sum() == pytest.approx(1.0)
        assert (weight >= 0).all()
        assert (game @ weight).max() < 1e-9


def test_farming_the_weak_lifts_an_elo_but_no_nash_weight() -> None:
    weak = [f"Weak {n}" for n in range(6)]
    pairs = [("Solid", "Farmer", 55, 45)]
    for bot in weak:
        pairs += [("Solid", bot, 60, 40), ("Farmer", bot, 95, 5)]
    fitted = fit(Aggregate.of(games(*pairs)))
    assert fitted.ratings()["Farmer"] > fitted.ratings()["Solid"]
    average = nash_average(fitted)
    weights = dict(zip(average.bots, average.weight.tolist(), strict=True))
    assert weights["Solid"] == pytest.approx(1.0, abs=1e-6)
    assert average.value.max() < 1e-9


def test_the_nash_bootstrap_shows_how_unsteady_the_weights_are() -> None:
    log = games(("A", "B", 52, 48), ("B", "C", 52, 48), ("A", "C", 52, 48))
    fitted = fit(Aggregate.of(log))
    weights = nash_bootstrap(
        fitted, resampled(fitted, log, np.random.default_rng(22), replicates=50)
    )
    assert weights.shape == (50, 3)
    assert weights.sum(axis=1) == pytest.approx(np.ones(50))
    assert weights.std(axis=0).max() > 0.2


def test_taking_luck_out_leaves_the_mean_and_shrinks_the_error() -> None:
    rng = np.random.default_rng(23)
    errors, raw_errors, stated = [], [], []
    for _ in range(500):
        luck = rng.normal(size=200)
        outcomes = 0.3 + 0.5 * luck + rng.normal(0, 0.5, 200)
        found = luck_adjusted(outcomes, luck)
        errors.append(found.adjusted - 0.3)
        raw_errors.append(found.raw - 0.3)
        stated.append(found.adjusted_se)
    assert np.mean(errors) == pytest.approx(0.0, abs=0.005)
    assert np.std(errors) == pytest.approx(np.mean(stated), rel=0.1)
    assert np.std(errors) / np.std(raw_errors) == pytest.approx(0.5**0.5, rel=0.1)
    assert found.variance_factor == pytest.approx(0.5, abs=0.15)


def test_the_control_variate_is_an_intercept_of_least_squares() -> None:
    rng = np.random.default_rng(24)
    luck, outcomes = rng.normal(size=(50, 2)), rng.normal(size=50)
    design = np.column_stack([np.ones(50), luck])
    solution = np.linalg.lstsq(design, outcomes)[0]
    found = luck_adjusted(outcomes, luck)
    assert found.adjusted == pytest.approx(solution[0])
    assert found.coefficients == pytest.approx(tuple(solution[1:]))
    # The jackknife, block by block.
    changes = [
        np.linalg.lstsq(design[kept], outcomes[kept])[0][0] - solution[0]
        for kept in (np.arange(50) != left_out for left_out in range(50))
    ]
    assert found.adjusted_se**2 == pytest.approx(49 / 50 * np.square(changes).sum())


def test_few_blocks_that_scatter_unequally_have_intervals_that_hold() -> None:
    rng, hits = np.random.default_rng(25), 0
    for _ in range(2_000):
        luck = rng.normal(size=(20, 5))
        outcomes = 0.3 * luck[:, 0] + (0.1 + np.abs(luck[:, 1])) * rng.normal(size=20)
        found = luck_adjusted(outcomes, luck)
        hits += abs(found.adjusted) <= 1.96 * found.adjusted_se
    assert 0.95 <= hits / 2_000 <= 0.98  # where scatter is taken to be equal, 0.94


def test_luck_that_never_varies_changes_nothing() -> None:
    outcomes = np.array([0.0, 1.0, 1.0, 0.5, 0.25])
    found = luck_adjusted(outcomes, np.full(5, 0.1))
    assert found.adjusted == pytest.approx(found.raw)
    assert found.variance_factor == pytest.approx(1.0)
    assert luck_adjusted(np.ones(5), outcomes).variance_factor == 1.0


def test_too_few_blocks_are_refused() -> None:
    with pytest.raises(RatingError, match="too few"):
        luck_adjusted(np.ones(3), np.ones(3))
    with pytest.raises(RatingError, match="rows of luck"):
        luck_adjusted(np.ones(6), np.ones(5))


def test_intervals_of_a_luck_adjusted_share_hold_and_end_between_0_and_1() -> None:
    rng, simulated = np.random.default_rng(26), 600
    for chance, matches in ((0.5, 40), (0.9, 20), (0.9, 40), (0.98, 40)):
        hits = 0
        for _ in range(simulated):
            luck = np.clip(rng.normal(0, 0.15, matches), -0.6, 0.6)
            chances = np.clip(chance + 3.2 * chance * (1 - chance) * luck, 0, 1)
            found = adjusted_share(
                (rng.random((matches, 1)) < chances[:, None]).astype(float), luck
            )
            assert 0 <= found.low < found.high <= 1
            assert found.low <= found.share <= found.high
            hits += found.low <= chance <= found.high
        assert hits / simulated > 0.92  # by the regression alone at 0.98, 0.57


@pytest.mark.parametrize(
    "why",
    ["all are won", "four are lost", "few blocks", "luck explains nothing", "blocks are alike"],
)
def test_a_share_that_cannot_be_adjusted_for_luck_is_the_raw_one(why: str) -> None:
    rng = np.random.default_rng(27)
    luck = rng.normal(size=40)
    won = np.stack([luck > 0.3, luck > -0.3], axis=1).astype(float)
    assert adjusted_share(won, luck).variance_factor < 0.5
    if why == "all are won":
        won[:] = 1
    elif why == "four are lost":
        won[:] = luck[:, None] > np.sort(luck)[[1, 1]]
    elif why == "few blocks":
        won, luck = won[:19], luck[:19]
    elif why == "luck explains nothing":
        luck[:] = 0
    else:
        won[:] = [0, 1]
    found, worth = adjusted_share(won, luck, design_effect=0.5), 2 * won.size
    low, high = wilson(np.array([won.mean() * worth]), np.array([worth]))
    assert found.variance_factor == 0.5 and found.share == won.mean()
    assert (found.low, found.high) == (low[0], high[0])
