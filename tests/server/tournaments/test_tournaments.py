"""Tournaments in a real Postgres: states, pairings, blocks that count and blocks that do not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import psycopg
import pytest

from arena.database.channels import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.database.errors import (
    NameRefusedError,
    NameTakenError,
    NotFoundError,
    RecordRefusedError,
    TournamentStateError,
)
from arena.database.listening import notifications
from arena.database.reading import Reader
from arena.match.clock import TimeControl
from arena.match.score_rule import ScoreRule
from arena.records import Block, FinishedMatch, TournamentBlock, VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import Pairing, PlayedPairing
from arena.server.app.referees_store import RefereesStore, open_referees_store
from arena.server.app.store import Store
from arena.server.tournaments.tournament import BlockState, Rules, Tournament, TournamentState
from arena.server.tournaments.tournaments import NewEntry
from tests import recorded_matches
from tests.database_locks import waiting
from tests.databases import plain
from tests.ladder_log import rated_results
from tests.recorded_results import block, finished

RULES = Rules(
    format=FormatName.ROUND_ROBIN,
    game="bluff",
    options={"dice_per_player": 3},
    seats=2,
    blocks=1,
    rounds=None,
    score=ScoreRule.PLACEMENT,
    seed="s",
    rated=True,
    time_control=TimeControl(60_000, 600_000),
)


async def created(
    store: Store, versions: Sequence[VersionId], name: str = "cup", *, rated: bool = True
) -> Tournament:
    entries = [NewEntry(version, 1500.0 - at) for at, version in enumerate(versions)]
    return await store.tournaments.create(name, replace(RULES, rated=rated), entries)


async def opened(store: Store, tournament: Tournament) -> Block:
    """A block for the first pairing, 2 against 1."""
    await store.tournaments.add_pairings(tournament.id, [Pairing(1, 1, (2, 1))])
    own = replace(block(2), rated=tournament.rules.rated)
    await store.open_blocks([TournamentBlock(tournament.id, (1, 1), own)])
    return own


def both_rotations(versions: Sequence[VersionId], own: Block) -> list[FinishedMatch]:
    """The first of the two versions wins from both seats."""
    one, other = versions[:2]
    won, lost = finished((one, other), own, 0), finished((other, one), own, 1)
    result = replace(lost.transcript.result, placing=(2, 1))
    return [won, replace(lost, transcript=replace(lost.transcript, result=result))]


async def test_a_tournament_is_kept_as_it_was_created(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    assert await store.tournaments.named("CUP") == tournament
    assert await store.tournaments.newest(9) == ([tournament], 1)
    assert tournament.rules == RULES
    assert tournament.state is TournamentState.CREATED
    assert [entry.number for entry in tournament.entries] == [1, 2, 3]
    assert [entry.registered.version_id for entry in tournament.entries] == list(versions)
    assert [entry.registered.entrant.owner for entry in tournament.entries] == [
        "owner0",
        "owner1",
        "owner2",
    ]
    assert tournament.entries[1].elo == 1499.0


async def test_names_are_taken_once_and_well_formed(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    await created(store, versions)
    with pytest.raises(NameTakenError, match="choose another name"):
        await created(store, versions, "Cup")
    with pytest.raises(NameRefusedError, match="cannot name the tournament"):
        await created(store, versions, "a cup")
    with pytest.raises(NotFoundError, match="no tournament other"):
        await store.tournaments.named("other")
    with pytest.raises(RecordRefusedError):
        await created(store, [versions[0], versions[0]], "twice")


async def test_of_several_referees_one_conducts_a_tournament_that_has_begun(
    database: str, store: Store, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    async def conducted_by(*referees: RefereesStore) -> list[list[str]]:
        return [[cup.name for cup in await one.tournaments.conducted()] for one in referees]

    async with open_referees_store(database) as other:
        await created(store, versions)
        await referee.tournaments.take_up(of_the_gone=True)
        assert await conducted_by(referee, other) == [[], []]  # it has not begun
        cup = await store.tournaments.named("cup")
        await store.tournaments.change_state(
            "cup", TournamentState.RUNNING, before=[TournamentState.CREATED]
        )
        await referee.tournaments.take_up(of_the_gone=False)
        await other.tournaments.take_up(of_the_gone=True)
        assert await conducted_by(referee, other) == [["cup"], []]
        await referee.tournaments.hand_over(cup.id, other.lease.epoch)
        assert await conducted_by(referee, other) == [[], ["cup"]]
    # The other has stopped; what it left is taken over first.
    await referee.tournaments.take_up(of_the_gone=True)
    assert await conducted_by(referee) == [[]]
    await referee.lease.look()
    await referee.tournaments.take_up(of_the_gone=False)
    assert await conducted_by(referee) == [[]]
    await referee.tournaments.take_up(of_the_gone=True)
    assert await conducted_by(referee) == [["cup"]]
    await referee.tournaments.hand_over(cup.id, other.lease.epoch)  # which is gone
    assert await conducted_by(referee) == [["cup"]]
    await referee.tournaments.finish(cup.id)
    assert await conducted_by(referee) == [[]]


async def test_nobody_takes_a_referee_over_while_it_is_handed_a_tournament(
    database: str,
    store: Store,
    referee: RefereesStore,
    versions: tuple[VersionId, ...],
    sql: psycopg.Connection,
) -> None:
    await created(store, versions)
    cup = await store.tournaments.named("cup")
    free = "SELECT FROM leases WHERE epoch = %s FOR UPDATE SKIP LOCKED"
    async with open_referees_store(database) as other:
        epoch = other.lease.epoch
        with psycopg.connect(plain(database)) as busy:
            busy.execute("SELECT FROM tournaments FOR UPDATE")
            handing = asyncio.ensure_future(referee.tournaments.hand_over(cup.id, epoch))
            await waiting(sql, 1)
            assert sql.execute(free, [epoch]).rowcount == 0
        await handing
        assert sql.execute(free, [epoch]).rowcount == 1


async def test_states_change_in_their_order_only(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    await created(store, versions)

    async def becomes(state: TournamentState) -> Tournament:
        await store.tournaments.change_state("cup", state)
        return await store.tournaments.named("cup")

    with pytest.raises(TournamentStateError, match="cup is created: only one that is running"):
        await becomes(TournamentState.PAUSED)
    begun = await becomes(TournamentState.RUNNING)
    assert begun.started_at is not None
    assert (await becomes(TournamentState.PAUSED)).state is TournamentState.PAUSED
    assert (await becomes(TournamentState.RUNNING)).started_at == begun.started_at
    await store.tournaments.finish(begun.id)
    over = await store.tournaments.named("cup")
    assert (over.state, over.ended_at is not None) == (TournamentState.FINISHED, True)
    with pytest.raises(TournamentStateError, match="cup is finished"):
        await becomes(TournamentState.CANCELLED)
    with pytest.raises(TournamentStateError, match="no bot can withdraw"):
        await store.tournaments.withdraw("cup", 1)


async def test_only_what_runs_can_be_finished(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    await store.tournaments.finish(tournament.id)
    await store.tournaments.suspend(tournament.id)
    assert (await store.tournaments.named("cup")).state is TournamentState.CREATED


async def test_a_block_counts_once_all_its_matches_are_recorded(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    own = await opened(store, tournament)
    first, second = both_rotations(versions, own)
    await store.record([first])
    (seen,) = await store.tournaments.blocks(tournament, [own.id])
    assert (seen.block_id, seen.pairing, seen.state) == (own.id, (1, 1), BlockState.OPEN)
    record = await store.tournaments.record(tournament)
    assert record.played() == [PlayedPairing(Pairing(1, 1, (2, 1)))]
    await store.record([second])
    record = await store.tournaments.record(tournament)
    points = (Fraction(0), Fraction(1))
    assert record.played() == [PlayedPairing(Pairing(1, 1, (2, 1)), (points,))]
    assert await store.tournaments.block_counts([tournament.id]) == {tournament.id: 1}


async def test_blocks_are_read_on_from_one_in_the_order_begun(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    begun = [(await opened(store, tournament)).id for _ in range(4)]
    assert [one.block_id for one in await store.tournaments.blocks(tournament)] == begun
    for at, block_id in enumerate(begun):
        later = await store.tournaments.blocks(tournament, after=block_id)
        assert [one.block_id for one in later] == begun[at + 1 :]


async def test_tournaments_are_listed_newest_first_by_a_part_of_their_name(
    store: Store, referee: RefereesStore, versions: tuple[VersionId, ...]
) -> None:
    cups = [await created(store, versions, name) for name in ("spring_1", "Spring2", "autumn")]
    assert await store.tournaments.newest(2) == ([cups[2], cups[1]], 3)
    assert await store.tournaments.newest(9, "SPRING") == ([cups[1], cups[0]], 2)
    assert await store.tournaments.newest(9, "g_") == ([cups[0]], 1)
    for name in ("spring_1", "autumn"):
        await store.tournaments.change_state(
            name, TournamentState.RUNNING, before=[TournamentState.CREATED]
        )
    await referee.tournaments.take_up(of_the_gone=False)
    asked = [cups[0].id, cups[1].id]
    assert [one.name for one in await referee.tournaments.conducted(asked)] == ["spring_1"]


async def test_what_a_crash_cut_off_is_open_and_goes_on_where_it_was(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    own = await opened(store, tournament)
    await store.record(both_rotations(versions, own)[1:])
    never_played = block(2)
    await store.open_blocks([TournamentBlock(tournament.id, (1, 1), never_played)])
    record = await store.tournaments.record(tournament)
    assert record.played()[0].blocks == ()
    assert {one.block_id: one.positions for one in record.open_blocks} == {
        own.id: (1,),
        never_played.id: (),
    }


async def test_unfinished_blocks_of_a_tournament_that_is_over_are_void_when_a_referee_starts(
    database: str, store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    own = await opened(store, tournament)
    await store.record(both_rotations(versions, own)[:1])
    for state in (TournamentState.RUNNING, TournamentState.CANCELLED):
        await store.tournaments.change_state(tournament.name, state)
        async with open_referees_store(database) as referee:
            assert await referee.kept() == []
        (seen,) = await store.tournaments.blocks(tournament, [own.id])
        over = state is TournamentState.CANCELLED
        assert seen.state is (BlockState.VOID if over else BlockState.OPEN)


async def test_opening_and_pairing_again_change_nothing(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    own = await opened(store, tournament)
    await store.open_blocks([TournamentBlock(tournament.id, (1, 1), own)])
    await store.tournaments.add_pairings(tournament.id, [Pairing(1, 1, (3, 1))])
    record = await store.tournaments.record(tournament)
    assert record.pairings == {(1, 1): Pairing(1, 1, (2, 1))}
    assert len(await store.tournaments.blocks(tournament, [own.id])) == 1


@pytest.mark.parametrize("rated", [True, False])
async def test_matches_of_an_unrated_tournament_do_not_count_for_the_ratings(
    read: Reader, store: Store, versions: tuple[VersionId, ...], rated: bool
) -> None:
    tournament = await created(store, versions, rated=rated)
    own = await opened(store, tournament)
    await store.record(both_rotations(versions, own))
    assert len(rated_results(read, "bluff", {}, [2])) == 2 * rated
    assert {match.rated for match in await recorded_matches.matches(store)} == {rated}


async def test_withdrawing_turns_what_is_missing_into_walkovers(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    await opened(store, tournament)
    await store.tournaments.withdraw("cup", 2)
    await store.tournaments.withdraw("cup", 2)
    tournament = await store.tournaments.named("cup")
    assert tournament.withdrawn == {2}
    record = await store.tournaments.record(tournament)
    assert record.played()[0].blocks == ((Fraction(0), Fraction(1)),)
    assert record.played(unsettled=[(1, 1)])[0].blocks == ()


async def test_a_block_belongs_to_a_pairing_that_exists(
    store: Store, versions: tuple[VersionId, ...], sql: psycopg.Connection
) -> None:
    tournament = await created(store, versions)
    with pytest.raises(RecordRefusedError):
        await store.open_blocks([TournamentBlock(tournament.id, (1, 1), block(2))])
    assert sql.execute("SELECT count(*) FROM blocks").fetchone() == (0,)


@pytest.mark.slow
async def test_listeners_are_told_of_every_change_and_after_a_lost_connection(
    store: Store, versions: tuple[VersionId, ...], database: str, sql: psycopg.Connection
) -> None:
    told = notifications(database, [TOURNAMENTS_CHANNEL, RESULTS_CHANNEL])
    async with asyncio.timeout(20):
        await anext(told)  # what happened before is to be looked at anyway
        cup = await created(store, versions)
        assert await anext(told) == {str(cup.id)}
        await store.tournaments.change_state(
            "cup", TournamentState.RUNNING, before=[TournamentState.CREATED]
        )
        assert await anext(told) == {str(cup.id)}
        await store.tournaments.add_pairings(cup.id, [Pairing(1, 1, (1, 2))])
        assert await anext(told) == {str(cup.id)}
        await store.tournaments.withdraw("cup", 3)
        assert await anext(told) == {str(cup.id)}
        await store.record([finished(versions)])
        await anext(told)
        sql.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        await anext(told)
    await told.aclose()


async def test_how_long_tables_wait_for_a_bot_is_kept_until_it_is_seen(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament, wait = await created(store, versions), store.tournaments.wait
    assert await wait(tournament, {2, 3}, {1}, 5.0, going_on=False) == {2: 5.0, 3: 5.0}
    assert await wait(tournament, {3}, {1, 2}, 5.0, going_on=True) == {3: 10.0}
    entries = (await store.tournaments.named("cup")).entries
    assert [one.waited_seconds for one in entries] == [0.0, 0.0, 10.0]
    assert [one.absence for one in entries] == ["", "", "not connected"]


async def test_walkovers_of_absent_bots_are_kept_and_not_rated(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    tournament = await created(store, versions)
    pairings = [Pairing(1, 1, (2, 1)), Pairing(1, 2, (2, 3))]
    await store.tournaments.add_pairings(tournament.id, pairings)
    await store.tournaments.forfeit(tournament.id, {(1, 1): {2}})
    record = await store.tournaments.record(tournament)
    assert record.forfeits == {(1, 1): frozenset({2})}
    won, waiting = record.played()
    assert won.total() == (0, 1) and won.absent == {2}
    assert not waiting.blocks
