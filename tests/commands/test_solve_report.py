"""How `arena solve` says how far it is, without a search and without waiting."""

import pytest

from arena.commands.solve_report import Reporter, progress_words, seconds_to_go
from arena.lab.solver import Gap, Progress


def progress(
    *gaps: tuple[int, float], iterations: int, seconds: float, target: float = 1e-5
) -> Progress:
    return Progress((1, 2), iterations, seconds, target, tuple(Gap(*look) for look in gaps))


def test_before_the_first_look_only_iterations_are_told() -> None:
    assert progress_words(progress(iterations=1, seconds=11)) == "1 iteration in 11 s"
    assert progress_words(progress(iterations=3, seconds=33)) == "3 iterations in 33 s"


def test_bounds_that_come_nearer_tell_the_time_to_go() -> None:
    # They come ten times nearer in ten times as many iterations.
    now = progress((100, 1e-2), (1_000, 1e-3), iterations=1_000, seconds=60, target=1e-4)
    assert seconds_to_go(now) == pytest.approx(540)
    assert progress_words(now) == (
        "1,000 iterations in 60 s, exploitability 0.0005, bounds 0.001 apart in this round "
        "(0.0001 is wanted: about 540 s to go)"
    )


def test_iterations_since_the_last_look_are_taken_off() -> None:
    gaps = (100, 1e-2), (1_000, 1e-3)
    now = progress(*gaps, iterations=2_000, seconds=120, target=1e-4)
    assert seconds_to_go(now) == pytest.approx(480)
    assert seconds_to_go(progress(*gaps, iterations=20_000, seconds=1, target=1e-4)) == 0


def test_the_time_to_go_comes_from_half_of_the_iterations_not_from_the_last_two_gaps() -> None:
    now = progress(
        (100, 1e-2), (900, 1.0001e-3), (1_000, 1e-3), iterations=1_000, seconds=60, target=1e-4
    )
    assert seconds_to_go(now) == pytest.approx(540)


@pytest.mark.parametrize("before", [1e-3, 0.9e-3, 1.0001e-3])
def test_bounds_that_hardly_come_nearer_give_no_endless_time(before: float) -> None:
    now = progress((100, before), (1_000, 1e-3), iterations=1_000, seconds=60, target=1e-4)
    seconds = seconds_to_go(now)
    # With the square root of the iterations at worst.
    assert seconds is None or seconds == pytest.approx(60 * 99)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(59, "531 s"), (100, "15 minutes"), (1_000, "2 hours"), (30_000, "3 days"), (1e6, "months")],
)
def test_long_times_are_told_in_minutes_hours_and_days(seconds: float, words: str) -> None:
    now = progress((100, 1e-2), (1_000, 1e-3), iterations=1_000, seconds=seconds, target=1e-4)
    assert f"about {words} to go" in progress_words(now)


def test_what_is_near_enough_has_no_time_to_go() -> None:
    assert progress_words(progress((8, 1e-6), iterations=8, seconds=1)) == (
        "8 iterations in 1 s, exploitability 5e-07, bounds 1e-06 apart in this round"
    )


def test_a_report_comes_once_a_second_after_gaps_and_seldom_without(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report, told = Reporter(), []
    gaps: tuple[tuple[int, float], ...] = ()
    # An iteration takes five seconds; of two gaps the second waits for the next report.
    for iterations, seconds, looked in (
        (1, 5.0, False), (2, 10.0, False), (4, 20.0, False), (5, 25.0, False), (8, 40.0, True),
        (9, 40.5, True), (10, 50.0, False), (13, 60.5, False),
    ):  # fmt: skip
        gaps += ((iterations, 1 / iterations),) if looked else ()
        report(progress(*gaps, iterations=iterations, seconds=seconds))
        told.append(capsys.readouterr().err)
    assert [number for number, text in enumerate(told) if text] == [2, 4, 6]
    assert told[2] == "1 against 2 dice: 4 iterations in 20 s\n"


def test_each_round_is_reported_from_its_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    report = Reporter()
    report(progress((100, 1e-3), iterations=100, seconds=100))
    other = Progress((2, 1), 8, 1.5, 1e-5, (Gap(8, 1e-2),))
    report(other)
    assert capsys.readouterr().err.splitlines()[1].startswith("2 against 1 dice: 8 iterations")
