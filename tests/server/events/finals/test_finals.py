"""Finals: played in secret from what was fixed, recorded once, released at their date."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from arena.database.async_engine import async_engine
from arena.database.engine import reading_engine
from arena.database.errors import (
    NameTakenError,
    NotFoundError,
    RequestRefusedError,
    WrongStateError,
)
from arena.match.result import Result
from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.events.event import Event, Phase
from arena.server.events.finals import finals as finals_module
from arena.server.events.finals.finals import EVENT_RETRY_SECONDS, FinalBlockId, Finals, HandedIn
from arena.server.tournaments.tournaments import NewEntry
from tests import recorded_matches
from tests.bots import PATIENCE
from tests.server.events.cups import (
    DAY,
    RULES,
    done,
    entrant,
    frozen,
    let_pass,
    played,
    played_out,
    queued,
    said,
)


async def begun(
    store: Store,
    database: str,
    sql: "psycopg.Connection[Any]",
    rules: Any = RULES,
    names: Sequence[str] = ("ann", "bob", "eve"),
) -> Event:
    """A final that has begun."""
    event, _ = await store.events.create("cup", said(rules), "me")
    for name in names:
        await entrant(store, database, "cup", name)
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    return (await store.events.named("cup"))[0]


async def released(store: Store, sql: "psycopg.Connection[Any]") -> Event:
    """The event on the day of its results."""
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    return (await store.events.named("cup"))[0]


async def test_nothing_of_a_final_is_seen_before_its_date_and_everything_then(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql)
    assert event.began_at is not None
    event = await played_out(store, sql, event)
    before = await recorded_matches.matches(store, limit=100)
    assert before == []
    assert (await store.tournaments.newest(10))[0] == []
    reader = reading_engine(database)
    with (
        reader.connect() as connection,
        pytest.raises(DBAPIError, match="permission denied for table event_secrets"),
    ):
        connection.execute(text("SELECT * FROM event_secrets"))
    for table in ("event_pairings", "event_blocks"):
        held = sql.execute(f"SELECT count(*) FROM {table}").fetchone()
        assert held is not None
        assert held[0] > 0
        with reader.connect() as connection:
            assert connection.execute(text(f"SELECT * FROM {table}")).all() == []
    reader.dispose()
    await store.finals.keep(store.record)
    assert (await store.events.named("cup"))[0].seed is None
    event = await released(store, sql)
    assert event.tournament == "cup"
    assert event.seed is not None
    record = await store.tournaments.record(await store.tournaments.named("cup"))
    assert len(record.pairings) == 3
    assert [len(points) for points in record.points.values()] == [2, 2, 2]
    rows = await recorded_matches.matches(store, limit=100)
    assert len(rows) == 12
    assert [len(await store.archives.transcripts(event, after)) for after in (10, 12)] == [2, 0]
    assert not any(row.rated for row in rows)
    left = sql.execute("SELECT count(*) FROM event_blocks").fetchone()
    assert left == (0,)
    rated = sql.execute("SELECT count(*) FROM rating_events").fetchone()
    assert rated == (0,)


async def test_the_two_matches_of_a_deal_block_are_dealt_the_same_dice(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    block = queued(sql)[0]
    found = await store.finals.begin_block(block)
    assert found is not None
    first, second = found.matches
    assert first.setup.deal_id == second.setup.deal_id
    assert first.setup.match_id != second.setup.match_id
    assert first.entries == second.entries[::-1]
    draws = [next(step.action for step in played(one).transcript.steps) for one in (first, second)]
    assert draws[0] == draws[1]
    again = await store.finals.begin_block(block)
    assert again == found


async def test_a_block_is_recorded_once_and_queued_until_then(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    blocks = queued(sql)
    assert len(blocks) == len(set(blocks)) == 6
    await store.finals.keep(store.record)
    assert queued(sql) == blocks
    signer = await store.signer()
    found = await store.finals.begin_block(blocks[0])
    assert found is not None
    matches = [played(one) for one in found.matches]
    await store.finals.end_block(blocks[0], matches, signer)
    others = [played(one, seed=1) for one in found.matches]
    await store.finals.end_block(blocks[0], others, signer)
    kept = sql.execute("SELECT placings FROM event_blocks").fetchall()
    assert kept == [([place for one in matches for place in one.transcript.result.placing],)]
    assert await store.finals.begin_block(blocks[0]) is None
    assert await store.finals.begin_block(replace(blocks[1], event_id=-1)) is None
    done(sql)  # as if all workers had died
    await store.finals.keep(store.record)
    assert queued(sql) == blocks[1:]


async def test_a_worker_cannot_hand_in_another_match(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    block, other = queued(sql)[:2]
    signer = await store.signer()
    found = await store.finals.begin_block(block)
    elsewhere = await store.finals.begin_block(other)
    assert found is not None and elsewhere is not None
    first, second = (played(one) for one in found.matches)
    lost = first.transcript.result
    placing = tuple(3 - place for place in lost.placing)
    changed: Result = replace(lost, placing=placing)
    for why, matches in (
        ("has 2 matches; 1 came", [first]),
        ("the wrong deal", [second, first]),
        ("the wrong deal", [first, played(elsewhere.matches[1])]),
        ("rules", [_with(first, result=changed), second]),
        ("rules", [_with(first, steps=first.transcript.steps[:-1]), second]),
        ("the wrong commitment", [_with(first, commitment=bytes(32)), second]),
        (
            "before it began",
            [replace(first, finished_at=first.started_at - timedelta(seconds=1)), second],
        ),
    ):
        with pytest.raises(RequestRefusedError, match=why):
            await store.finals.end_block(block, matches, signer)
    kept = sql.execute("SELECT count(*) FROM event_blocks").fetchone()
    assert kept == (0,)
    unknown = FinalBlockId(block.event_id, 9, 9, 1)
    assert await store.finals.begin_block(unknown) is None
    await store.finals.end_block(unknown, [first, second], signer)


def _with(match: HandedIn, **changes: Any) -> HandedIn:
    return replace(match, transcript=replace(match.transcript, **changes))


async def test_a_build_that_does_not_start_loses_what_is_left_of_its_pairings(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql)
    for block in queued(sql):
        found = await store.finals.begin_block(block)
        if found is None:
            continue
        names = [one.registered.entrant.owner for one in found.builds]
        if "eve" in names:
            await store.finals.absent(block, [names.index("eve")], "It did not start.")
        else:
            with pytest.raises(RequestRefusedError, match="no such build"):
                await store.finals.absent(block, [2], "")
    await played_out(store, sql, event)
    event = await released(store, sql)
    record = await store.tournaments.record(await store.tournaments.named("cup"))
    entries = {one.registered.entrant.owner: one for one in record.tournament.entries}
    lost = {key for key, absent in record.forfeits.items() if absent == {entries["eve"].number}}
    assert len(lost) == 2
    line = record.tournament.plan.standings(3, record.played())[-1]
    assert line.entry == entries["eve"].number
    assert line.points == 0


async def test_a_walkover_is_decided_once_and_stands_in_the_audit(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    first, second = (one for one in queued(sql) if one.table == 1 and one.round == 1)
    signer = await store.signer()
    found, late = await store.finals.begin_block(first), await store.finals.begin_block(second)
    assert found is not None and late is not None
    await store.finals.absent(first, [0], "It did not start.")
    await store.finals.absent(second, [1], "Nor did this.")
    await store.finals.end_block(second, list(map(played, late.matches)), signer)
    kept = sql.execute("SELECT count(*) FROM event_blocks").fetchone()
    assert kept == (0,)
    lines = [line for line in await store.owners.audit(20) if "walkover" in line.action]
    (line,) = lines
    assert line.details == {
        "bots": [str(found.builds[0].registered.entrant)],
        "why": "It did not start.",
    }


async def test_an_event_that_cannot_be_kept_does_not_stop_the_others(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    sql.execute("UPDATE events SET options = '{\"no_such\": 1}' WHERE name = 'cup'")
    await store.events.create("next", said(), "me")
    for name in ("fay", "gus"):
        await entrant(store, database, "next", name)
    let_pass(sql, "next", 2.1)
    assert await store.finals.keep(store.record) == EVENT_RETRY_SECONDS
    event, now = await store.events.named("next")
    assert event.phase(now) is Phase.FINAL


async def test_a_bot_withdrawn_from_a_final_loses_what_it_has_not_played(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql)
    await store.events.withdraw("cup", "bot-eve", "me")
    await store.finals.keep(store.record)
    event = await played_out(store, sql, event)
    event = await released(store, sql)
    tournament = await store.tournaments.named("cup")
    assert [one.registered.entrant.owner for one in tournament.entries if one.withdrawn] == ["eve"]
    assert len(await recorded_matches.matches(store, limit=100)) == 4


@pytest.mark.slow
async def test_a_knockout_is_paired_as_it_is_decided(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    rules = replace(RULES, format=FormatName.KNOCKOUT, blocks=1)
    event = await begun(store, database, sql, rules, ("a1", "b2", "c3", "d4", "e5"))
    await played_out(store, sql, event)
    event = await released(store, sql)
    record = await store.tournaments.record(await store.tournaments.named("cup"))
    assert len({round_ for round_, _ in record.pairings}) == 3
    first = record.tournament.plan.standings(5, record.played())[0]
    assert first.rank == 1
    assert first.points == 3


async def test_an_event_that_too_few_can_play_is_cancelled_with_the_reason(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql, names=("ann",))
    assert event.phase(event.terms.dates.results) is Phase.CANCELLED
    assert event.why_cancelled.startswith(
        "1 of 1 entered bots had an accepted build at the freeze: "
    )
    assert queued(sql) == []


@pytest.mark.slow
@pytest.mark.parametrize("crash", [1, 2, 3])
async def test_a_release_that_is_cut_off_goes_on_and_records_each_match_once(
    store: Store,
    database: str,
    sql: "psycopg.Connection[Any]",
    crash: int,
) -> None:
    finals = Finals(async_engine(database), piece=2)
    event = await begun(store, database, sql)
    await played_out(store, sql, event)
    let_pass(sql, "cup", 1)
    calls = 0

    async def record(matches: Sequence[FinishedMatch]) -> None:
        nonlocal calls
        calls += 1
        if calls == crash:
            raise ConnectionError
        await store.record(matches)

    assert await finals.keep(record) == EVENT_RETRY_SECONDS
    event, now = await store.events.named("cup")
    assert event.released_at is None
    assert event.phase(now) is Phase.FINAL
    # Some matches may be public already.
    with pytest.raises(WrongStateError, match="results of cup are being released"):
        await store.events.cancel("cup", "me", "")
    later = replace(event.terms.dates, results=event.terms.dates.results + 9 * DAY)
    with pytest.raises(WrongStateError, match="The date “results” of cup cannot be moved"):
        await store.events.move("cup", later, "me")
    await finals.keep(store.record)
    event, _ = await store.events.named("cup")
    assert event.released_at is not None
    assert len(await recorded_matches.matches(store, limit=100)) == 12
    record_ = await store.tournaments.record(await store.tournaments.named("cup"))
    assert [len(points) for points in record_.points.values()] == [2, 2, 2]


async def test_the_final_gets_another_name_if_its_own_was_taken_meanwhile(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql)
    await played_out(store, sql, event)
    field = [NewEntry(one.id, None) for one in await store.bots()]
    await store.tournaments.create("Cup", replace(RULES, seed="x"), field)
    with pytest.raises(NameTakenError, match="There is a tournament cup"):
        await store.events.create("cup", said(), "me")
    event = await released(store, sql)
    assert event.tournament == "cup-2"


async def test_the_next_date_is_told_in_seconds(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    assert await store.finals.keep(store.record) is None
    await store.events.create("cup", said(), "me")
    seconds = await store.finals.keep(store.record)
    assert seconds is not None
    assert 86_300 < seconds <= 86_400  # to the freeze
    let_pass(sql, "cup", 0.5)
    seconds = await store.finals.keep(store.record)
    assert seconds is not None
    assert 43_100 < seconds <= 43_200
    assert not await store.finals.playing()


async def test_one_of_several_referees_releases_a_final(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event = await begun(store, database, sql)
    await played_out(store, sql, event)
    let_pass(sql, "cup", 1)
    calls = 0

    async def record(matches: Sequence[FinishedMatch]) -> None:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.01)  # so that the others come meanwhile
        await store.record(matches)

    several = [Finals(async_engine(database), piece=2) for _ in range(3)]
    pauses = await asyncio.gather(*(one.keep(record) for one in several))
    assert calls == 3
    assert set(pauses) <= {None, EVENT_RETRY_SECONDS}
    assert (await store.events.named("cup"))[0].released_at is not None
    assert len(await recorded_matches.matches(store, limit=100)) == 12


async def test_a_block_that_comes_after_a_withdrawal_does_not_count(
    store: Store,
    database: str,
    sql: "psycopg.Connection[Any]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The withdrawal comes while the block is being checked."""
    await begun(store, database, sql)
    block = queued(sql)[0]
    found = await store.finals.begin_block(block)
    assert found is not None
    bot = found.builds[0].registered.entrant.bot
    matches = [played(one) for one in found.matches]
    checked = finals_module.checked
    loop = asyncio.get_running_loop()

    def meanwhile(*given: Any) -> Any:
        withdrawn = store.events.withdraw("cup", bot, "me")
        asyncio.run_coroutine_threadsafe(withdrawn, loop).result(PATIENCE)
        return checked(*given)

    monkeypatch.setattr(finals_module, "checked", meanwhile)
    await store.finals.end_block(block, matches, await store.signer())
    kept = sql.execute("SELECT count(*) FROM event_blocks").fetchone()
    assert kept == (0,)


async def test_a_withdrawal_says_why_it_cannot_be(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    await begun(store, database, sql)
    await store.events.withdraw("cup", "bot-eve", "me")
    with pytest.raises(NotFoundError, match="is withdrawn already"):
        await store.events.withdraw("cup", "bot-eve", "me")
    await store.events.cancel("cup", "me", "")
    with pytest.raises(WrongStateError, match="The event cup is cancelled"):
        await store.events.withdraw("cup", "bot-ann", "me")


async def test_an_event_of_which_all_are_withdrawn_is_cancelled_and_says_so(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    for name in ("ann", "bob", "eve"):
        await entrant(store, database, "cup", name)
    await frozen(store, sql, event)
    for name in ("bob", "eve"):
        await store.events.withdraw("cup", f"bot-{name}", "me")
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    event, _ = await store.events.named("cup")
    assert event.why_cancelled == "all but 1 of 3 bots are withdrawn"
