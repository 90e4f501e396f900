"""`Spectators` without a network: delays, slow spectators, and what a match notices of them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from arena.match.flow import PublicMoment
from arena.match.transcript import Setup
from arena.server.limits.limits import Limits
from arena.server.play.ports import Follower, ShowableMatch
from arena.server.watching.spectators import AT_ONCE_SECONDS, Spectator, Spectators
from arena.v1 import spectator_pb2
from tests.server.play.hosted_matches import MATCH_ID, Scene


def _nothing() -> None:
    pass


class Stand:
    """A hosted match, the spectators, and one of them."""

    def __init__(
        self, delay: float = 0.0, most_waiting: int = 1000, limits: Limits = Limits()
    ) -> None:
        self.scene = Scene("bluff", 2, dice_per_player=2)
        self.spectators = Spectators(list, self.scene.timer, delay, limits)
        self.woken: list[None] = []
        self.overflows: list[None] = []
        self.spectator = Spectator(
            lambda _match, _tournament: True,
            10,
            lambda: self.woken.append(None),
            lambda: self.overflows.append(None),
            most_waiting,
        )
        self.scene.begin()

    def show(self) -> None:
        self.spectators.enter(self.spectator)
        self.spectators.begins(self.scene.table, "cup")

    def taken(self) -> spectator_pb2.WatchResponse:
        data = self.spectator.take(self.scene.timer.now())
        return spectator_pb2.WatchResponse.FromString(data)


def test_nothing_is_sent_before_the_delay_is_over() -> None:
    stand = Stand(delay=30)
    stand.show()
    assert stand.taken() == spectator_pb2.WatchResponse()
    stand.scene.timer.turn(29.9)
    assert stand.taken() == spectator_pb2.WatchResponse()
    stand.scene.timer.turn(0.1)
    shown = stand.taken()
    assert [one.tournament for one in shown.matches] == ["cup"]
    assert [one.match_id for one in shown.moments] == [MATCH_ID]


def test_a_match_nobody_watches_has_no_onlooker_and_a_watched_one_loses_it() -> None:
    stand = Stand()
    stand.spectators.begins(stand.scene.table, "")
    assert stand.scene.table._follower is None
    stand.show()
    assert stand.scene.table._follower is not None
    stand.spectators.leave(stand.spectator)
    assert stand.scene.table._follower is None
    stand.scene.play_on()
    assert stand.taken().ends == []


def test_the_end_comes_when_the_match_is_recorded() -> None:
    stand = Stand()
    stand.show()
    stand.scene.play_on()
    assert stand.scene.outcomes and not stand.taken().ends
    stand.scene.announce()
    (end,) = stand.taken().ends
    assert sorted(end.result.placing) == [1, 2]
    assert stand.spectator.shown == {}


def test_a_void_match_ends_without_a_result() -> None:
    stand = Stand()
    stand.show()
    stand.scene.table.break_off("a test")
    (end,) = stand.taken().ends
    assert not end.HasField("result")


def test_a_spectator_that_does_not_read_is_dropped_and_the_match_goes_on() -> None:
    stand = Stand(most_waiting=3)
    stand.show()
    stand.scene.play_on()
    assert stand.overflows and stand.scene.outcomes
    stand.spectators.leave(stand.spectator)
    assert len(stand.spectators) == 0


class Unshowable:
    """A match that fails whoever asks it for anything."""

    running = True

    @property
    def setup(self) -> Setup:
        return Scene().table.setup

    def show(self, follower: Follower) -> PublicMoment:
        raise RuntimeError

    def hide(self) -> None:
        raise RuntimeError


def test_an_error_of_ours_does_not_reach_the_match_but_the_log() -> None:
    stand = Stand()
    stand.spectators.enter(stand.spectator)
    with capture_logs() as lines:
        stand.spectators.begins(Unshowable(), "")
    assert [line["event"] for line in lines] == ["match not shown"]


class SlowMatch:
    """A match whose showing begins only after some time of the stand's timer."""

    running = True

    def __init__(self, stand: Stand, number: int, seconds: float) -> None:
        self._stand = stand
        self._seconds = seconds
        self._scene = Scene("bluff", 2, dice_per_player=2).begin()
        self.setup = replace(self._scene.table.setup, match_id=f"match {number}")
        self.shown = 0

    def show(self, follower: Follower) -> PublicMoment:
        self.shown += 1
        self._stand.scene.timer.turn(self._seconds)
        return self._scene.table.show(follower)

    def hide(self) -> None:
        pass


class SlowStand(Stand):
    """A stand where several such matches run already."""

    def __init__(self, matches: int, seconds: float, limits: Limits = Limits()) -> None:
        super().__init__(limits=limits)
        self.matches = [SlowMatch(self, number, seconds) for number in range(matches)]
        self.spectators._running = self._running

    def _running(self) -> Iterator[tuple[ShowableMatch, str]]:
        return ((match, "") for match in self.matches)

    @property
    def shown(self) -> list[int]:
        """How often each match was shown."""
        return [match.shown for match in self.matches]


def test_matches_that_begin_are_left_out_when_showing_takes_more_than_its_share_of_the_time() -> (
    None
):
    stand = SlowStand(0, 0, Limits(watching_share=0.1, watching_burst_seconds=1.0))
    stand.spectators.enter(stand.spectator)
    for number in range(4):
        stand.spectators.begins(SlowMatch(stand, number, 0.5), "")
    # The third half second was begun when one was used; of all, 1.5 are earned in 15.
    assert len(stand.taken().matches) == 3
    assert stand.spectators.overdrawn_seconds == pytest.approx(4, abs=0.01)
    stand.scene.timer.turn(4.01)
    stand.spectators.begins(SlowMatch(stand, 4, 0.5), "")
    assert len(stand.taken().matches) == 1


def test_running_matches_are_shown_by_and_by_to_whoever_comes() -> None:
    stand = SlowStand(7, AT_ONCE_SECONDS / 2)
    assert stand.spectators.enter(stand.spectator) == 2
    assert stand.shown == [1, 1, 0, 0, 0, 0, 0]
    pause = AT_ONCE_SECONDS / Limits().watching_share
    for shown in (4, 6, 7):
        stand.scene.timer.turn(pause + AT_ONCE_SECONDS)
        assert sum(stand.shown) == len(stand.spectator.shown) == shown
    assert not stand.spectators._goes_on
    assert len(stand.taken().matches) == 7


def test_the_first_match_is_shown_at_once_however_many_others_come() -> None:
    stand = SlowStand(2, AT_ONCE_SECONDS)
    others = [Spectator(lambda *_: True, 10, _nothing, _nothing, 1_000) for _ in range(2)]
    for one in (stand.spectator, *others):
        assert stand.spectators.enter(one) == 1
    stand.spectators.leave(stand.spectator)
    stand.spectators.leave(others[0])
    stand.scene.timer.turn(1)
    assert len(others[1].shown) == 2
    assert stand.shown == [3, 1], "who has left is shown nothing"
    assert not stand.spectators._goes_on


def test_running_matches_wait_until_the_share_of_the_time_is_regained() -> None:
    stand = SlowStand(2, 0.5, Limits(watching_share=0.1, watching_burst_seconds=0.1))
    assert stand.spectators.enter(stand.spectator) == 1
    stand.scene.timer.turn(3.9)
    assert stand.shown == [1, 0]
    stand.scene.timer.turn(0.11)
    assert stand.shown == [1, 1]


def test_a_running_match_that_cannot_be_shown_does_not_keep_others_waiting() -> None:
    stand = SlowStand(2, AT_ONCE_SECONDS)
    stand.spectators.enter(stand.spectator)
    stand.matches[1] = Unshowable()  # type: ignore[call-overload]
    with capture_logs() as lines:
        stand.scene.timer.turn(1)
    assert [line["event"] for line in lines] == ["running matches not shown"]
    assert not stand.spectators._goes_on
