"""Types of table, and counts of who met whom."""

from arena.games import make_game
from arena.scheduling.ladder import MeetingCounts, TableType


def ladder(seats: int = 2, **options: object) -> TableType:
    return TableType("bluff", make_game("bluff", options).options, seats)


def test_ladders_of_other_options_or_sizes_count_apart() -> None:
    counts = MeetingCounts()
    counts.add(ladder(), (0, 1))
    for other in (ladder(3), ladder(show_and_reroll=True)):
        assert counts.matches(other, 0) == counts.meetings(other, 0, 1) == 0
    assert counts.matches(ladder(players_max=6), 0) == 1  # 6 is the default: the same ladder


def test_who_met_long_ago_is_forgotten_beyond_so_many_pairs() -> None:
    counts = MeetingCounts(most=100)
    counts.add(ladder(), (0, 1))
    seen = counts.pairs(ladder())
    for other in range(2, 1_000):
        counts.add(ladder(), (0, 1))
        counts.add(ladder(), (0, other))
        assert len(seen) <= 100
    assert counts.meetings(ladder(), 0, 1) == counts.matches(ladder(), 1) == 999
    assert counts.meetings(ladder(), 0, 999) == 1
    assert counts.meetings(ladder(), 0, 2) == 0


def test_a_table_that_came_to_nothing_leaves_nothing() -> None:
    counts = MeetingCounts()
    counts.add(ladder(), (0, 1))
    counts.add(ladder(), (0, 1), -1)
    counts.add(ladder(), (0, 2), -1)  # forgotten meanwhile
    assert not counts.pairs(ladder())
    assert counts.matches(ladder(), 2) == 0
