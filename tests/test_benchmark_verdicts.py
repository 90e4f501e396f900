"""What the benchmark of scale says of figures that vary from run to run, and what it keeps."""

from pathlib import Path

import pytest

from benchmarks.rounds import interval
from benchmarks.scale_load.figures import KeptFigures
from benchmarks.verdicts import Verdict, at_least, at_most, growth


def test_of_few_runs_a_bar_is_met_or_missed_only_where_all_agree() -> None:
    assert at_most([1.0, 2.0], 2.0) is Verdict.MET
    assert at_most([2.1, 3.0], 2.0) is Verdict.MISSED
    assert at_most([1.9, 2.1], 2.0) is Verdict.UNDECIDED
    assert at_least([0.8, 0.9], 0.8) is Verdict.MET
    assert at_least([0.6, 0.7], 0.8) is Verdict.MISSED
    assert at_least([0.7, 0.9], 0.8) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("runs", "outside"),
    # From tables of the sign test: how many runs may be left out at each end.
    [(1, 0), (5, 0), (8, 0), (9, 1), (11, 1), (12, 2), (14, 2), (15, 3), (25, 7)],
)
def test_of_many_runs_the_interval_of_the_median_leaves_some_out(runs: int, outside: int) -> None:
    figures = [float(run) for run in range(runs)]
    assert interval(figures[::-1]) == (outside, runs - 1 - outside)


def test_nine_runs_are_decided_although_one_is_an_outlier() -> None:
    assert at_most([1.0] * 8 + [9.0], 2.0) is Verdict.MET
    assert at_most([1.0] * 7 + [9.0], 2.0) is Verdict.UNDECIDED
    assert at_least([1.0] * 8 + [0.1], 0.8) is Verdict.MET
    assert at_most([9.0] * 8 + [1.0], 2.0) is Verdict.MISSED


def test_growth_is_told_without_the_start() -> None:
    assert growth([1.0, 1.1], [2.0, 2.1], [2.1, 2.2], 1.2) == (
        pytest.approx(1.1),
        Verdict.UNDECIDED,
    )
    assert growth([1.0], [2.0], [2.15], 1.2) == (pytest.approx(1.15), Verdict.MET)
    assert growth([1.0], [2.0], [2.25], 1.2) == (pytest.approx(1.25), Verdict.MISSED)


def test_no_growth_is_told_where_a_short_history_costs_no_more_than_the_noise() -> None:
    factor, verdict = growth([1.4, 1.5], [1.45, 1.55], [1.4, 1.6], 1.2)
    assert factor is None
    assert verdict is Verdict.UNDECIDED
    factor, verdict = growth([1.4, 1.5], [1.45, 1.55], [3.0, 3.1], 1.2)
    assert factor is None
    assert verdict is Verdict.MISSED


def test_figures_are_kept_until_their_part_is_to_be_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "figures.json"
    first = KeptFigures(file, again=[])
    first.add("referee: 2 seats", lambda: {"s": [1.0]})
    first.add("referees", lambda: {"2": 0.9})
    later = KeptFigures(file, again=["referee"])
    assert later.of("referees") == {"2": 0.9}
    assert later.of("crowd") == {}
    assert later.named("referee") == ["2 seats"]
    assert [later.lacks(one) for one in ("referee: 2 seats", "referees", "crowd")] == [
        True,
        False,
        True,
    ]
