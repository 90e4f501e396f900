"""Who is connected is counted as bots come and go, and equals a count of all."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.scheduling.free_bots import FreeBots
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.strengths import Strengths
from arena.server.ladder.attendance import Attendance
from arena.server.ladder.connected_bots import ConnectedBot, Reliability, one_per_version
from tests.server.ladder.arrivals import Guest, World, ladder

TABLES = [ladder(2), ladder(3), ladder(2, "bluff_you"), ladder(4, "bloeff")]
GAMES = ("bluff", "bluff_you", "bloeff")
WORLD = World()


def connected(
    version: int, owner: int, *, house: bool, games: frozenset[str], places: int
) -> ConnectedBot:
    entrant = Entrant(f"bot{version}", "1", "house" if house else f"owner{owner}")
    registered = Registered(VersionId(version), entrant, house)
    guest = Guest(WORLD, registered, games, places)
    candidate = Candidate(version, entrant.owner, house, games)
    return ConnectedBot(guest, candidate, Reliability())


@st.composite
def bots(draw: st.DrawFn) -> list[ConnectedBot]:
    """Versions, some with several copies that play other games."""
    found = []
    for version in range(draw(st.integers(1, 8))):
        house = draw(st.booleans())
        owner = draw(st.integers(0, 3))
        for _ in range(draw(st.integers(1, 2))):
            games = frozenset(draw(st.sets(st.sampled_from(GAMES), min_size=1)))
            places = draw(st.integers(1, 64))
            found.append(connected(version, owner, house=house, games=games, places=places))
    return found


@pytest.mark.slow
@given(bots(), st.data())
def test_places_and_quota_are_those_of_the_bots_that_are_there(
    found: list[ConnectedBot], data: st.DataObject
) -> None:
    attendance = Attendance(TABLES)
    there: list[ConnectedBot] = []
    seated: list[tuple[TableType, ConnectedBot]] = []
    for bot in data.draw(st.lists(st.sampled_from(found), max_size=20)):
        if data.draw(st.booleans()):
            seated.append((data.draw(st.sampled_from(TABLES)), bot))
            attendance.sat_down(seated[-1][0], [bot])
        elif seated and data.draw(st.booleans()):
            table_type, seat = seated.pop()
            attendance.got_up(table_type, [seat])
        for table_type in TABLES:
            held = [one for kind, one in seated if kind == table_type and one in there]
            assert attendance.seats(table_type) == len(held)
        versions = {one.candidate.bot for one in there}
        if bot in there:
            there.remove(bot)
            last = bot.candidate.bot not in {one.candidate.bot for one in there}
            assert attendance.left(bot) is last
        else:
            there.append(bot)
            assert attendance.came(bot) is (bot.candidate.bot not in versions)
    places: Counter[int] = Counter()
    for bot in there:
        places[bot.candidate.bot] += bot.participant.max_matches
    assert attendance.places == places
    possible = 0
    for table_type in TABLES:
        able = [bot for bot in there if table_type.game in bot.candidate.games]
        free = FreeBots(table_type, MeetingCounts(), Strengths())
        for candidate in one_per_version(able):
            free.put(candidate)
        possible += free.choose() is not None
    assert attendance.quota == places.total() / max(1, possible)


def test_a_bot_that_connects_anew_with_more_places_is_counted_once() -> None:
    attendance = Attendance(TABLES)
    bot = connected(1, 1, house=False, games=frozenset(GAMES), places=2)
    assert attendance.came(bot)
    assert isinstance(bot.participant, Guest)
    bot.participant.max_matches = 5
    assert not attendance.came(bot)
    assert attendance.places == {1: 5}
    assert attendance.left(bot)
    assert not attendance.left(bot)
    assert (attendance.places, attendance.quota) == ({}, 0)


def test_the_quota_counts_the_tables_that_can_be_filled() -> None:
    attendance = Attendance(TABLES)
    for version, owner in ((1, 1), (2, 1), (3, 2)):
        games = frozenset(GAMES)
        attendance.came(connected(version, owner, house=False, games=games, places=4))
    assert attendance.most_at_a_table("bluff") == 2  # those of one owner never meet
    assert attendance.quota == 12 / 2  # two tables have two seats


@pytest.mark.parametrize("crowd", [2_000])
def test_a_bot_that_comes_or_goes_costs_little_however_many_are_there(crowd: int) -> None:
    world = World(*TABLES)
    for number in range(crowd):
        world.arrive(f"bot{number}", owner="one owner", games=GAMES, max_matches=8)
    guest = world.arrive("comes and goes", owner="one owner", games=GAMES)
    best = 1.0
    for _ in range(20):
        began = time.thread_time()
        world.director.depart(guest)
        world.director.arrive(guest)
        best = min(best, time.thread_time() - began)
    assert best < 0.001  # some 50 µs; it was 300 ms when all were counted again
