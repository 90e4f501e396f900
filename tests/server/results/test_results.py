"""What counts, and what is asked about results."""

from uuid import uuid4

import psycopg
import pytest

from arena.database.channels import RESULTS_CHANNEL
from arena.database.errors import TranscriptDamagedError
from arena.database.reading import Reader
from arena.database.transcripts import packer, unpack
from arena.match.clock import TimeControl
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.boards import ladder_statements
from arena.server.results.match_finding import Bluffs, find, match_named, transcript_named
from arena.server.results.match_search import MatchFilter
from tests import recorded_matches
from tests.bots import PATIENCE
from tests.ladder_log import rated_results
from tests.recorded_results import block, finished, forfeited, match_id

Versions = tuple[VersionId, ...]


def rated(read: Reader, *seat_counts: int) -> list[str]:
    return [result.match_id for result in rated_results(read, "bluff", {}, seat_counts)]


async def test_a_block_counts_once_it_is_complete(
    read: Reader, store: Store, versions: Versions
) -> None:
    trio = block(3)
    matches = [finished(versions, trio, position, minute=position) for position in range(3)]
    await store.record(matches[:1])
    await store.record(matches[1:2])
    assert rated(read, 3) == []
    await store.record(matches[2:])
    assert rated(read, 3) == [match_id(match) for match in matches]


async def test_a_block_cut_short_counts_as_far_as_it_went(
    read: Reader, store: Store, versions: Versions
) -> None:
    trio = block(3)
    await store.record([finished(versions, trio, 0), finished(versions, trio, 1)])
    await store.close_block(trio.id)
    await store.close_block(trio.id)
    assert len(rated(read, 3)) == 2
    await store.record([finished(versions, trio, 2)])
    assert len(rated(read, 3)) == 3


async def test_a_block_cut_short_is_told_to_who_waits_for_results(
    store: Store, versions: Versions, sql: psycopg.Connection
) -> None:
    trio = block(3)
    await store.record([finished(versions, trio, 0)])
    sql.execute(f"LISTEN {RESULTS_CHANNEL}".encode())
    await store.close_block(trio.id)
    assert [told.channel for told in sql.notifies(timeout=PATIENCE, stop_after=1)] == [
        RESULTS_CHANNEL
    ]


async def test_a_void_block_never_counts_and_stays_in_the_log(
    read: Reader, store: Store, versions: Versions
) -> None:
    pair = block(2)
    await store.record([finished(versions, pair, 0)])
    await store.void_block(pair.id)
    await store.close_block(pair.id)
    await store.record([finished(versions, pair, 1)])
    assert rated(read, 3) == []
    assert [(match.rated, match.voided) for match in await recorded_matches.matches(store)] == [
        (False, True)
    ] * 2


async def test_a_block_that_counts_cannot_be_voided(
    read: Reader, store: Store, versions: Versions
) -> None:
    match = finished(versions)
    await store.record([match])
    await store.void_block(match.block.id)
    assert rated(read, 3) == [match_id(match)]


async def test_rated_results_are_those_of_one_ladder_by_seat(
    read: Reader, store: Store, versions: Versions
) -> None:
    two = forfeited(finished(versions[:2]))
    await store.record([two, finished(versions), finished(versions, show_and_reroll=True)])
    (result,) = rated_results(read, "bluff", {}, [2])
    assert result.match_id == match_id(two)
    assert result.block_id == two.block.id
    assert result.version_ids == list(versions[:2])
    assert result.placings == [1, 2]
    assert result.forfeited == [False, True]
    assert len(rated_results(read, "bluff", {}, [2, 3])) == 2
    assert len(rated_results(read, "bluff", {"show_and_reroll": True}, [3])) == 1
    assert rated_results(read, "bloeff", {}, [2, 3]) == []


async def test_matches_with_another_time_control_are_on_a_ladder_of_their_own(
    read: Reader, store: Store, versions: Versions
) -> None:
    slow = TimeControl(60_000, 600_000)
    usual, thoughtful = finished(versions), finished(versions, time_control=slow)
    await store.record([usual, thoughtful])
    (result,) = rated_results(read, "bluff", {}, [3], time_control=slow)
    assert result.match_id == match_id(thoughtful)
    assert rated(read, 3) == [match_id(usual)]
    assert sorted((row.turn_ms, row.bank_ms) for row in read(ladder_statements.ladders())) == [
        (2_000, 30_000),
        (60_000, 600_000),
    ]
    found = await recorded_matches.match(store, match_id(thoughtful))
    assert found is not None and found.time_control == slow
    placed = [one.time_control for one in await store.newest_placings()]
    assert sorted(control.turn_ms for control in placed) == [2_000, 60_000]


async def test_later_results_are_asked_for_by_the_last_number(
    read: Reader, store: Store, versions: Versions
) -> None:
    await store.record([finished(versions) for _ in range(3)])
    first = rated_results(read, "bluff", {}, [3])
    news = finished(versions)
    await store.record([news])
    added = rated_results(read, "bluff", {}, [3], first[-1].sequence)
    assert [result.match_id for result in added] == [match_id(news)]


async def test_matches_are_listed_newest_first_page_by_page(
    store: Store, versions: Versions
) -> None:
    matches = [finished(versions, minute=number // 2) for number in range(7)]
    await store.record(matches)
    pages: list[str] = []
    while page := await recorded_matches.matches(
        store, limit=3, before=pages[-1] if pages else None
    ):
        pages += [row.match_id for row in page]
    newest = sorted(matches, key=lambda match: (match.finished_at, match_id(match)), reverse=True)
    assert pages == [match_id(match) for match in newest]


async def test_a_listed_match_says_who_sat_where_and_how_it_ended(
    store: Store, versions: Versions
) -> None:
    match = forfeited(finished(versions[1::-1], show_and_reroll=True))
    await store.record([match])
    (row,) = await recorded_matches.matches(store)
    assert row == await recorded_matches.match(store, match_id(match))
    assert (row.game, row.options, row.termination) == (
        "bluff",
        {"show_and_reroll": True},
        "forfeit",
    )
    assert (row.decided_by_faults, row.rated, row.seat_count) == (True, True, 2)
    assert (row.started_at, row.finished_at) == (match.started_at, match.finished_at)
    assert [(seat.bot, seat.placing, seat.score, seat.forfeited) for seat in row.seats] == [
        ("bot1", 1, None, False),
        ("bot0", 2, None, True),
    ]


async def test_matches_are_found_by_bot_and_by_game(store: Store, versions: Versions) -> None:
    await store.record([finished(versions[:2]), finished(versions[1:])])
    assert len(await recorded_matches.matches(store, bot="BOT0")) == 1
    assert len(await recorded_matches.matches(store, bot="bot1", game="bluff")) == 2
    assert await recorded_matches.matches(store, bot="bot1", game="bloeff") == []
    assert await recorded_matches.matches(store, bot="nobody") == []


async def test_a_match_that_is_not_there_is_none(
    read: Reader, store: Store, versions: Versions
) -> None:
    await store.record([finished(versions)])
    for unknown in (str(uuid4()), "no id", ""):
        assert match_named(read, unknown) is None
        assert transcript_named(read, unknown) is None
        assert await store.transcript(unknown) is None
        assert find(read, Bluffs(read), MatchFilter(), before=unknown, limit=9) == []


async def test_ladders_and_who_met_on_them_are_told(
    read: Reader, store: Store, versions: Versions
) -> None:
    one, two, three = versions
    pairs = [(one, two), (two, one), (one, three)]
    await store.record([finished(pair, minute=minute) for minute, pair in enumerate(pairs)])
    await store.record([finished(versions, block(3), 0, show_and_reroll=True)])
    assert [
        (ladder.options, ladder.seat_count) for ladder in read(ladder_statements.ladders())
    ] == [
        ({}, 2),
        ({"show_and_reroll": True}, 3),
    ]
    placed = await store.newest_placings()
    assert sorted(
        (
            (ladder.options, ladder.seat_count, ladder.versions, ladder.placings)
            for ladder in placed
        ),
        key=lambda ladder: ladder[1],
    ) == [
        ({}, 2, [[one, two], [two, one], [one, three]], [[1, 2]] * 3),
        ({"show_and_reroll": True}, 3, [list(versions)], [[1, 2, 3]]),
    ]


def test_a_damaged_transcript_is_noticed() -> None:
    packed = packer()(finished((VersionId(1), VersionId(2))).written)
    assert packed.format == 1  # as all that is stored by now
    cut = type(packed)(packed.format, packed.sha256, packed.data[:-4])
    other = type(packed)(packed.format, bytes(32), packed.data)
    newer = type(packed)(99, packed.sha256, packed.data)
    for damaged, words in ((cut, "not what was stored"), (other, "backup"), (newer, "format 99")):
        with pytest.raises(TranscriptDamagedError, match=words):
            unpack(damaged)
