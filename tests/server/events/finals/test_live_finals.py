"""Live finals: public block by block as they are handed in; the seed stays secret until the end."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from arena.database.engine import reading_engine
from arena.database.errors import TournamentStateError
from arena.match.verify import verify
from arena.records import FinishedMatch
from arena.scheduling.formats import FormatName
from arena.server.app.referees_store import open_referees_store
from arena.server.app.store import Store
from arena.server.events.event import Event, Phase
from arena.server.events.finals.finals import EVENT_RETRY_SECONDS, FinalBlockId
from arena.server.tournaments.tournament import TournamentRecord, TournamentState
from arena.server.tournaments.tournaments import NewEntry
from arena.signatures import check_signature
from tests import recorded_matches
from tests.server.events.cups import (
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

Sql = psycopg.Connection[Any]
NAMES = ("ann", "bob", "eve")


async def begun(
    store: Store, database: str, sql: Sql, *, rules: Any = RULES, live: bool = True
) -> Event:
    """A final that has begun."""
    event, _ = await store.events.create("cup", replace(said(rules), live=live), "me")
    for name in NAMES:
        await entrant(store, database, "cup", name)
    await frozen(store, sql, event)
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    return (await store.events.named("cup"))[0]


async def hand_in(store: Store, block: FinalBlockId) -> list[str]:
    """Hand a block in; return the ids of its matches."""
    found = await store.finals.begin_block(block)
    assert found is not None
    await store.finals.end_block(block, list(map(played, found.matches)), await store.signer())
    return sorted(one.setup.match_id for one in found.matches)


async def public(store: Store) -> list[str]:
    """The ids of all matches that everybody sees."""
    return sorted(row.match_id for row in await recorded_matches.matches(store, limit=100))


async def shown(store: Store) -> TournamentRecord:
    return await store.tournaments.record(await store.tournaments.named("cup"))


async def test_a_live_final_is_a_tournament_from_its_beginning(
    store: Store, database: str, sql: Sql
) -> None:
    event = await begun(store, database, sql)
    assert event.tournament == "cup"
    record = await shown(store)
    assert record.tournament.state is TournamentState.RUNNING
    assert len(record.pairings) == 3
    assert await public(store) == []


async def test_what_is_handed_in_is_public_at_once_with_all_matches_of_its_deal(
    store: Store, database: str, sql: Sql
) -> None:
    await begun(store, database, sql)
    first, second, *_ = queued(sql)
    ids = await hand_in(store, first)
    await store.finals.publish(store.record)
    assert await public(store) == ids
    ids = sorted(ids + await hand_in(store, second))
    await store.finals.publish(store.record)
    assert await public(store) == ids
    assert sum(len(points) for points in (await shown(store)).points.values()) == 2
    for match_id in ids:
        transcript = await store.transcript(match_id)
        assert transcript is not None
        verify(transcript)
        check_signature(transcript, (await store.signer()).public_key)


async def test_nothing_that_is_public_has_the_secret_of_a_deal_to_come(
    store: Store, database: str, sql: Sql
) -> None:
    event = await begun(store, database, sql)
    first, *coming = queued(sql)
    await hand_in(store, first)
    await store.finals.publish(store.record)
    seed = sql.execute("SELECT seed FROM event_secrets").fetchone()
    assert seed is not None
    secrets = {bytes(seed[0])}
    for block in coming:
        found = await store.finals.begin_block(block)
        assert found is not None
        for dealt in found.matches:
            secrets |= {dealt.secret, *dealt.entropies}
    seen = b""
    reader = reading_engine(database)
    with reader.connect() as connection:
        readable = connection.execute(
            text(
                "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r'"
                " AND relnamespace = 'public'::regnamespace"
                " AND has_table_privilege(oid, 'SELECT')"
            )
        )
        for table in readable.scalars().all():
            rows = connection.execute(text(f"SELECT to_jsonb(t)::text FROM {table} AS t"))
            seen += "\n".join(rows.scalars()).encode()
    reader.dispose()
    for match_id in await public(store):
        transcript = await store.transcript(match_id)
        assert transcript is not None and transcript.opening is not None
        assert secrets.isdisjoint({transcript.opening.secret, *transcript.opening.entropies})
    assert event.commitment.hex().encode() in seen
    assert not [one for one in secrets if one.hex().encode() in seen]
    reader = reading_engine(database)
    with (
        reader.connect() as connection,
        pytest.raises(DBAPIError, match="permission denied for table event_secrets"),
    ):
        connection.execute(text("SELECT * FROM event_secrets"))
    for hidden in ("event_pairings", "event_blocks"):
        with reader.connect() as connection:
            assert connection.execute(text(f"SELECT * FROM {hidden}")).all() == []
    reader.dispose()


async def test_the_seed_is_opened_with_the_results_and_nothing_is_recorded_again(
    store: Store, database: str, sql: Sql
) -> None:
    event = await begun(store, database, sql)
    event = await played_out(store, sql, event)
    await store.finals.keep(store.record)
    event, now = await store.events.named("cup")
    assert event.phase(now) is Phase.FINAL
    assert event.seed is None
    assert (await shown(store)).tournament.state is TournamentState.FINISHED
    assert len(await public(store)) == 12
    before = sql.execute(
        "SELECT match_id, xmin::text FROM transcripts ORDER BY match_id"
    ).fetchall()
    let_pass(sql, "cup", 1)
    await store.finals.keep(store.record)
    event, now = await store.events.named("cup")
    assert event.phase(now) is Phase.RELEASED
    assert event.seed is not None
    assert (
        sql.execute("SELECT match_id, xmin::text FROM transcripts ORDER BY match_id").fetchall()
        == before
    )
    for table in ("event_blocks", "event_pairings"):
        assert sql.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def _killed_before(_: Store) -> Callable[[Sequence[FinishedMatch]], Awaitable[None]]:
    async def record(_matches: Sequence[FinishedMatch]) -> None:
        raise ConnectionError

    return record


def _killed_after(store: Store) -> Callable[[Sequence[FinishedMatch]], Awaitable[None]]:
    async def record(matches: Sequence[FinishedMatch]) -> None:
        await store.record(matches)
        raise ConnectionError

    return record


@pytest.mark.slow
@pytest.mark.parametrize("killed", [_killed_before, _killed_after])
async def test_a_referee_that_dies_while_it_publishes_loses_and_repeats_nothing(
    store: Store, database: str, sql: Sql, killed: Any
) -> None:
    await begun(store, database, sql)
    first, second, *_ = queued(sql)
    ids = await hand_in(store, first)
    with pytest.raises(ConnectionError):
        await store.finals.publish(killed(store))
    ids = sorted(ids + await hand_in(store, second))
    assert await store.finals.keep(killed(store)) == EVENT_RETRY_SECONDS
    await store.finals.publish(store.record)
    assert await public(store) == ids
    assert sum(len(points) for points in (await shown(store)).points.values()) == 2
    await store.finals.publish(killed(store))  # there is nothing left to record


async def test_a_blind_final_is_not_published_nor_may_it_be(
    store: Store, database: str, sql: Sql
) -> None:
    event = await begun(store, database, sql, live=False)
    await hand_in(store, queued(sql)[0])
    await store.finals.publish(store.record)
    await store.finals.keep(store.record)
    assert await public(store) == []
    assert (await store.tournaments.newest(10))[0] == []
    field = [NewEntry(one.id, None) for one in await store.bots()]
    other = await store.tournaments.create("other", replace(RULES, seed="x"), field)
    with pytest.raises(psycopg.errors.CheckViolation, match="events_blind_until_results"):
        sql.execute(
            "UPDATE events SET tournament_id = %s, published_at = now() WHERE id = %s",
            (other.id, event.id),
        )


async def test_walkovers_and_withdrawals_are_seen_while_it_is_played(
    store: Store, database: str, sql: Sql
) -> None:
    await begun(store, database, sql)
    block = queued(sql)[0]
    found = await store.finals.begin_block(block)
    assert found is not None
    await store.finals.absent(block, [0], "It did not start.")
    await store.finals.keep(store.record)
    record = await shown(store)
    assert record.forfeits == {(block.round, block.table): {found.entries[0]}}
    await store.events.withdraw("cup", found.builds[1].registered.entrant.bot, "me")
    await store.finals.keep(store.record)
    assert (await shown(store)).tournament.withdrawn == {found.entries[1]}


async def test_rounds_of_a_live_knockout_appear_as_they_are_paired(
    store: Store, database: str, sql: Sql
) -> None:
    rules = replace(RULES, format=FormatName.KNOCKOUT, blocks=1)
    event = await begun(store, database, sql, rules=rules)
    assert {round_ for round_, _ in (await shown(store)).pairings} == {1}
    await played_out(store, sql, event)
    assert {round_ for round_, _ in (await shown(store)).pairings} == {1, 2}


async def test_no_referee_conducts_a_live_final_nor_can_it_be_changed_as_a_tournament(
    store: Store, database: str, sql: Sql
) -> None:
    await begun(store, database, sql)
    state = TournamentState.PAUSED
    with pytest.raises(TournamentStateError, match="cup is the final of an event"):
        await store.tournaments.change_state("cup", state)
    with pytest.raises(TournamentStateError, match="cup is the final of an event"):
        await store.tournaments.withdraw("cup", 1)
    async with open_referees_store(database) as referee:
        await referee.tournaments.take_up(of_the_gone=True)
        assert await referee.tournaments.conducted() == []


async def test_a_cancelled_live_final_is_a_cancelled_tournament(
    store: Store, database: str, sql: Sql
) -> None:
    await begun(store, database, sql)
    ids = await hand_in(store, queued(sql)[0])
    await store.finals.publish(store.record)
    done(sql)
    await store.events.cancel("cup", "me", "The hall burns.")
    assert (await shown(store)).tournament.state is TournamentState.CANCELLED
    assert await public(store) == ids
