"""Bots withdraw at any time: the others play on, and what was paired still follows from before."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.score_rule import ScoreRule
from arena.match.transcript import Entrant
from arena.records import Registered, TournamentId, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.knockout import MOST_EXTRA_BLOCKS
from arena.scheduling.pairings import Pairing
from arena.server.tournaments.summary import pairing_lines, remark
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Entry,
    PairingKey,
    Rules,
    Tournament,
    TournamentRecord,
    TournamentState,
)
from tests.thoroughness import tries


def begun(
    format_name: FormatName, field: int, seats: int, blocks: int = 1, rounds: int | None = None
) -> TournamentRecord:
    """A tournament of which nothing is paired yet."""
    rules = Rules(
        format_name, "bluff", {}, seats, blocks, rounds, ScoreRule.PLACEMENT, "s", rated=False
    )
    entries = tuple(
        Entry(
            number, Registered(VersionId(number), Entrant(f"bot{number}", "1", "me"), False), None
        )
        for number in range(1, field + 1)
    )
    now = datetime.now(UTC)
    return TournamentRecord(
        Tournament(TournamentId(1), "cup", rules, TournamentState.RUNNING, entries, now)
    )


def withdraw(record: TournamentRecord, gone: Iterable[int]) -> None:
    before = record.tournament
    record.tournament = replace(
        before,
        entries=tuple(
            replace(one, withdrawn=one.withdrawn or one.number in gone) for one in before.entries
        ),
    )


def play(record: TournamentRecord, key: PairingKey, *placings: tuple[int, ...]) -> None:
    """A block, with the ranks in the order of the pairing's entries."""
    entries = record.pairings[key].entries
    by_version = tuple(
        {VersionId(entry): rank for entry, rank in zip(entries, placing, strict=True)}
        for placing in placings
    )
    record.add_blocks([BlockRecord("", key, BlockState.CLOSED, by_version)])


def pair(record: TournamentRecord) -> tuple[Pairing, ...] | None:
    tournament = record.tournament
    added = tournament.plan.next_pairings(
        len(tournament.entries), record.played(), tournament.withdrawn
    )
    record.add_pairings(added or ())
    return added


@st.composite
def cups(draw: st.DrawFn) -> TournamentRecord:
    seats = draw(st.integers(2, 5))
    field = draw(st.integers(seats, 14))
    name = draw(st.sampled_from([FormatName.SWISS, FormatName.KNOCKOUT]))
    rounds = draw(st.integers(1, min(4, field - 1))) if name is FormatName.SWISS else None
    return begun(name, field, seats, draw(st.integers(1, 2)), rounds)


@settings(max_examples=tries(60, quick=15))
@given(cups(), st.data())
def test_who_withdraws_is_left_out_and_the_others_play_to_the_end(
    record: TournamentRecord, data: st.DataObject
) -> None:
    field, rules = len(record.tournament.entries), record.tournament.rules
    some = st.sets(st.integers(1, field), max_size=3)
    known: list[tuple[frozenset[int], tuple[Pairing, ...]]] = []
    for _ in range(100):
        withdraw(record, data.draw(some))
        gone = record.tournament.withdrawn
        sitting_out = field - len(gone)
        added = pair(record)
        if added is None:
            break
        assert added
        known.append((gone, added))
        seated = [entry for one in added for entry in one.entries]
        assert len(seated) == len(set(seated))
        if rules.format is FormatName.SWISS:
            assert set(seated) == set(range(1, field + 1)) - gone
            assert sum(one.is_bye for one in added) == sitting_out % rules.seats
        elif rules.seats > 2:
            # Nobody who withdrew has a seat that somebody else could have.
            assert len(gone.intersection(seated)) == max(0, len(seated) - sitting_out)
            apart = [one for one in added if not one.is_bye and gone.isdisjoint(one.entries)]
            byes = {one.entries[0] for one in added if one.is_bye} - gone
            playing = len(set(seated) - gone - byes)
            assert len(apart) == playing // rules.seats
        waiting = data.draw(st.permutations(sorted(record.pairings)))
        for key in waiting:
            if data.draw(st.integers(0, 9)) == 0:
                withdraw(record, data.draw(some))
            entries = record.pairings[key].entries
            while record.tournament.withdrawn.isdisjoint(entries) and record.blocks_counted(
                key
            ) < record.blocks_wanted(key):
                ranks = st.integers(1, len(entries))
                play(record, key, data.draw(st.tuples(*[ranks] * len(entries))))
    else:
        pytest.fail("the tournament does not end")
    # Whoever reads the record at the end finds that every round follows from those before.
    played, plan = record.played(), record.tournament.plan
    if rules.seats > 2 or rules.format is FormatName.SWISS:
        for gone, added in known:
            before = [one for one in played if one.pairing.round < added[0].round]
            assert plan.next_pairings(field, before, gone) == added
    lines = plan.standings(field, played)
    assert sorted(line.entry for line in lines) == list(range(1, field + 1))
    if rules.format is FormatName.KNOCKOUT:
        assert [line.rank for line in lines].count(1) == 1
    planned = {one.pairing: rules.blocks for one in played if one.absent}
    for one in played:
        counted = record.blocks_counted((one.pairing.round, one.pairing.table))
        # A block beyond those planned is never a walkover.
        assert len(one.blocks) <= max(counted, planned.get(one.pairing, counted))


@pytest.mark.slow
@settings(max_examples=tries(40, quick=10))
@given(st.integers(2, 3), st.integers(0, 6), st.data())
def test_groups_end_whoever_withdraws_and_nobody_who_did_is_paired(
    seats: int, more: int, data: st.DataObject
) -> None:
    field = 2 * (seats + 1) + more
    record = begun(FormatName.GROUPS, field, seats)
    some = st.sets(st.integers(1, field), max_size=3)
    while (added := pair(record)) is not None:
        assert added
        if added[0].round > 1:
            known = [one for one in record.played() if one.pairing.round < added[0].round]
            gone = record.tournament.withdrawn
            assert record.tournament.plan.next_pairings(field, known, gone) == added
        for key in data.draw(st.permutations([(one.round, one.table) for one in added])):
            if data.draw(st.integers(0, 4)) == 0:
                withdraw(record, data.draw(some))
            entries = record.pairings[key].entries
            while record.tournament.withdrawn.isdisjoint(entries) and record.blocks_counted(
                key
            ) < record.blocks_wanted(key):
                ranks = st.integers(1, len(entries))
                play(record, key, data.draw(st.tuples(*[ranks] * len(entries))))
    lines = record.tournament.plan.standings(field, record.played())
    assert [line.rank for line in lines] == list(range(1, field + 1))


@pytest.mark.parametrize("gone", [{1, 4}, {1, 8}, {5, 8}])
def test_of_two_that_withdraw_from_a_group_neither_wins_their_meeting(gone: set[int]) -> None:
    record = begun(FormatName.GROUPS, 10, 2)
    pair(record)
    withdraw(record, gone)
    for played in record.played():
        assert played.absent == gone.intersection(played.pairing.entries)


def test_a_table_of_three_goes_on_in_the_next_round_when_one_withdraws() -> None:
    record = begun(FormatName.SWISS, 7, 3, rounds=3)
    pair(record)
    withdraw(record, [2])
    for key, pairing in list(record.pairings.items()):
        if not pairing.is_bye and 2 not in pairing.entries:
            play(record, key, (1, 2, 3))
    second = pair(record)
    assert second is not None
    assert sorted(len(one.entries) for one in second) == [3, 3]
    assert all(2 not in one.entries for one in second)


def test_the_best_of_those_that_are_out_comes_in_and_may_win() -> None:
    record = begun(FormatName.KNOCKOUT, 9, 3)
    for pairing in pair(record) or ():
        first_seeded = tuple(
            1 + sum(other < one for other in pairing.entries) for one in pairing.entries
        )
        play(record, (pairing.round, pairing.table), first_seeded)
    withdraw(record, [1])
    final = pair(record)
    assert final is not None and [sorted(one.entries) for one in final] == [[2, 3, 4]]
    play(record, (2, 1), tuple(1 if entry == 4 else 2 for entry in final[0].entries))
    assert pair(record) is None
    lines = record.tournament.plan.standings(9, record.played())
    assert (lines[0].entry, lines[0].rank) == (4, 1)
    assert lines[1].rank == 2


@pytest.mark.parametrize("gone", [1, 2])
def test_whoever_withdraws_when_level_loses_and_no_extra_block_is_a_walkover(gone: int) -> None:
    record = begun(FormatName.KNOCKOUT, 2, 2, blocks=2)
    pair(record)
    for _ in range(2 + 1):
        play(record, (1, 1), (1, 1), (1, 1))
    withdraw(record, [gone])
    (played,) = record.played()
    assert len(played.blocks) == 3
    assert pair(record) is None
    assert record.tournament.plan.standings(2, [played])[0].entry == 3 - gone
    assert remark(record, played) == f"bot{3 - gone} 1 by walkover"


def test_a_decided_pairing_stays_decided_when_its_winner_withdraws() -> None:
    record = begun(FormatName.KNOCKOUT, 2, 2)
    pair(record)
    for _ in range(1 + MOST_EXTRA_BLOCKS):
        play(record, (1, 1), (1, 1), (1, 1))
    withdraw(record, [1])
    (played,) = record.played()
    assert remark(record, played) == "bot1 1 by seeding"


@pytest.mark.parametrize("gone", [{1, 2}, {1, 3}, {2, 3}])
def test_of_two_that_withdraw_from_a_round_robin_neither_wins_their_meeting(gone: set[int]) -> None:
    record = begun(FormatName.ROUND_ROBIN, 3, 2)
    pair(record)
    withdraw(record, gone)
    for played in record.played():
        assert played.absent == gone.intersection(played.pairing.entries)


@pytest.mark.slow
def test_pairings_are_listed_with_who_met_the_winner_first_and_the_latest_round_first() -> None:
    record = begun(FormatName.ROUND_ROBIN, 3, 2)
    pair(record)
    for key in record.pairings:
        play(record, key, (2, 1))
    lines = pairing_lines(record)
    assert [(line.round, line.table) for line in lines] == sorted(record.pairings, reverse=True)
    for line in lines:
        loser, winner = record.pairings[line.round, line.table].entries
        met = [(entrant.bot, points) for entrant, points in line.bots]
        assert met == [(f"bot{winner}", "1"), (f"bot{loser}", "0")]
