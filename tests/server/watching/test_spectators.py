"""`Spectators` without a network: delays, slow spectators, and what a match notices of them."""

from structlog.testing import capture_logs

from arena.match.flow import PublicMoment
from arena.match.transcript import Setup
from arena.server.limits.limits import Limits
from arena.server.play.ports import Follower
from arena.server.watching.spectators import PART_SECONDS, Spectator, Spectators
from arena.v1 import spectator_pb2
from tests.server.play.hosted_matches import MATCH_ID, Scene


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


def test_a_hundred_matches_a_second_are_shown_in_less_than_the_share_of_the_time() -> None:
    stand = Stand(limits=Limits(watching_burst_seconds=0.0))
    for _ in range(300):
        stand.show()
        assert stand.taken().matches
        stand.spectators.leave(stand.spectator)
        stand.scene.timer.turn(0.01)
    assert stand.spectators.overdrawn_seconds == 0


def test_matches_that_begin_are_left_out_when_showing_takes_more_than_its_share_of_the_time() -> (
    None
):
    share, burst = 0.1, 10 * PART_SECONDS
    stand = Stand(limits=Limits(watching_share=share, watching_burst_seconds=burst))
    shown = 0
    while stand.spectators.overdrawn_seconds == 0:
        stand.show()
        assert stand.taken().matches
        stand.spectators.leave(stand.spectator)
        shown += 1
    assert 5 < shown < 11, "a part for a spectator takes longer than one for nobody"
    stand.show()
    assert not stand.taken().matches
    stand.spectators.leave(stand.spectator)
    stand.scene.timer.turn(PART_SECONDS / share)
    stand.show()
    assert stand.taken().matches
