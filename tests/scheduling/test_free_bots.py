"""Who sits down next: everybody plays and meets everybody, mostly near in strength, at a cost that
does not grow with the crowd."""

import time
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import make_game
from arena.scheduling.free_bots import CYCLE, FreeBots, MaySit
from arena.scheduling.ladder import Candidate, MeetingCounts, TableType
from arena.scheduling.strengths import Strengths
from tests.thoroughness import tries

BLUFF = frozenset({"bluff"})


def ladder(seats: int = 2) -> TableType:
    return TableType("bluff", make_game("bluff").options, seats)


def bots(count: int) -> list[Candidate]:
    """Strangers to each other."""
    return [Candidate(bot, f"owner{bot}", False, BLUFF) for bot in range(count)]


class Room:
    """Bots that are all free again after every table."""

    def __init__(self, seats: int, candidates: Iterable[Candidate]) -> None:
        self.type = ladder(seats)
        self.counts, self.strengths = MeetingCounts(), Strengths()
        self.free = FreeBots(self.type, self.counts, self.strengths)
        self.candidates = {one.bot: one for one in candidates}
        for one in self.candidates.values():
            self.free.put(one)

    def rate(self, bot: int, mean: float, matches: int = 1_000) -> None:
        self.strengths.learn(self.type, (bot, -1), (1, 1))  # it is known from then on
        known = self.strengths.of(self.type, bot)
        known.mean, known.matches = mean, matches
        self.free.put(self.candidates[bot])

    def table(self, may_sit: MaySit | None = None) -> tuple[int, ...] | None:
        chosen = self.free.choose(may_sit)
        if chosen is None:
            return None
        self.free.opened(chosen)
        seated = tuple(one.bot for one in chosen.bots)
        self.counts.add(self.type, seated)
        for one in chosen.bots:
            self.free.put(one)
        return seated

    def tables(self, count: int) -> list[tuple[int, ...]]:
        found = []
        for _ in range(count):
            seated = self.table()
            assert seated is not None
            found.append(seated)
        return found


def test_of_those_with_the_fewest_matches_the_one_that_waits_longest_begins() -> None:
    room = Room(2, reversed(bots(12)))
    walked, longest, fewest = room.tables(3)
    waiting = set(range(12)).difference(walked, longest)
    assert fewest[0] == max(waiting), "they came in this order"


def test_two_bots_of_one_owner_do_not_meet() -> None:
    assert Room(2, [Candidate(bot, "one", False, BLUFF) for bot in range(4)]).table() is None


def test_house_bots_meet_although_they_are_one_owners() -> None:
    assert Room(2, [Candidate(bot, "house", True, BLUFF) for bot in range(2)]).table() is not None


def test_a_guest_who_calls_itself_like_the_owner_of_the_house_is_not_one_of_it() -> None:
    house = Candidate(1, "house", True, BLUFF)
    guest = Candidate(2, "house", False, BLUFF)
    assert Room(2, [house, guest]).table() is None


def test_a_bot_sits_only_where_its_game_is_played() -> None:
    others = [Candidate(1, "a", False, BLUFF), Candidate(2, "b", False, frozenset({"bloeff"}))]
    assert Room(2, others).table() is None


@pytest.mark.parametrize(("seats", "count"), [(2, 5), (2, 40), (3, 7), (6, 9)])
def test_whoever_is_free_sits_at_one_of_six_tables_for_each_that_waits(
    seats: int, count: int
) -> None:
    room = Room(seats, bots(count))
    # The last is far from all others: nobody's table tells much about it.
    room.rate(count - 1, 20.0)
    waited = dict.fromkeys(range(count), 0)
    for seated in room.tables(60 * count):
        for bot in waited:
            waited[bot] = 0 if bot in seated else waited[bot] + 1
        assert max(waited.values()) <= CYCLE * count


@pytest.mark.slow
@pytest.mark.parametrize("count", [5, 20, 60])
def test_every_bot_meets_every_other_however_far_they_are_apart(count: int) -> None:
    room = Room(2, bots(count))
    for bot in range(count):
        room.rate(bot, float(bot))
    met = Counter((min(pair), max(pair)) for pair in room.tables(CYCLE * count * count))
    assert len(met) == count * (count - 1) // 2


def test_one_that_may_sit_with_nobody_now_keeps_none_of_the_others_from_meeting() -> None:
    room = Room(2, bots(20))
    for bot in range(20):
        room.rate(bot, float(bot))
    met = set()
    for _ in range(CYCLE * 20 * 20):
        seated = room.table(lambda one, other: 0 not in (one.bot, other.bot))
        assert seated is not None
        met.add((min(seated), max(seated)))
        room.free.look_again()
    assert len(met) == 19 * 18 // 2


def test_most_tables_are_of_bots_near_in_strength() -> None:
    room = Room(2, bots(100))
    for bot in range(100):
        room.rate(bot, bot / 10)
    apart = sorted(abs(one - other) for one, other in room.tables(2_000))
    assert apart[len(apart) // 2] <= 8
    assert apart[-1] > 50


def test_the_least_known_begin_and_meet_those_about_whom_a_match_tells_most() -> None:
    room = Room(2, bots(8))
    for bot in range(7):
        room.rate(bot, 0.0 if bot == 3 else 3.0)
        room.counts.add_matches(room.type, bot, 10)
        room.free.put(room.candidates[bot])
    room.tables(2)  # a walk, and one of who waits longest
    assert room.tables(1) == [(7, 3)]
    room.counts.add_matches(room.type, 7, 100)
    room.free.put(room.candidates[7])
    assert room.tables(1)[0][0] != 7


def test_one_that_is_little_known_tells_more_than_one_that_is_as_strong() -> None:
    """A match lowers the sum of the squared errors, in which the worst known count most."""
    room = Room(2, bots(3))
    assert room.tables(2) == [(0, 1), (2, 1)]  # a walk, and one of who waits longest
    for bot, mean, matches in ((0, 0.0, 12), (1, 0.0, 100), (2, 3.0, 2)):
        room.rate(bot, mean, matches)
        room.counts.add_matches(room.type, bot, 10 * (bot != 1))
        room.free.put(room.candidates[bot])
    assert room.tables(1) == [(1, 2)]


def test_the_same_history_leads_to_the_same_tables() -> None:
    assert Room(3, bots(30)).tables(200) == Room(3, bots(30)).tables(200)


def test_who_may_not_sit_with_anybody_now_is_tried_again_later() -> None:
    room = Room(2, bots(3))
    room.tables(1)  # the first is a walk
    assert room.table(lambda *_: False) is None
    assert room.table() is None
    room.free.look_again()
    assert room.table() is not None


def test_the_table_that_is_not_to_be_is_not_chosen() -> None:
    room = Room(2, bots(2))
    assert room.free.choose(not_these=frozenset({0, 1})) is None
    room = Room(3, bots(4))
    for _ in range(20):
        chosen = room.free.choose(not_these=frozenset({0, 1, 2}))
        assert chosen is not None
        assert {one.bot for one in chosen.bots} != {0, 1, 2}
        room.free.opened(chosen)


@pytest.mark.slow
@settings(max_examples=tries(80, quick=20))
@given(
    st.integers(2, 6),
    st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.floats(-5, 5)), max_size=30),
    st.integers(0, 6),
)
def test_a_table_seats_different_bots_of_different_owners_or_nobody(
    seats: int,
    guests: list[tuple[int, bool, bool]],
    strengths: list[tuple[int, float]],
    before: int,
) -> None:
    candidates = [
        Candidate(bot, f"owner{owner}", house and owner == 0, BLUFF if plays else frozenset())
        for bot, (owner, house, plays) in enumerate(guests)
    ]
    room = Room(seats, candidates)
    for bot, mean in strengths:
        if bot < len(candidates):
            room.rate(bot, mean)
    for _ in range(before):
        room.table()
    seated = room.table()
    if seated is not None:
        found = [candidates[bot] for bot in seated]
        assert len(set(seated)) == seats
        assert all("bluff" in candidate.games for candidate in found)
        strangers = [candidate.owner for candidate in found if not candidate.house]
        assert len(set(strangers)) == len(strangers)
    if seats == 2:
        able = [candidate for candidate in candidates if candidate.games]
        assert (seated is not None) == any(a.may_meet(b) for a in able for b in able)


def test_a_crowd_of_one_owner_hides_nobody_and_costs_little_when_it_may_meet_nobody() -> None:
    crowd = [Candidate(bot, "one owner", False, BLUFF) for bot in range(3_000)]
    room = Room(2, crowd)
    began = time.thread_time()
    assert room.table() is None
    assert time.thread_time() - began < 0.3  # their square took seconds
    other = Candidate(3_000, "another", False, BLUFF)
    room.candidates[3_000] = other
    room.rate(3_000, 50.0)
    assert room.table() is not None
