"""How long bots that missed, declined or left are offered nothing, and which copy plays."""

from collections import Counter

import pytest

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.scheduling.ladder import Candidate
from arena.server.ladder.connected_bots import ConnectedBot, Reliability
from arena.server.ladder.roster import Roster, leave_out
from tests.server.ladder.arrivals import Guest, World

WORLD = World()

ALL = (1, 2)
"""Versions; `copy` makes the first."""


def copy(instance: str = "", *, reliability: Reliability | None = None) -> ConnectedBot:
    registered = Registered(VersionId(1), Entrant("bot", "1", "owner"), False)
    guest = Guest(WORLD, registered, frozenset(["bluff"]), 4, instance=instance)
    candidate = Candidate(1, "owner", False, guest.games)
    return ConnectedBot(guest, candidate, reliability or Reliability())


def test_each_copy_that_declined_rests_for_its_own_time() -> None:
    shared = Reliability()
    left, right = (copy(name, reliability=shared) for name in ("left", "right"))
    assert shared.declined("left", 100.0, 5) == 105
    assert shared.declined("right", 103.0, 5) == 108
    assert [bot.takes_offers(104.9) for bot in (left, right)] == [False, False]
    assert [bot.takes_offers(105.0) for bot in (left, right)] == [True, False]
    assert shared.declined("third", 106.0, 5) == 111
    assert not right.takes_offers(107.9)
    assert set(shared.declined_until) == {"right", "third"}, "those that are over are forgotten"


def test_a_copy_that_left_a_block_does_not_shorten_the_rest_of_another() -> None:
    shared = Reliability()
    assert shared.left_block(100.0, 60) == 160
    assert shared.left_block(101.0, 5) == 160
    assert not copy(reliability=shared).eligible(159.9)
    assert copy(reliability=shared).eligible(160.0)
    # In the blocks that it is in it plays on.
    assert copy(reliability=shared).takes_offers(101.0)


def test_a_copy_that_may_be_frozen_is_offered_nothing_and_its_other_copies_play_on() -> None:
    shared = Reliability()
    frozen, other = (copy(name, reliability=shared) for name in ("frozen", "other"))
    frozen.unheard_until = 130.0
    assert (frozen.left_out_until, other.left_out_until) == (130.0, 0.0)
    assert [bot.takes_offers(129.9) for bot in (frozen, other)] == [False, True]
    assert [bot.eligible(129.9) for bot in (frozen, other)] == [False, True]
    assert frozen.takes_offers(130.0) and frozen.eligible(130.0)


def test_a_match_without_a_miss_makes_up_for_one_and_no_more() -> None:
    reliability = Reliability()
    assert [reliability.missed(0.0) for _ in range(3)] == [5, 10, 20]
    reliability.played()
    assert reliability.missed(0.0) == 20
    for _ in range(10):
        reliability.played()
    assert reliability.missed(0.0) == 5


def test_a_pause_has_a_limit() -> None:
    reliability = Reliability()
    assert max(reliability.missed(0.0) for _ in range(2_000)) == 300


def test_who_is_left_out_already_misses_nothing_more() -> None:
    bot = copy()
    assert leave_out(bot, 100.0) == 105
    assert leave_out(bot, 104.9) is None
    assert bot.reliability.misses == 1
    assert leave_out(bot, 105.0) == 115


@pytest.mark.parametrize("on_probation", [False, True])
def test_a_bot_on_probation_has_one_place(on_probation: bool) -> None:
    bot = copy()
    bot.on_probation = on_probation
    assert bot.free(0.0)
    bot.taken = 1
    assert bot.free(0.0) is not on_probation
    bot.taken = 4
    assert not bot.free(0.0)


def test_of_several_copies_the_idlest_plays() -> None:
    roster = Roster()
    busy, idle, busier = (roster.arrive(copy(name).participant) for name in "abc")
    for bot, taken in ((busy, 2), (idle, 1), (busier, 3)):
        roster.take_places([bot] * taken)
    assert dict(roster.changes(0.0)) == {1: busy.candidate}
    assert roster.idlest(1, 0.0, Counter(), ladder=True) is idle
    assert roster.idlest(1, 0.0, Counter({idle: 3}), ladder=True) is busy
    assert roster.idlest(2, 0.0, Counter(), ladder=True) is None


def test_only_versions_that_may_be_free_or_busy_since_are_told_as_changed() -> None:
    roster = Roster()
    one, other = roster.arrive(copy("a").participant), roster.arrive(copy("b").participant)
    assert dict(roster.changes(0.0)) == {1: one.candidate}
    assert dict(roster.changes(0.0)) == {}
    roster.take_places([one] * 4)
    assert dict(roster.changes(0.0)) == {1: other.candidate}
    assert dict(roster.changes(0.0)) == {}, "one that is full is no news twice"
    one.reliability.missed(1.0)
    roster.reliability_changed(one)
    assert dict(roster.changes(1.0)) == {1: None}
    assert dict(roster.changes(2.0)) == {}
    assert dict(roster.changes(6.0)) == {1: other.candidate}, "its pause is over"
    roster.depart(other.participant)
    assert dict(roster.changes(6.0)) == {1: None}


def test_a_roster_tells_apart_who_is_known_who_is_present_and_who_has_room() -> None:
    roster, guest = Roster(), copy().participant
    assert roster.depart(guest) is None
    assert roster.drain(guest) is None
    bot = roster.arrive(guest)
    assert roster.present == roster.free(ALL, 0.0) == roster.eligible(ALL, 0.0) == [bot]
    assert roster.free([2], 0.0) == roster.eligible([2], 0.0) == [], "of other versions"
    roster.take_places([bot] * 4)
    assert (roster.present, roster.free(ALL, 0.0), roster.eligible(ALL, 0.0)) == ([bot], [], [bot])
    assert roster.depart(guest) is bot
    assert roster.knows(guest)
    assert roster.present == roster.eligible(ALL, 0.0) == []
    roster.give_back_places([bot] * 3)
    assert roster.knows(guest)
    roster.give_back_places([bot])
    assert not roster.knows(guest)


def test_who_drains_is_told_once_its_last_place_is_free() -> None:
    roster, guest = Roster(), copy().participant
    assert isinstance(guest, Guest)
    bot = roster.arrive(guest)
    roster.take_places([bot, bot])
    assert roster.drain(guest) is bot
    assert roster.drain(guest) is None
    assert (roster.present, roster.free(ALL, 0.0), roster.eligible(ALL, 0.0)) == ([], [], [])
    roster.give_back_places([bot])
    assert not guest.has_drained
    roster.give_back_places([bot])
    assert guest.has_drained
    assert roster.arrive(guest) is bot
    assert roster.free(ALL, 0.0) == [bot], "it came back, and stays"


def test_who_drains_and_holds_no_place_is_told_at_once() -> None:
    roster, guest = Roster(), copy().participant
    assert isinstance(guest, Guest)
    roster.arrive(guest)
    roster.drain(guest)
    assert guest.has_drained


def test_who_is_expected_plays_when_it_has_arrived() -> None:
    roster, guest = Roster(), copy().participant
    bot = roster.expect(guest)
    assert roster.knows(guest)
    assert roster.present == roster.free(ALL, 0.0) == []
    assert roster.arrive(guest) is bot
    assert roster.free(ALL, 0.0) == [bot]


def test_copies_of_a_version_share_its_reliability_across_connections() -> None:
    roster = Roster()
    first = roster.arrive(copy("a").participant)
    first.reliability.missed(0.0)
    roster.depart(first.participant)
    assert roster.arrive(copy("b").participant).reliability is first.reliability


def test_what_versions_owe_is_remembered_of_the_last_that_left() -> None:
    roster = Roster(remembered=2)
    guests = [
        Guest(
            WORLD,
            Registered(VersionId(number), Entrant(f"bot{number}", "1", "owner"), False),
            frozenset(["bluff"]),
            4,
        )
        for number in (1, 2, 3)
    ]
    for guest in guests:
        leave_out(roster.arrive(guest), 0.0)
        roster.depart(guest)
    misses = [roster.arrive(guest).reliability.misses for guest in guests]
    assert misses == [0, 1, 1]
    # Copies share it, however they come.
    again = replace_instance(guests[1])
    assert roster.arrive(again).reliability.misses == 1


def replace_instance(guest: Guest) -> Guest:
    return Guest(WORLD, guest.registered, guest.games, guest.max_matches, instance="other")
