"""Which matches a request to watch asks for, and how spectators' queues are bounded."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.flow import PublicMoment
from arena.match.transcript import Entrant, Setup
from arena.server.play.ports import Follower, ShowableMatch
from arena.server.requests.errors import ProtocolError
from arena.server.watching.spectator_service import _most as most_at_once
from arena.server.watching.spectator_service import wanted
from arena.server.watching.spectators import MOST_IN_A_MESSAGE, Spectator, Spectators
from arena.v1 import spectator_pb2 as pb
from tests.server.play.hosted_matches import MATCH_ID, Scene


@dataclass
class Running:
    """A match as those who choose matches see it."""

    setup: Setup
    running: bool = True

    def show(self, follower: Follower) -> PublicMoment:
        raise NotImplementedError

    def hide(self) -> None:
        raise NotImplementedError


def match(*bots: str, game: str = "bluff", **options: object) -> ShowableMatch:
    entrants = tuple(Entrant(bot, "1", "owner") for bot in bots or ("Ann", "Bob"))
    rules = make_game(game, options)
    return Running(Setup(MATCH_ID, game, rules.options, entrants, TimeControl(), 3))


def fits(shown: ShowableMatch, of: str = "", **request: Any) -> bool:
    return wanted(pb.WatchRequest(**request))(shown, of)


def test_who_asks_for_nothing_is_shown_everything() -> None:
    assert fits(match())
    assert fits(match("a", "b", "c", game="bloeff"), "cup")


def test_a_match_is_named_by_its_id_in_any_case() -> None:
    assert fits(match(), match_id=MATCH_ID.upper())
    assert not fits(match(), match_id="00000000-2222-4333-8444-555555555555")


def test_a_bot_is_named_in_any_case_and_sits_in_any_seat() -> None:
    assert fits(match(), bot="ann")
    assert fits(match(), bot="BOB")
    assert fits(match("Ann", "Straße"), bot="STRASSE")
    assert not fits(match(), bot="an")


def test_a_tournament_is_named_in_any_case() -> None:
    assert fits(match(), "Cup", tournament="cUP")
    assert not fits(match(), "", tournament="cup")
    assert not fits(match(), "cup 2", tournament="cup")


def test_a_game_a_number_of_seats_and_options_are_those_of_the_match() -> None:
    assert fits(match(), game="bluff")
    assert not fits(match(), game="bloeff")
    assert fits(match(), seats=2)
    assert not fits(match(), seats=3)
    assert fits(match(dice_per_player=2), game="bluff")
    assert fits(match(dice_per_player=2), game="bluff", options_json='{"dice_per_player": 2}')
    assert not fits(match(dice_per_player=2), game="bluff", options_json="{}")
    assert fits(match(), game="bluff", options_json="{}")


def test_all_that_is_asked_for_must_fit() -> None:
    request = {"game": "bluff", "seats": 2, "bot": "Ann", "tournament": "cup"}
    assert fits(match(), "cup", **request)
    for name, other in (("game", "bloeff"), ("seats", 3), ("bot", "x"), ("tournament", "x")):
        assert not fits(match(), "cup", **(request | {name: other}))


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"match_id": "nothing"}, "not a UUID"),
        ({"seats": -1}, "not -1"),
        ({"options_json": "{}"}, "needs `game`"),
        ({"game": "chess"}, "the games are"),
        ({"game": "bluff", "options_json": '{"x": 1}'}, "no option"),
    ],
    ids=str,
)
def test_what_is_never_possible_is_refused(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        wanted(pb.WatchRequest(**request_))


class Seat:
    """A spectator, and what it was told."""

    def __init__(self, most: int = 10, most_waiting: int = 1_000) -> None:
        self.woken = self.overflows = 0
        self.spectator = Spectator(
            lambda _match, _tournament: True, most, self._wake, self._overflow, most_waiting
        )

    def _wake(self) -> None:
        self.woken += 1

    def _overflow(self) -> None:
        self.overflows += 1


def test_a_spectator_is_woken_when_the_first_part_waits_and_takes_what_is_due() -> None:
    seat = Seat()
    assert seat.spectator.next_due is None
    for due, part in ((1.0, b"a"), (2.0, b"b"), (3.0, b"c")):
        seat.spectator.add(due, part)
    assert seat.woken == 1
    assert seat.spectator.next_due == 1.0
    assert seat.spectator.take(0.9) == b""
    assert seat.spectator.take(2.0) == b"ab"
    assert seat.spectator.next_due == 3.0
    assert seat.spectator.take(9.0) == b"c"
    seat.spectator.add(4.0, b"d")
    assert seat.woken == 2


def test_a_message_holds_so_many_parts_at_most() -> None:
    seat = Seat()
    for _ in range(MOST_IN_A_MESSAGE + 1):
        seat.spectator.add(0.0, b".")
    assert len(seat.spectator.take(0.0)) == MOST_IN_A_MESSAGE
    assert seat.spectator.take(0.0) == b"."


def test_so_many_parts_wait_and_with_one_more_all_are_given_up() -> None:
    seat = Seat(most_waiting=3)
    for _ in range(3):
        seat.spectator.add(0.0, b".")
    assert (seat.overflows, seat.spectator.next_due) == (0, 0.0)
    seat.spectator.add(0.0, b".")
    assert (seat.overflows, seat.spectator.next_due) == (1, None)


def stage(*tournaments: str) -> tuple[list[Scene], Spectators]:
    """Running matches with ids of their own, one of each tournament."""
    scenes = []
    for _ in tournaments:
        scene = Scene("bluff", 2, dice_per_player=2)
        scene.begin()
        scenes.append(scene)
    tables = [cast(ShowableMatch, scene.table) for scene in scenes]
    running = list(zip(tables, tournaments, strict=True))
    return scenes, Spectators(lambda: running, scenes[0].timer)


def test_who_enters_is_shown_what_runs_and_how_many() -> None:
    _, spectators = stage("cup")
    seat = Seat()
    assert spectators.enter(seat.spectator) == 1
    assert len(spectators) == 1
    shown = pb.WatchResponse.FromString(seat.spectator.take(2_000.0))
    assert [one.tournament for one in shown.matches] == ["cup"]


def test_who_has_no_room_is_shown_no_further_match() -> None:
    scenes, spectators = stage("cup")
    full, other = Seat(most=0), Seat(most=1)
    assert spectators.enter(full.spectator) == 0
    assert spectators.enter(other.spectator) == 1
    assert not other.spectator.has_room
    spectators.begins(scenes[0].table, "cup")
    shown = pb.WatchResponse.FromString(other.spectator.take(2_000.0))
    assert len(shown.matches) == 1
    assert full.spectator.next_due is None


def test_one_that_leaves_takes_no_match_from_the_others() -> None:
    scenes, spectators = stage("")
    leaves, stays = Seat(), Seat()
    for seat in (leaves, stays):
        spectators.enter(seat.spectator)
        seat.spectator.take(2_000.0)
    spectators.leave(leaves.spectator)
    assert leaves.spectator.shown == {}
    scenes[0].play_on()
    scenes[0].announce()
    told = pb.WatchResponse.FromString(stays.spectator.take(2_000.0))
    assert told.moments and len(told.ends) == 1
    assert leaves.spectator.next_due is None
    assert stays.spectator.shown == {}


def test_a_match_that_nobody_watches_any_more_can_be_watched_again() -> None:
    scenes, spectators = stage("")
    first, second = Seat(), Seat()
    spectators.enter(first.spectator)
    spectators.leave(first.spectator)
    spectators.leave(first.spectator)
    assert spectators.enter(second.spectator) == 1
    scenes[0].play_on()
    scenes[0].announce()
    assert len(pb.WatchResponse.FromString(second.spectator.take(2_000.0)).ends) == 1


@pytest.mark.parametrize(
    ("asked", "most"), [(-1, None), (0, 1_000), (1, 1), (1_000, 1_000), (1_001, None)]
)
def test_a_spectator_asks_for_one_to_a_thousand_matches_at_once(
    asked: int, most: int | None
) -> None:
    request = pb.WatchRequest(max_matches=asked)
    if most is not None:
        assert most_at_once(request) == most
        return
    with pytest.raises(ProtocolError, match=f"`max_matches` is 1 to 1000, not {asked}"):
        most_at_once(request)
