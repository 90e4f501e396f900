"""A seat that a version did not take waits for it, within bounds."""

from arena.scheduling.ladder import Candidate
from arena.server.ladder.owed_seats import MOST_OF_ONE, MOST_OWED, OwedSeats

BOTS = [Candidate(number, f"owner{number}", False, frozenset()) for number in range(3)]


def seat_of(owed: OwedSeats, bot: Candidate, kind: str = "kind") -> int:
    return owed.arrange(kind, BOTS).index(bot)


def test_who_is_owed_nothing_sits_where_chance_puts_it() -> None:
    owed = OwedSeats()
    owed.owe(0, "another table type", 2)
    assert owed.arrange("kind", BOTS) == BOTS


def test_of_two_that_are_owed_one_seat_the_first_gets_it() -> None:
    owed = OwedSeats()
    for bot in BOTS[1:]:
        owed.owe(bot.bot, "kind", 0)
    assert owed.arrange("kind", BOTS) == [BOTS[1], BOTS[0], BOTS[2]]


def test_a_seat_is_owed_as_often_as_it_was_not_taken() -> None:
    owed = OwedSeats()
    owed.owe(0, "kind", 2)
    owed.owe(0, "kind", 2)
    owed.taken(0, "kind", 2)
    assert seat_of(owed, BOTS[0]) == 2
    owed.taken(0, "kind", 2)
    assert seat_of(owed, BOTS[0]) == 0


def test_a_version_is_owed_a_bounded_number_of_seats() -> None:
    owed = OwedSeats()
    for _ in range(MOST_OF_ONE):
        owed.owe(0, "kind", 1)
    owed.owe(0, "kind", 2)
    for _ in range(MOST_OF_ONE - 1):
        owed.taken(0, "kind", 1)
        assert seat_of(owed, BOTS[0]) == 1
    owed.taken(0, "kind", 1)
    assert seat_of(owed, BOTS[0]) == 0


def test_so_many_versions_are_owed_seats_and_no_more() -> None:
    owed = OwedSeats()
    for version in range(MOST_OWED):
        owed.owe(1_000 + version, "kind", 0)
    owed.owe(0, "kind", 2)
    assert seat_of(owed, BOTS[0]) == 0
    owed.taken(1_000, "kind", 0)
    owed.owe(0, "kind", 2)
    assert seat_of(owed, BOTS[0]) == 2
