"""Places are shared by owner and by the time that they are held."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.ladder import Candidate
from arena.scheduling.shares import EXCESS_SHARE, BlockTime, HeldTime, SharedPlaces

BLUFF = frozenset({"bluff"})


def bot(number: int, owner: str | None = None, *, house: bool = False) -> Candidate:
    return Candidate(number, owner or f"owner{number}", house, BLUFF)


class Places:
    """Shared places of two-seat tables, and blocks of two matches that are held as a test says."""

    def __init__(self, places: dict[Candidate, int], seats: int = 2) -> None:
        self.bots = list(places)
        self.places = {one.bot: count for one, count in places.items()}
        self.time = HeldTime()
        for one in places:
            self.time.came(one)
        self.shared = SharedPlaces(self.time, self.places, seats)
        self.now = 0.0

    def room(self, one: Candidate, other: Candidate) -> int:
        """How many tables the two may open."""
        opened = 0
        while opened < 1_000 and self.shared.allow(one, other, self.now):
            self.shared.change((one, other), 1)
            opened += 1
        for _ in range(opened):
            self.shared.change((one, other), -1)
        return opened

    def known(self, *bots: Candidate) -> "Places":
        """Let all have played a block, as quick as any."""
        for one in bots or tuple(self.bots):
            others = [other for other in self.bots if other.account != one.account]
            self.held(one, others[0], seconds=0.5, slowest=one)
        return self

    def held(self, *bots: Candidate, seconds: float, slowest: Candidate) -> float | None:
        return self.block(*bots, seconds=seconds, slow=(slowest,))

    def block(
        self,
        *bots: Candidate,
        seconds: float,
        slow: tuple[Candidate, ...],
        played: int = 2,
        unplayed: int = 0,
    ) -> float | None:
        """A block is over, of which `slow` used all the time, in equal parts."""
        used = {one.bot: 0.1 for one in bots} | {one.bot: seconds / len(slow) for one in slow}
        block = BlockTime("bluff", bots, seconds, played, unplayed, used)
        return self.time.held(block, self.places, self.now)


def test_a_bot_shares_its_places_equally_among_the_owners_of_its_opponents() -> None:
    one, other, third = bot(0), bot(1), bot(2)
    several = [bot(3, "owner2"), bot(4, "owner2")]
    places = Places({one: 12, other: 12, third: 12} | dict.fromkeys(several, 12)).known()
    assert places.room(one, other) == 6
    for seated in (third, *several):
        places.shared.change((one, seated), 1)
        places.shared.change((one, seated), 1)
    assert not places.shared.allow(one, third, 0)
    assert places.room(one, other) == 6


def test_each_bot_of_the_house_has_a_share_of_its_own() -> None:
    one, house = bot(0), [bot(number, "house", house=True) for number in (1, 2, 3)]
    places = Places({one: 12} | dict.fromkeys(house, 12)).known()
    assert [places.room(one, guest) for guest in house] == [4, 4, 4]


def test_the_smaller_of_two_shares_holds() -> None:
    one, other, third = bot(0), bot(1), bot(2)
    places = Places({one: 64, other: 1, third: 64}).known()
    assert places.room(one, other) == places.room(other, one) == 1
    assert places.room(one, third) == 32


def test_an_owner_that_lets_others_wait_holds_one_place_while_another_is_prompt() -> None:
    one, other, slow = bot(0), bot(1), bot(2)
    places = Places({one: 8, other: 8, slow: 64})
    places.held(one, other, seconds=0.2, slowest=one)
    places.held(one, other, seconds=0.2, slowest=other)
    assert places.room(one, slow) == 1
    assert places.room(one, other) == 8


def test_an_owner_that_has_played_no_block_holds_one_place() -> None:
    one, other, third = bot(0), bot(1), bot(2)
    places = Places({one: 8, other: 8, third: 8})
    assert [places.room(*both) for both in ((one, other), (one, third), (other, third))] == [1] * 3
    places.known()
    assert [places.room(*both) for both in ((one, other), (one, third), (other, third))] == [4] * 3


def test_two_owners_alone_use_all_their_places_once_they_are_known_to_be_prompt() -> None:
    one, other = bot(0), bot(1)
    assert Places({one: 8, other: 8}).known().room(one, other) == 8


def test_whoever_comes_finds_half_of_the_places_not_held_by_one_who_may_be_slow() -> None:
    early, one = bot(0), bot(1)
    places = Places({early: 64, one: 8})
    assert places.room(early, one) == 4
    places.held(early, one, seconds=200.0, slowest=early)
    places.now = 1e6
    assert places.room(early, one) == 4


def test_what_a_slow_owner_held_in_excess_is_at_most_a_tenth_in_the_long_run() -> None:
    one, other, slow = bot(0), bot(1), bot(2)
    places = Places({one: 4, other: 4, slow: 64})
    for _ in range(20):
        places.held(one, other, seconds=0.2, slowest=one)
        places.held(one, other, seconds=0.2, slowest=other)
    excess, began = 0.0, places.now
    for _ in range(10):
        assert places.shared.allow(one, slow, places.now)
        places.now += 200.0
        until = places.held(one, slow, seconds=200.0, slowest=slow)
        assert until is not None
        assert places.room(one, slow) == 0
        assert places.room(one, other) == 4
        excess += 200.0
        places.now = until
        for _ in range(10):
            places.held(one, other, seconds=0.2, slowest=one)
            places.held(one, other, seconds=0.2, slowest=other)
    assert excess / (4 * (places.now - began)) <= EXCESS_SHARE


def test_who_is_slow_itself_blames_nobody_else() -> None:
    slow, one, other = bot(0), bot(1), bot(2)
    places = Places({slow: 4, one: 4, other: 4})
    places.held(one, other, seconds=0.2, slowest=other)
    places.held(slow, one, seconds=200.0, slowest=slow)
    places.now = 300.0
    assert places.room(one, other) > 1
    assert places.room(one, slow) == 0


def test_among_slow_bots_nobody_is_slow() -> None:
    thinkers = [bot(number) for number in range(3)]
    places = Places(dict.fromkeys(thinkers, 4))
    for _ in range(10):
        for one, other in ((0, 1), (1, 2), (2, 0)):
            places.held(thinkers[one], thinkers[other], seconds=200.0, slowest=thinkers[one])
    places.now = 1e6
    until = places.held(thinkers[0], thinkers[1], seconds=230.0, slowest=thinkers[0])
    assert until is None
    assert places.room(thinkers[0], thinkers[1]) > 1


def test_a_bot_that_would_rest_from_everybody_rests_from_nobody() -> None:
    one, slow, slower = bot(0), bot(1), bot(2)
    places = Places({one: 4, slow: 4, slower: 4})
    places.held(one, slow, seconds=200.0, slowest=slow)
    assert places.room(one, slow) == 0
    assert places.room(one, slower) > 0
    places.held(one, slower, seconds=300.0, slowest=slower)
    assert places.room(one, slow) > 0
    assert places.room(one, slower) > 0


def test_only_the_slowest_at_a_larger_table_pays() -> None:
    bots = [bot(number) for number in range(4)]
    places = Places(dict.fromkeys(bots, 4), seats=4)
    for quick in bots[:3]:
        places.held(*bots[:3], seconds=0.2, slowest=quick)
    places.held(*bots, seconds=300.0, slowest=bots[3])
    assert places.room(bots[0], bots[1]) > 1
    assert all(places.room(one, bots[3]) == 0 for one in bots[:3])


def test_two_slow_owners_at_one_table_both_pay() -> None:
    one, other, slow, slower = (bot(number) for number in range(4))
    places = Places(dict.fromkeys((one, other, slow, slower), 4), seats=3)
    for _ in range(10):
        for first in (one, other):
            places.held(one, other, seconds=0.4, slowest=first)
    places.now = 1_000.0
    until = places.block(one, slow, slower, seconds=200.0, slow=(slow, slower))
    # Its excess is shared: half of it each, of a tenth of four places.
    assert until is not None
    assert until - places.now == pytest.approx(200 / 2 / 0.4, rel=0.05)
    assert places.room(one, slow) == places.room(one, slower) == 0
    assert places.room(one, other) == 8
    places.now = until
    assert places.room(one, slow) == places.room(one, slower) == 1


def test_who_uses_an_equal_part_of_a_long_block_is_not_slow() -> None:
    bots = [bot(number) for number in range(3)]
    places = Places(dict.fromkeys(bots, 4), seats=3).known()
    assert places.block(*bots, seconds=300.0, slow=tuple(bots)) is None


def test_what_a_bot_is_used_to_is_known_for_each_kind_of_table() -> None:
    one, other = bot(0), bot(1)
    places = Places({one: 4, other: 4})
    for _ in range(10):
        places.held(one, other, seconds=0.4, slowest=one)
    long = BlockTime("bloeff", (one, other), 30.0, 2, 0, {one.bot: 10.0, other.bot: 20.0})
    assert places.time.held(long, places.places, 0.0) is None


def test_an_owner_whose_bot_declines_late_repays_the_wait() -> None:
    one, other, late = bot(0), bot(1), bot(2)
    places = Places({one: 4, other: 4, late: 4})
    for _ in range(10):
        for first in (one, other):
            places.held(one, other, seconds=0.4, slowest=first)
    until = places.block(one, late, seconds=4.9, slow=(late,), played=0, unplayed=1)
    assert until == pytest.approx((4.9 - 4 * 0.25) / 0.4)
    assert places.room(one, late) == 0
    assert until is not None
    places.now = until
    assert places.room(one, late) == 1
    assert places.room(one, other) == 4


def test_offers_that_come_to_nothing_make_nobody_prompt_or_used_to_waiting() -> None:
    one, other, third = (bot(number) for number in range(3))
    places = Places(dict.fromkeys((one, other, third), 4))
    for _ in range(20):
        places.block(one, other, seconds=0.01, slow=(other,), played=0, unplayed=1)
    assert places.room(one, other) == 1  # as an owner that has played no block
    for _ in range(20):
        places.block(one, other, seconds=5.0, slow=(other,), played=0, unplayed=1)
    until = places.block(one, other, seconds=60.0, slow=(other,), played=0, unplayed=1)
    assert until == pytest.approx((60.0 - 4 * 5.0) / 0.4)


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 64), min_size=2), st.integers(2, 6))
def test_the_shares_let_every_bot_use_all_its_places(places: dict[int, int], seats: int) -> None:
    bots = {number: bot(number) for number in places}
    for number, one in bots.items():
        shared = Places({bots[name]: count for name, count in places.items()}, seats).known().shared
        others = [bots[name] for name in places if name != number]
        if all(places[other.bot] >= places[number] for other in others):
            room = 0
            for other in others:
                while shared.allow(one, other, 0):
                    shared.change((one, other), 1)
                    room += 1
            assert room >= places[number] * (seats - 1)


def test_rests_are_forgotten_when_they_end_also_those_of_bots_that_left() -> None:
    one, other, slow, third = (bot(number) for number in range(1, 5))
    places = Places({one: 4, other: 4, slow: 4, third: 4}).known()
    for _ in range(50):
        places.held(one, slow, seconds=60, slowest=slow)
    places.time.left(one)
    assert places.time.rests.keys() == {1}
    places.now += 1_000_000
    places.held(other, slow, seconds=60, slowest=slow)
    assert places.time.rests.keys() == {2}
    assert places.time.resting(other, slow, places.now)
