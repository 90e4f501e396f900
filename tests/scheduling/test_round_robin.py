"""Round robin: everybody meets everybody, evenly."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.balanced_tables import balanced_tables
from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from arena.scheduling.round_robin import RoundRobin
from tests.scheduling.playing import Points, Results, drawn, entries, play_out, stronger_wins

fields = st.integers(2, 20)


def pairings(field: int, seats: int = 2, cycles: int = 1, seed: str = "s") -> list[Pairing]:
    return [one.pairing for one in play_out(RoundRobin(seats, 1, cycles, seed), field, drawn)]


def meetings(found: list[Pairing]) -> Counter[tuple[int, ...]]:
    return Counter(pair for pairing in found for pair in combinations(sorted(pairing.entries), 2))


@given(fields, st.integers(1, 3), st.text(max_size=4))
def test_each_pair_meets_once_per_cycle(field: int, cycles: int, seed: str) -> None:
    met = meetings(pairings(field, cycles=cycles, seed=seed))
    assert set(met) == set(combinations(range(1, field + 1), 2))
    assert set(met.values()) == {cycles}


@given(fields)
def test_in_each_round_all_play_once_but_for_one_of_an_odd_field(field: int) -> None:
    rounds: dict[int, list[int]] = {}
    for pairing in pairings(field):
        rounds.setdefault(pairing.round, []).extend(pairing.entries)
    assert len(rounds) == field - 1 + field % 2
    out = Counter(
        entry
        for playing in rounds.values()
        for entry in set(range(1, field + 1)).difference(playing)
    )
    assert all(len(playing) == len(set(playing)) for playing in rounds.values())
    assert out == (Counter(range(1, field + 1)) if field % 2 else Counter())


@pytest.mark.parametrize("seats", range(3, 11))
def test_at_larger_tables_bots_and_meetings_spread_evenly(seats: int) -> None:
    for bots in range(seats, 31):
        tables = balanced_tables(bots, seats)
        assert all(len(set(table)) == seats for table in tables)
        sat = Counter(at for table in tables for at in table)
        met = Counter(pair for table in tables for pair in combinations(table, 2))
        assert len(set(sat.values())) == 1 and len(sat) == bots
        assert len(met) == bots * (bots - 1) // 2
        assert max(met.values()) <= 3 * min(met.values())


def test_every_table_is_played_where_there_are_few() -> None:
    assert set(balanced_tables(4, 3)) == set(combinations(range(4), 3))
    assert balanced_tables(5, 5) == ((0, 1, 2, 3, 4),)


def test_the_construction_stays_as_it_is_for_tournaments_that_have_begun() -> None:
    """A tournament is a fold over its record: a release that chose others would not go on."""
    for bots, base, count in ((9, (0, 1, 3), 18), (15, (0, 1, 2, 4, 7), 15)):
        tables = balanced_tables(bots, len(base))
        turned = {tuple(sorted((at + by) % bots for at in base)) for by in range(bots)}
        assert tables[:bots] == tuple(sorted(turned))
        assert len(tables) == count
    # The second base makes up for what the first left uneven.
    assert balanced_tables(20, 5)[::20] == ((0, 1, 3, 7, 12), (0, 1, 2, 8, 18))


def test_the_seed_and_nothing_else_makes_the_schedule() -> None:
    assert pairings(7, seed="a") == pairings(7, seed="a")
    assert pairings(7, seed="a") != pairings(7, seed="b")
    assert pairings(7, 3, seed="a") != pairings(7, 3, seed="b")


def test_it_goes_on_until_every_block_is_played() -> None:
    plan = RoundRobin(2, 2, 1, "s")
    paired = plan.next_pairings(3, [])
    assert paired is not None
    played = [PlayedPairing(pairing, (stronger_wins(pairing),)) for pairing in paired]
    assert plan.next_pairings(3, played) == ()
    done = [PlayedPairing(one.pairing, one.blocks * 2) for one in played]
    assert plan.next_pairings(3, done) is None


@given(st.integers(3, 9), st.integers(2, 3))
def test_the_standings_follow_the_points(field: int, seats: int) -> None:
    plan = RoundRobin(seats, 2, 1, "s")
    played = play_out(plan, field, stronger_wins)
    assert entries(plan, field, played) == list(range(1, field + 1))
    assert sum(len(one.blocks) for one in played) == plan.expected_blocks(field)


def results(winners: dict[tuple[int, int], int]) -> Results:
    """By pair, who wins."""

    def result(pairing: Pairing) -> Points:
        one, other = sorted(pairing.entries)
        return tuple(Fraction(winners[one, other] == entry) for entry in pairing.entries)

    return result


def test_bots_that_nothing_tells_apart_share_a_rank() -> None:
    plan = RoundRobin(2, 1, 1, "s")
    around = {(1, 2): 1, (2, 3): 2, (1, 3): 3, (1, 4): 1, (2, 4): 2, (3, 4): 3}
    lines = plan.standings(4, play_out(plan, 4, results(around)))
    assert [(line.rank, line.entry) for line in lines] == [(1, 1), (1, 2), (1, 3), (4, 4)]


def test_of_two_that_are_level_the_one_that_won_their_meeting_stands_higher() -> None:
    plan = RoundRobin(2, 1, 1, "s")
    winners = {(1, 2): 2, (2, 3): 2, (1, 3): 1, (1, 4): 4, (2, 4): 2, (3, 4): 3}
    lines = plan.standings(4, play_out(plan, 4, results(winners)))
    # 1, 3 and 4 have one point each and beat each other in a circle.
    assert [(line.rank, line.entry) for line in lines] == [(1, 2), (2, 1), (2, 3), (2, 4)]
    winners |= {(1, 4): 1, (2, 3): 3}
    lines = plan.standings(4, play_out(plan, 4, results(winners)))
    # 1, 2 and 3 have two points each; 2 beat 1, 1 beat 3, 3 beat 2.
    assert [(line.rank, line.entry) for line in lines] == [(1, 1), (1, 2), (1, 3), (4, 4)]
    winners |= {(2, 3): 2, (3, 4): 3}
    winners[2, 4] = 4
    lines = plan.standings(4, play_out(plan, 4, results(winners)))
    # 1 and 2 have two points each, and 2 beat 1; 3 and 4 have one, and 3 beat 4.
    assert [(line.rank, line.entry) for line in lines] == [(1, 2), (2, 1), (3, 3), (4, 4)]


def test_too_few_bots_or_too_many_blocks_are_refused() -> None:
    with pytest.raises(FormatError, match="at least 4 bots"):
        RoundRobin(4, 1, 1, "s").check(3)
    with pytest.raises(FormatError, match="100000 is the most"):
        RoundRobin(2, 1000, 1, "s").check(100)


def test_nobody_leads_a_running_tournament_by_having_played_more() -> None:
    """Of four bots 1 has played six blocks and won four; 2 has won all three of its own."""
    won, lost = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    played = [
        PlayedPairing(Pairing(1, 1, (1, 3)), (won, won, won)),
        PlayedPairing(Pairing(1, 2, (2, 4)), (won, won, won)),
        PlayedPairing(Pairing(2, 1, (1, 4)), (won, lost, lost)),
    ]
    lines = RoundRobin(2, 3, 1, "s").standings(4, played)
    told = [(one.rank, one.entry, one.points, one.mean, one.blocks) for one in lines]
    assert told == [
        (1, 2, 3, 1, 3),
        (2, 1, 4, Fraction(2, 3), 6),
        (3, 4, 2, Fraction(1, 3), 6),
        (4, 3, 0, 0, 3),
    ]
