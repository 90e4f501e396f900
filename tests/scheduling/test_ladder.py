"""Who sits down next: everybody plays, opponents even out, and nobody meets their own."""

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import make_game
from arena.scheduling.ladder import (
    Candidate,
    MeetingCounts,
    TableType,
    next_table,
)
from tests.thoroughness import tries

BLUFF = frozenset({"bluff"})


def ladder(seats: int = 2, **options: object) -> TableType:
    return TableType("bluff", make_game("bluff", options).options, seats)


def bots(count: int) -> list[Candidate]:
    """Strangers to each other."""
    return [Candidate(bot, f"owner{bot}", False, BLUFF) for bot in range(count)]


def seat_tables(on: TableType, candidates: list[Candidate], tables: int) -> list[tuple[int, ...]]:
    counts, found = MeetingCounts(), []
    for _ in range(tables):
        seated = next_table(on, candidates, counts)
        assert seated is not None
        ids = tuple(candidate.bot for candidate in seated)
        counts.add(on, ids)
        found.append(ids)
    return found


def test_two_bots_of_one_owner_do_not_meet() -> None:
    same = [Candidate(bot, "one", False, BLUFF) for bot in range(4)]
    assert next_table(ladder(), same, MeetingCounts()) is None


def test_house_bots_meet_although_they_are_one_owners() -> None:
    house = [Candidate(bot, "house", True, BLUFF) for bot in range(2)]
    assert next_table(ladder(), house, MeetingCounts()) is not None


def test_a_guest_who_calls_itself_like_the_owner_of_the_house_is_not_one_of_it() -> None:
    house = Candidate(1, "house", True, BLUFF)
    guest = Candidate(2, "house", False, BLUFF)
    assert next_table(ladder(), [house, guest], MeetingCounts()) is None


def test_a_version_does_not_meet_itself() -> None:
    twice = [Candidate(1, "house", True, BLUFF)] * 2
    assert next_table(ladder(), twice, MeetingCounts()) is None


def test_a_bot_sits_only_where_its_game_is_played() -> None:
    others = [Candidate(1, "a", False, BLUFF), Candidate(2, "b", False, frozenset({"bloeff"}))]
    assert next_table(ladder(), others, MeetingCounts()) is None


def test_whoever_has_played_least_sits_down_first() -> None:
    counts = MeetingCounts()
    counts.add_matches(ladder(), 0, 5)
    counts.add_matches(ladder(), 1, 4)
    seated = next_table(ladder(), bots(4), counts)
    assert seated is not None
    assert {candidate.bot for candidate in seated} == {2, 3}


def test_it_meets_whoever_it_has_met_least() -> None:
    counts = MeetingCounts()
    for bot in (1, 2, 3):
        counts.add_matches(ladder(), bot, 10)
    counts.add_meetings(ladder(), 0, 1, 3)
    counts.add_meetings(ladder(), 2, 0, 1)
    counts.add_meetings(ladder(), 3, 0, 2)
    seated = next_table(ladder(), bots(4), counts)
    assert seated is not None
    assert [candidate.bot for candidate in seated] == [0, 2]


def test_ladders_of_other_options_or_sizes_count_apart() -> None:
    counts = MeetingCounts()
    counts.add(ladder(), (0, 1))
    for other in (ladder(3), ladder(show_and_reroll=True)):
        assert counts.matches(other, 0) == counts.meetings(other, 0, 1) == 0
    assert counts.matches(ladder(players_max=6), 0) == 1  # 6 is the default: the same ladder


@pytest.mark.parametrize(("seats", "count"), [(2, 5), (2, 8), (3, 7), (4, 9), (6, 6)])
def test_matches_and_opponents_even_out(seats: int, count: int) -> None:
    tables = seat_tables(ladder(seats), bots(count), 40 * count)
    played = Counter(bot for table in tables for bot in table)
    assert max(played.values()) - min(played.values()) <= 2
    met = Counter(
        (one, other) for table in tables for one in table for other in table if one < other
    )
    assert len(met) == count * (count - 1) // 2
    assert max(met.values()) - min(met.values()) <= 0.1 * max(met.values()) + 2


@settings(max_examples=tries(80, quick=20))
@given(
    st.integers(2, 6),
    st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30),
)
def test_a_table_seats_different_bots_of_different_owners_or_nobody(
    seats: int,
    guests: list[tuple[int, bool, bool]],
    history: list[tuple[int, int]],
) -> None:
    candidates = [
        Candidate(bot, f"owner{owner}", house and owner == 0, BLUFF if plays else frozenset())
        for bot, (owner, house, plays) in enumerate(guests)
    ]
    counts = MeetingCounts()
    for one, other in history:
        if one != other:
            counts.add(ladder(seats), (one, other))
    seated = next_table(ladder(seats), candidates, counts)
    if seated is not None:
        assert len({candidate.bot for candidate in seated}) == seats
        assert all("bluff" in candidate.games for candidate in seated)
        strangers = [candidate.owner for candidate in seated if not candidate.house]
        assert len(set(strangers)) == len(strangers)
    if seats == 2:
        able = [candidate for candidate in candidates if candidate.games]
        possible = any(a.may_meet(b) for a in able for b in able)
        assert (seated is not None) == possible


def test_hundreds_of_free_bots_of_one_owner_cost_little_when_they_may_meet_nobody() -> None:
    crowd = [Candidate(bot, "one owner", False, BLUFF) for bot in range(3_000)]
    other = Candidate(3_000, "another", False, BLUFF)
    began = time.thread_time()
    assert next_table(ladder(), crowd, MeetingCounts()) is None
    assert next_table(ladder(), [*crowd, other], MeetingCounts(), lambda *_: False) is None
    assert time.thread_time() - began < 0.3  # some 10 ms; their square took seconds
