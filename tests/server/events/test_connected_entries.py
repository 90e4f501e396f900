"""Events that admit connected bots: entries, the freeze, a final by a referee, its archive."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from arena.database.channels import EVENTS_CHANNEL
from arena.database.errors import TournamentStateError, WrongStateError
from arena.database.listening import notifications
from arena.match.transcript import Transcript
from arena.records import Owner
from arena.server.app.store import Store
from arena.server.events.event import Event, SignedEvent
from arena.server.events.finals.archive import ArchiveError, zipped
from arena.server.events.finals.archive_check import Checked, check
from arena.server.events.finals.archive_reading import match_ids, stored_event
from arena.server.tournaments.tournament import TournamentState
from tests.bots import PATIENCE, Peer
from tests.scene import Scene, playing
from tests.server.events.cups import RULES, entrant, frozen, let_pass, said, signed_up

Sql = psycopg.Connection[Any]


async def connecting(store: Store, event: str, name: str) -> tuple[Owner, str]:
    """An owner with a bot `bot-NAME` that connects and has entered; and the bot's token."""
    owner = await signed_up(store, name)
    _, token = await store.register(f"bot-{name}", name)
    await store.events.enter(owner, event, f"bot-{name}")
    return owner, token


async def announced(store: Store, **terms: Any) -> Event:
    return (await store.events.create("cup", said(connected=True, **terms), "me"))[0]


async def later(sql: Sql, days: float) -> None:
    """Let time pass, and tell the keeper of a referee, if one runs.

    In a thread, as that keeper may have the event locked.
    """
    await asyncio.to_thread(let_pass, sql, "cup", days)
    await asyncio.to_thread(sql.execute, "SELECT pg_notify('arena_events', '*')")


async def begun(store: Store, sql: Sql) -> Event:
    for days in (1.1, 1):
        await later(sql, days)
        await store.finals.keep(store.record)
    return (await store.events.named("cup"))[0]


async def kept_until(scene: Scene, done: Callable[[Event], object]) -> Event:
    """The event when the keeper of the referee has done something, which is told at once."""
    told = notifications(scene.database, [EVENTS_CHANNEL])
    async with asyncio.timeout(PATIENCE), aclosing(told):
        async for _ in told:
            event, _ = await scene.arena.store.events.named("cup")
            if done(event):
                return event
    raise AssertionError


async def played(scene: Scene) -> Event:
    return await kept_until(scene, lambda event: event.ended_at)


async def released(scene: Scene, sql: Sql) -> Event:
    await later(sql, 1.1)
    return await kept_until(scene, lambda event: event.released_at)


async def archived(store: Store, event: Event) -> tuple[SignedEvent, list[Transcript]]:
    """What the archive of a released event consists of."""
    signed = await store.archives.signed(event)
    assert signed is not None
    found = [await store.transcript(one) for one in match_ids(stored_event(signed.text))]
    return signed, [one for one in found if one is not None]


def checked(signed: SignedEvent, transcripts: Sequence[Transcript], file: Path) -> Checked:
    """The check of an archive, as anybody makes it."""
    file.write_bytes(b"".join(zipped(signed, transcripts)))
    return check(file)


@asynccontextmanager
async def at_the_arena(scene: Scene, *tokens: str) -> AsyncIterator[None]:
    async with playing([Peer(scene.port, token) for token in tokens]) as company:
        await company.arrived()
        yield


async def test_where_builds_alone_may_enter_a_connected_bot_would_not_play(store: Store) -> None:
    await store.events.create("cup", said(), "me")
    owner = await signed_up(store, "ann")
    await store.register("bot-ann", "ann")
    _, _, version = await store.events.enter(owner, "cup", "bot-ann")
    assert version is None
    event, _ = await store.events.named("cup")
    assert (await store.finals.progress(event)).bots == 0


async def test_the_version_of_a_connected_bot_is_fixed_by_the_freeze_without_a_hash(
    store: Store, database: str, sql: Sql
) -> None:
    event = await announced(store)
    await connecting(store, "cup", "ann")
    await store.register("bot-ann", "ann", "2")
    await store.retire("bot-ann", "2")
    await entrant(store, database, "cup", "bob")
    assert (await store.finals.progress(event)).bots == 2
    await frozen(store, sql, event)
    await store.register("bot-ann", "ann", "3")
    ann, bob = await store.events.entries(event)
    assert (ann.version, ann.sha256) == ("1", None)
    assert bob.sha256 is not None
    plays = {row.bot: row.version for row in await store.organisers.participants(event)}
    assert plays == {"bot-ann": "1", "bot-bob": "1"}


async def test_a_version_that_came_or_went_behind_the_freeze_changes_nothing_of_it(
    store: Store, sql: Sql
) -> None:
    event = await announced(store)
    await connecting(store, "cup", "ann")
    let_pass(sql, "cup", 1.1)  # nobody has frozen it yet
    await store.register("bot-ann", "ann", "2")
    await store.retire("bot-ann", "1")
    await store.finals.keep(store.record)
    (ann,) = await store.events.entries(event)
    assert ann.version == "1"


@pytest.mark.slow
async def test_connected_and_hosted_bots_play_a_final_that_anybody_can_check(
    scene: Scene, database: str, sql: Sql, tmp_path: Path
) -> None:
    store = scene.arena.store
    event = await announced(store)
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    await entrant(store, database, "cup", "eve")
    async with at_the_arena(scene, ann, bob, await scene.shift_token("bot-eve")):
        await begun(store, sql)
        event = await played(scene)
        progress = await store.finals.progress(event)
    assert (progress.blocks, progress.played, progress.walkovers) == (6, 6, 0)
    event = await released(scene, sql)
    found = checked(*await archived(store, event), tmp_path / "cup.zip")
    assert (found.matches, found.pairings) == (12, 3)
    assert found.connected is not None
    assert sorted(found.connected) == ["bot-ann", "bot-bob"]
    transcripts = [await store.transcript(row.match_id) for row in await scene.results("bot-ann")]
    final = [one for one in transcripts if one and len({*one.setup.entrants}) == 2]
    assert {one.setup.deal_id for one in final} == {""}, "no deal comes twice"
    assert event.tournament == "cup"


@pytest.mark.slow
async def test_what_a_final_with_connected_bots_was_not_is_found_in_its_archive(
    scene: Scene, sql: Sql, tmp_path: Path
) -> None:
    store = scene.arena.store
    await announced(store)
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    async with at_the_arena(scene, ann, bob):
        await begun(store, sql)
        await played(scene)
    signed, found = await archived(store, await released(scene, sql))
    checked(signed, found, tmp_path / "cup.zip")
    for wrong, transcripts in (
        ("has the wrong terms, or is the wrong match", found[::-1]),
        ("is missing", found[:-1]),
        ("is none of this final", [*found, found[0]]),
    ):
        with pytest.raises(ArchiveError, match=wrong):
            checked(signed, transcripts, tmp_path / "wrong.zip")


@pytest.mark.slow
async def test_a_connected_bot_that_stays_away_loses_by_walkovers(
    scene: Scene, sql: Sql, tmp_path: Path
) -> None:
    store = scene.arena.store
    await announced(store)
    _, ann = await connecting(store, "cup", "ann")
    _, bob = await connecting(store, "cup", "bob")
    await connecting(store, "cup", "eve")
    async with at_the_arena(scene, ann, bob):
        await begun(store, sql)
        await kept_until(scene, lambda event: event.tournament)
        # As `--patience` of a tournament: it counts the time in which its tables wait.
        patient = (
            "UPDATE tournaments SET patience_s = 1 RETURNING pg_notify('arena_tournaments', '*')"
        )
        await asyncio.to_thread(sql.execute, patient)
        event = await played(scene)
    assert (await store.finals.progress(event)).walkovers == 2
    found = checked(*await archived(store, await released(scene, sql)), tmp_path / "cup.zip")
    assert [line["bot"] for line in found.standings][-1] == "bot-eve"
    assert found.matches == 4


async def test_only_its_event_withdraws_from_and_cancels_a_final_that_a_referee_conducts(
    store: Store, database: str, sql: Sql
) -> None:
    await announced(store)
    for name in ("ann", "bob", "eve"):
        await connecting(store, "cup", name)
    await begun(store, sql)
    with pytest.raises(TournamentStateError, match="final of an event"):
        await store.tournaments.withdraw("cup", 1)
    cancelled = TournamentState.CANCELLED
    with pytest.raises(TournamentStateError, match="final of an event"):
        await store.tournaments.change_state("cup", cancelled)
    await store.events.withdraw("cup", "bot-eve", "me")
    (gone,) = [one for one in (await store.tournaments.named("cup")).entries if one.withdrawn]
    assert gone.registered.entrant.bot == "bot-eve"
    await store.events.cancel("cup", "me", "no room")
    assert (await store.tournaments.named("cup")).state is cancelled


async def test_nobody_enters_a_bot_without_version_in_service_as_ready(store: Store) -> None:
    await announced(store)
    owner, _ = await connecting(store, "cup", "ann")
    _, _, version = await store.events.enter(owner, "cup", "bot-ann")
    assert version == "1"
    await store.retire("bot-ann", "1")
    _, _, version = await store.events.enter(owner, "cup", "bot-ann")
    assert version is None


async def test_a_final_that_lacks_versions_is_cancelled_in_words_that_fit(
    store: Store, sql: Sql
) -> None:
    event = await announced(store, rules=RULES)
    await connecting(store, "cup", "ann")
    event = await begun(store, sql)
    assert "1 of 1 entered bots had a version that can play" in event.why_cancelled
    with pytest.raises(WrongStateError):
        await store.events.cancel("cup", "me", "")
