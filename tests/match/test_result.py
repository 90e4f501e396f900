"""Places when seats forfeit: they come last together, the others keep their order."""

from hypothesis import given
from hypothesis import strategies as st

from arena.games.game import competition_ranking
from arena.match.faults import DEFAULT_FAULT_LIMIT, FaultCount, FaultKind
from arena.match.result import place_with_forfeits, shared_places

tables = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=10)


def test_without_forfeits_the_places_of_the_game_stand() -> None:
    assert place_with_forfeits((1, 2, 2, 4), (False,) * 4) == (1, 2, 2, 4)


def test_a_forfeited_winner_is_last_and_the_others_move_up() -> None:
    assert place_with_forfeits((1, 2, 2, 4), (True, False, False, False)) == (4, 1, 1, 3)


def test_forfeited_seats_share_the_last_place() -> None:
    assert place_with_forfeits((1, 2, 3), (True, False, True)) == (2, 1, 2)


def test_if_all_forfeit_all_are_first() -> None:
    assert place_with_forfeits((2, 1, 3), (True, True, True)) == (1, 1, 1)


@given(tables)
def test_places_are_ranks_that_keep_the_order_of_those_who_stayed(
    table: list[tuple[int, bool]],
) -> None:
    placing = competition_ranking([points for points, _ in table])
    forfeited = [out for _, out in table]
    places = place_with_forfeits(placing, forfeited)
    stayed = [seat for seat, out in enumerate(forfeited) if not out]
    gone = [seat for seat, out in enumerate(forfeited) if out]
    for one in stayed:
        assert places[one] == 1 + sum(placing[other] < placing[one] for other in stayed)
    assert {places[seat] for seat in gone} <= {len(stayed) + 1}


def test_by_default_the_third_fault_forfeits() -> None:
    """docs/protocol.md: with the third one the seat forfeits."""
    count = FaultCount(2, DEFAULT_FAULT_LIMIT)
    forfeits = []
    for _ in range(3):
        count.record(0, FaultKind.LATE)
        forfeits.append(count.forfeited[0])
    assert forfeits == [False, False, True]


@given(
    st.integers(2, 6), st.integers(1, 4), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)))
)
def test_faults_are_counted_by_seat_and_decide_when_one_is_left(
    seats: int, limit: int, faults: list[tuple[int, int]]
) -> None:
    count = FaultCount(seats, limit)
    expected = [0] * seats
    absent = set()
    for seat, kind in ((seat % seats, list(FaultKind)[kind]) for seat, kind in faults):
        count.record(seat, kind)
        expected[seat] += 1
        if kind is FaultKind.ABSENT:
            absent.add(seat)
    assert count.faults == expected
    out = [expected[seat] >= limit or seat in absent for seat in range(seats)]
    assert count.forfeited == out
    assert count.decided == (out.count(False) <= 1)


def test_tied_seats_share_the_mean_of_the_places_that_they_fill() -> None:
    assert shared_places((1, 1, 3, 4)) == (1.5, 1.5, 3.0, 4.0)
    assert shared_places((2, 1, 2, 2)) == (3.0, 1.0, 3.0, 3.0)
    assert shared_places((1, 1, 1)) == (2.0, 2.0, 2.0)
