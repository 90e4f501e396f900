"""Several referees on one database: one is killed, stopped, frozen or cut off from the database in
the middle of play, and no match is lost, void or recorded twice."""

import signal
from collections.abc import Callable

import pytest

from tests.end_to_end.programs import Program
from tests.several_referees import BOTS, Referees, leave

pytestmark = pytest.mark.slow

BUSY_SOON = 0.04
"""The load from which a second referee is used: less than the bots make at one."""
TAKEN_OVER = 3
"""The exit code of a referee that finds its lease gone."""


def killed(referees: Referees, referee: Program) -> None:
    referee.kill()


def stopped(referees: Referees, referee: Program) -> None:
    assert referee.stop() == 0


def frozen(referees: Referees, referee: Program) -> None:
    referee.process.send_signal(signal.SIGSTOP)
    referees.until_taken_over()
    referee.process.send_signal(signal.SIGCONT)
    assert referee.ended() == TAKEN_OVER


def cut_off(referees: Referees, referee: Program) -> None:
    target, referees.proxy.target = referees.proxy.target, ("127.0.0.1", 1)
    referees.proxy.cut()
    referees.until_taken_over()
    referees.proxy.target = target
    assert referee.ended() == TAKEN_OVER


@pytest.mark.parametrize(
    ("how", "spread_load"), [(killed, BUSY_SOON), (stopped, 0), (frozen, 0), (cut_off, 0)]
)
def test_matches_of_a_referee_that_goes_are_played_on_by_the_other(
    referees: Referees, how: Callable[[Referees, Program], None], spread_load: float
) -> None:
    first = referees.start(behind_proxy=how is cut_off, ARENA_SPREAD_LOAD=str(spread_load))
    referees.start()
    bots = referees.start_bots()
    referees.until_all_play()
    kept = "SELECT id FROM running_matches"
    referees.until(lambda: referees.ids(kept), "nothing is kept")
    running = referees.ids(kept)
    how(referees, first)
    referees.until_taken_over()
    running |= referees.ids(kept)
    referees.until_all_play()
    assert [bot.poll() for bot in bots] == [None] * BOTS, referees.said()
    leave(bots)
    referees.check(running)


def hung(referees: Referees, referee: Program) -> None:
    """To its bots the streams look whole."""
    referee.process.send_signal(signal.SIGSTOP)


@pytest.mark.parametrize(("how", "places"), [(killed, 1), (hung, 8)])
def test_bots_that_play_at_the_oldest_alone_play_their_matches_on_at_the_other_referee(
    referees: Referees, how: Callable[[Referees, Program], None], places: int
) -> None:
    first = referees.start(ARENA_SPREAD_LOAD="1")
    referees.start(ARENA_SPREAD_LOAD="1")
    bots = referees.start_bots(places=places)
    played = "SELECT DISTINCT version_id FROM match_seats"
    referees.until(lambda: len(referees.ids(played)) == BOTS, "not all bots play")
    kept = "SELECT id FROM running_matches"
    referees.until(lambda: referees.ids(kept), "nothing is kept")
    running = referees.ids(kept)
    try:
        how(referees, first)
        referees.until_taken_over()
        running |= referees.ids(kept)
        referees.until_all_play()
        assert [bot.poll() for bot in bots] == [None] * BOTS, referees.said()
    finally:
        first.process.send_signal(signal.SIGCONT)
    leave(bots)
    referees.check(running)


def test_a_rolling_restart_costs_no_match(referees: Referees) -> None:
    old = [referees.start(), referees.start()]
    bots = referees.start_bots()
    running: set[str] = set()
    for referee in old:
        referees.until_all_play()
        running |= referees.ids("SELECT id FROM running_matches")
        referees.start()
        referees.until_all_play()
        assert referee.stop() == 0
    referees.until_all_play()
    assert [bot.poll() for bot in bots] == [None] * BOTS, referees.said()
    leave(bots)
    referees.check(running)
