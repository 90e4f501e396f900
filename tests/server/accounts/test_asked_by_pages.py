"""What the pages and commands ask about tournaments and matches, beside lists of bots."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import BigInteger, cast, literal_column, select

from arena.database.connecting import LONG_SECONDS
from arena.database.reading import Reader, open_reader
from arena.database.transcripts import unpack
from arena.match.clock import TimeControl
from arena.records import ToldFault, VersionId
from arena.scheduling.pairings import Pairing
from arena.server.app.store import Store
from arena.server.results import match_search, statements
from arena.server.results.export import open_archive
from arena.server.results.match_finding import transcript_named
from arena.server.results.match_search import MatchFilter
from arena.server.results.statements import Selection
from arena.server.tournaments import tournament_statements
from arena.server.tournaments.tournament import TournamentState
from tests.recorded_results import block, finished, match_id
from tests.server.tournaments.test_tournaments import both_rotations, created, opened

Versions = tuple[VersionId, ...]


async def test_tournaments_are_listed_newest_first_by_the_page(
    read: Reader, store: Store, versions: Versions
) -> None:
    one, two, three = [
        (await created(store, versions, name)).id for name in ("one", "two", "three")
    ]

    def page(limit: int, **wanted: Any) -> list[str]:
        return [row.name for row in read(tournament_statements.newest_tournaments(limit, **wanted))]

    assert page(5) == ["three", "two", "one"]
    assert page(1, before=three) == ["two"]
    assert page(5, before=three) == ["two", "one"]
    assert page(1, after=one) == ["two"]
    assert page(5, after=one) == ["three", "two"]
    assert page(5, before=one) == page(5, after=three) == []
    assert page(5, after=two, search="O") == []
    assert page(5, before=three, search="O") == ["two", "one"]
    assert [row.name for row in read(tournament_statements.tournament_list())] == [
        "one",
        "two",
        "three",
    ]
    assert [row.name for row in read(tournament_statements.tournament_list(name="TWO"))] == ["two"]
    assert read(tournament_statements.tournament_list(states=["running"])) == []


async def test_a_tournament_was_last_active_when_a_block_of_it_began_or_ended(
    read: Reader, store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    cup, other = await created(store, versions), await created(store, versions, "other")

    def active(tournament_id: int) -> datetime | None:
        (row,) = read(tournament_statements.last_activity(tournament_id))
        found: datetime | None = row.active_at
        return found

    assert active(cup.id) is None
    own = await opened(store, cup)
    began = sql.execute("SELECT created_at FROM blocks").fetchone()
    assert active(cup.id) == (began or ())[0]
    await store.record(both_rotations(versions, own))
    ended = sql.execute("SELECT closed_at FROM blocks").fetchone()
    assert active(cup.id) == (ended or ())[0] > (began or ())[0]
    assert active(other.id) is None


async def test_blocks_that_count_are_counted_for_the_tournaments_asked_for(
    read: Reader, store: Store, versions: Versions
) -> None:
    cups = [await created(store, versions, name) for name in ("one", "two", "three")]
    for cup in cups[:2]:
        own = await opened(store, cup)
        await store.record(both_rotations(versions, own))
    await opened(store, cups[2])  # it is not over, and does not count

    def counted(*ids: int) -> dict[int, int]:
        found = read(tournament_statements.block_counts(ids))
        return {row.tournament_id: row.blocks for row in found}

    assert counted() == {}
    assert counted(cups[0].id, cups[1].id) == {cups[0].id: 1, cups[1].id: 1}
    assert counted(cups[1].id, cups[2].id) == {cups[1].id: 1}


async def test_pairings_are_read_in_their_order_and_stay_as_they_were(
    read: Reader, store: Store, versions: Versions
) -> None:
    cup = await created(store, versions)
    pairings = [Pairing(2, 1, (1, 3)), Pairing(1, 2, (2, 3)), Pairing(1, 1, (1, 2))]
    await store.tournaments.add_pairings(cup.id, pairings)
    await store.tournaments.add_pairings(cup.id, [Pairing(1, 1, (3, 2))])
    found = read(tournament_statements.pairings_of(cup.id))
    assert [(row.round, row.table, row.entries) for row in found] == [
        (1, 1, [1, 2]),
        (1, 2, [2, 3]),
        (2, 1, [1, 3]),
    ]


async def test_times_of_a_tournament_are_those_of_its_first_start_and_its_end(
    store: Store, versions: Versions
) -> None:
    await created(store, versions)
    state = TournamentState
    moments = []
    for to, before in (
        (state.RUNNING, state.CREATED),
        (state.PAUSED, state.RUNNING),
        (state.RUNNING, state.PAUSED),
    ):
        await store.tournaments.change_state("cup", to, before=[before])
        cup = await store.tournaments.named("CUP")
        moments.append(cup.started_at)
        assert cup.ended_at is None
    assert moments[0] is not None and len(set(moments)) == 1
    await store.tournaments.finish(cup.id)
    ended = await store.tournaments.named("cup")
    assert ended.ended_at is not None and ended.started_at == moments[0]
    assert [one.name for one in (await store.tournaments.newest(9))[0]] == ["cup"]


async def test_a_withdrawal_keeps_its_first_time(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    await created(store, versions)
    seen = []
    for _ in range(2):
        await store.tournaments.withdraw("cup", 2)
        seen.append(
            sql.execute(
                "SELECT number, withdrawn_at FROM tournament_entries WHERE withdrawn_at IS NOT NULL"
            ).fetchall()
        )
    assert seen[0] == seen[1]
    assert [number for number, _ in seen[0]] == [2]
    cup = await store.tournaments.named("cup")
    assert [entry.withdrawn for entry in cup.entries] == [False, True, False]
    assert [entry.number for entry in cup.entries] == [1, 2, 3]


async def test_matches_that_ended_lately_are_counted(
    read: Reader, store: Store, versions: Versions
) -> None:
    now = datetime.now(UTC)
    old, new = finished(versions[:2]), finished(versions[:2])
    await store.record([old, replace(new, finished_at=now - timedelta(minutes=5))])
    counts = [
        read(statements.matches_ended_within(timedelta(minutes=minutes)))[0].matches
        for minutes in (4, 6, 10_000_000)
    ]
    assert counts == [0, 1, 2]


async def test_a_match_in_which_a_bot_has_several_seats_is_listed_once(
    read: Reader, store: Store, versions: Versions
) -> None:
    one = versions[0]
    other = (await store.register("bot0", "owner0", "2"))[0].version_id
    matches = [finished((one, one, other), minute=minute) for minute in range(3)]
    await store.record(matches)
    newest = [match_id(match) for match in reversed(matches)]
    for wanted in (MatchFilter(bot="bot0"), MatchFilter(bot="bot0", opponent="bot0")):
        for limit in (3, 2):
            found = read(match_search.found_matches(wanted, limit=limit))
            assert [str(row.match_id) for row in found] == newest[:limit]


@pytest.mark.parametrize("faults", [False, True])
async def test_matches_of_a_block_are_filtered_by_bot_too(
    faults: bool, read: Reader, store: Store, versions: Versions
) -> None:
    trio = block(3)
    first = finished(versions[:2], trio)
    second = finished((versions[1], versions[2]), trio, 1, minute=1)
    await store.record([first, second])
    by_bot = {
        bot: [
            str(row.match_id)
            for row in read(
                match_search.found_matches(
                    MatchFilter(block=trio.id, bot=bot, faults=faults), limit=5
                )
            )
        ]
        for bot in ("bot0", "bot1", "bot2")
    }
    expected = {
        "bot0": [match_id(first)],
        "bot1": [match_id(second), match_id(first)],
        "bot2": [match_id(second)],
    }
    assert by_bot == ({bot: [] for bot in expected} if faults else expected)


async def test_transcripts_and_faults_are_those_of_the_matches_asked_for(
    read: Reader, store: Store, versions: Versions
) -> None:
    fault = ToldFault(3, "no such bet", '{"bet": 9}')
    first = replace(finished(versions[:2]), faults=(fault,))
    second = replace(finished(versions[:2]), faults=(replace(fault, turn_number=5, sent=None),))
    await store.record([first, second, finished(versions[:2])])
    told = read(match_search.faults_told([match_id(first)]))
    assert [(str(row.match_id), row.turn, row.reason, row.sent) for row in told] == [
        (match_id(first), 3, "no such bet", {"bet": 9})
    ]
    assert len(read(match_search.faults_told([match_id(first), match_id(second)]))) == 2
    (row,) = read(match_search.transcripts_of_matches([match_id(second)]))
    assert str(row.match_id) == match_id(second)
    assert unpack(row) == second.transcript


async def test_an_export_selects_by_game_options_seats_and_time_control(
    database: str, store: Store, versions: Versions
) -> None:
    control = TimeControl(60_000, 600_000)
    plain = finished(versions[:2], minute=0)
    dice = finished(versions[:2], minute=1, dice_per_player=2)
    three = finished(versions, minute=2)
    slow = finished(versions[:2], minute=3, time_control=control)
    open_block = finished(versions[:2], block(2), minute=4)
    await store.record([slow, three, dice, plain, open_block])
    with open_archive(database) as archive:

        def found(**wanted: object) -> list[str]:
            selection = Selection(**wanted)  # type: ignore[arg-type]
            listed = [row.match_id for row in archive.matches(selection)]
            assert archive.count(selection) == len(listed)
            assert [one.setup.match_id for one in archive.transcripts(selection)] == listed
            return listed

        every = [match_id(one) for one in (plain, dice, three, slow, open_block)]
        assert found() == every
        assert found(game="bluff") == every
        assert found(game="bloeff") == []
        assert found(options={"dice_per_player": 2}) == [match_id(dice)]
        assert found(seat_counts=range(3, 5)) == [match_id(three)]
        assert found(time_control=control) == [match_id(slow)]
        assert found(rated=True) == every[:-1]
    with open_reader(database) as read:
        assert transcript_named(read, match_id(three)) == three.transcript
        assert transcript_named(read, "00000000-0000-4000-8000-000000000000") is None


def test_what_reads_all_rows_gets_the_time_for_it(read: Reader) -> None:
    limit = literal_column("extract(epoch FROM current_setting('statement_timeout')::interval)")
    seconds = select(cast(limit, BigInteger).label("seconds"))
    (found,) = read.columns(seconds, np.dtype([("seconds", ">i8")]))
    assert found["seconds"] == LONG_SECONDS
    assert read(seconds)[0].seconds < LONG_SECONDS
