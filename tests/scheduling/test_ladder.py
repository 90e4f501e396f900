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
