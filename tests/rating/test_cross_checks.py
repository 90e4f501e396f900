"""Ratings compared with independent methods: bootstrap, online rating, and the history of a log."""

import subprocess
import sys

import numpy as np
import pytest
from openskill.models import BradleyTerryFull
from scipy.stats import spearmanr

from arena.rating.aggregate import Aggregate
from arena.rating.bootstrap import Bootstrap, bootstrap
from arena.rating.bradley_terry import Anchor, fit
from arena.rating.errors import AnchorError
from arena.rating.history import history
from arena.rating.intervals import intervals
from arena.rating.methods import Clusters
from arena.rating.results import MatchResult, Results
from tests.rating.leagues import random_results


@pytest.mark.parametrize("clusters", [Clusters.BLOCK, Clusters.MATCH])
def test_the_bootstrap_finds_the_errors_of_the_sandwich(clusters: Clusters) -> None:
    rng = np.random.default_rng(11)
    log = random_results(rng, bots=12, matches=6000, block=6)
    fitted = fit(Aggregate.of(log))
    measured = intervals(fitted, log, clusters)
    replicates = bootstrap(fitted, log, rng, replicates=400, clusters=clusters)
    ratio = replicates.se / measured.se
    assert ratio.mean() == pytest.approx(1.0, abs=0.04)
    assert ratio == pytest.approx(np.ones(12), abs=0.15)
    first, second = fitted.bots[:2]
    assert replicates.difference_se(first, second) == pytest.approx(
        measured.difference_se[0, 1], rel=0.15
    )


def test_the_errors_of_a_bootstrap_are_standard_deviations_of_its_replicates() -> None:
    found = Bootstrap(("A", "B"), np.array([[10.0, -10.0], [30.0, -30.0], [20.0, -20.0]]))
    assert found.se == pytest.approx([10.0, 10.0])
    assert found.difference_se("A", "B") == pytest.approx(20.0)


def test_counts_without_some_matches_are_those_of_the_others() -> None:
    rows = [
        ("1", None, [("A", 1), ("B", 2)]),
        ("2", None, [("B", 1), ("C", 1)]),
        ("3", None, [("C", 1), ("A", 2), ("B", 3)]),
    ]
    found, left = (Aggregate.of(Results.of_rows(part)) for part in (rows, rows[:2]))
    rest = found.without(Aggregate.of(Results.of_rows(rows[2:])))
    assert dict(zip(rest.bots, rest.matches.tolist(), strict=True)) == {"A": 1, "B": 2, "C": 1}
    order = np.ix_(*[[left.bots.index(bot) for bot in rest.bots]] * 2)
    assert rest.wins.tolist() == left.wins[order].tolist()
    assert rest.ties.tolist() == left.ties[order].tolist()


def test_the_bootstrap_over_pairs_of_a_match_is_refused() -> None:
    log = random_results(np.random.default_rng(12), bots=4, matches=10, seats=(2,))
    with pytest.raises(ValueError, match="not independent"):
        bootstrap(fit(Aggregate.of(log)), log, np.random.default_rng(0), clusters=Clusters.PAIR)


def test_replicates_without_a_finite_fit_are_left_out() -> None:
    rows = [(n, None, [("A", 1), ("B", 2)]) for n in range(3)]
    log = Results.of_rows([*rows, ("last", None, [("B", 1), ("A", 2)])])
    fitted = fit(Aggregate.of(log), prior_sd=None)
    replicates = bootstrap(fitted, log, np.random.default_rng(0), replicates=100)
    assert 0 < len(replicates.elo) < 100
    assert np.isfinite(replicates.elo).all()


def test_openskill_ranks_an_untied_league_alike() -> None:
    log = random_results(
        np.random.default_rng(13), bots=10, matches=3000, seats=(2, 4), spread=200.0, grain=0.0
    )
    model = BradleyTerryFull()
    theirs = {bot: model.rating() for bot in log.bots}
    for match in log.matches():
        teams = [[theirs[bot]] for bot, _ in match.seats]
        ranks = [float(placing) for _, placing in match.seats]
        for (bot, _), (rated,) in zip(match.seats, model.rate(teams, ranks=ranks), strict=True):
            theirs[bot] = rated
    ours = fit(Aggregate.of(log)).ratings()
    same = spearmanr([ours[bot] for bot in log.bots], [theirs[bot].mu for bot in log.bots])
    assert same.statistic > 0.95


def test_the_history_ends_at_the_board_and_each_moment_is_the_fit_of_its_past() -> None:
    log = random_results(np.random.default_rng(14), bots=6, matches=100, block=3)
    moments = list(history(log, every=30))
    assert [moment.matches for moment in moments] == [30, 60, 90, 100]
    for moment in moments:
        past = Results(
            match for match, _ in zip(log.matches(), range(moment.matches), strict=False)
        )
        expected = fit(Aggregate.of(past)).ratings()
        assert moment.fit.ratings() == pytest.approx(expected, abs=1e-9)


def test_the_history_starts_when_the_anchor_has_played() -> None:
    log = Results([MatchResult(1, (("A", 1), ("B", 2))), MatchResult(2, (("A", 1), ("C", 2)))])
    moments = list(history(log, every=1, anchor=Anchor("C", 1500.0)))
    assert [moment.matches for moment in moments] == [2]
    with pytest.raises(AnchorError):
        list(history(log, every=1, anchor=Anchor("Z", 1500.0)))
    with pytest.raises(ValueError, match="at least 1"):
        list(history(log, every=0))


def test_a_live_board_does_not_load_scipy() -> None:
    # The referee process stays small; what needs scipy is asked for elsewhere.
    code = (
        "import arena.rating.ladder, arena.rating.history, arena.rating.win_share, "
        "arena.rating.head_to_head, arena.rating.sprt, arena.rating.luck, arena.rating.nash, "
        "arena.rating.misfit, arena.rating.bootstrap"
    )
    check = f"{code}; import sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
