"""A freeze fixes what plays at its date, whoever looks when."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.database.errors import WrongStateError
from arena.records import Allowance
from arena.server.app.store import Store
from arena.server.events.event import Phase
from tests.jobs import accept_build
from tests.server.events.cups import DAY, entrant, frozen, let_pass, said, signed_up, uploaded


async def fixed(store: Store, name: str = "cup") -> dict[str, str | None]:
    """The versions that a freeze has fixed, by bot."""
    event, _ = await store.events.named(name)
    return {one.bot: one.version for one in await store.events.entries(event)}


async def accept(store: Store, database: str, bot: str) -> None:
    """Accept the newest build of a bot, as its check does."""
    version = max(one.id for one in await store.bots() if one.bot == bot)
    worker = await store.workers.by_token(await store.workers.add("checker", "test"))
    assert worker is not None
    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "UPDATE procrastinate.procrastinate_jobs SET status = 'doing' WHERE status = 'todo'"
            " AND args = jsonb_build_object('version_id', %s::integer)",
            [version],
        )
        begun = await store.shifts.begin_check(worker, version)
        assert begun is not None
        await store.shifts.end(worker, begun.id, "", "", accepted=True)
        connection.execute("DELETE FROM procrastinate.procrastinate_jobs WHERE status = 'doing'")


async def test_the_build_that_plays_at_the_freeze_is_that_of_the_final(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    ann = await entrant(store, database, "cup", "ann")
    bob = await entrant(store, database, "cup", "bob")
    await entrant(store, database, "cup", "dan")
    await uploaded(store, ann, "bot-ann", "1")
    await accept(store, database, "bot-ann")
    await uploaded(store, bob, "bot-bob", "1")
    await accept(store, database, "bot-bob")
    await store.builds.roll_back(bob, "bot-bob", "1")
    eve = await signed_up(store, "eve")
    await uploaded(store, eve, "unchecked")
    await store.events.enter(eve, "cup", "unchecked")
    await entrant(store, database, "cup", "fay")
    await store.owners.ban("fay", "me")
    await store.retire("bot-dan")
    assert (await store.finals.progress(event)).bots == 2  # ann's and bob's
    event = await frozen(store, sql, event)
    assert event.frozen_at is not None
    assert (await store.finals.progress(event)).bots == 2
    assert await fixed(store) == {
        "bot-ann": "2",
        "bot-bob": "1",
        "bot-dan": None,
        "bot-fay": None,
        "unchecked": None,
    }
    await accept(store, database, "unchecked")
    await uploaded(store, ann, "bot-ann", "2")
    await accept(store, database, "bot-ann")
    assert (await fixed(store))["bot-ann"] == "2"
    assert (await fixed(store))["unchecked"] is None


@pytest.mark.parametrize("change", ["accept", "roll back"])
async def test_a_change_after_the_date_does_not_count_even_if_no_referee_has_looked(
    store: Store, database: str, sql: "psycopg.Connection[Any]", change: str
) -> None:
    await store.events.create("cup", said(), "me")
    ann = await entrant(store, database, "cup", "ann")
    await uploaded(store, ann, "bot-ann", "1")
    if change == "roll back":
        await accept(store, database, "bot-ann")
    let_pass(sql, "cup", 1.1)
    if change == "roll back":
        await store.builds.roll_back(ann, "bot-ann", "1")
    else:
        await accept(store, database, "bot-ann")
    assert await fixed(store) == {"bot-ann": "2" if change == "roll back" else "1"}
    event, _ = await store.events.named("cup")
    assert event.frozen_at is not None


@pytest.mark.slow
async def test_a_freeze_fixes_what_played_at_its_moment_whatever_changes_beside_it(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    owners = [await entrant(store, database, "cup", f"owner{n}") for n in range(6)]
    for n, owner in enumerate(owners):
        await uploaded(store, owner, f"bot-owner{n}", "1")
        await accept(store, database, f"bot-owner{n}")
    changes: dict[str, tuple[datetime, datetime]] = {}

    async def back(number: int) -> None:
        began = datetime.now(UTC)
        await store.builds.roll_back(owners[number], f"bot-owner{number}", "1")
        changes[f"bot-owner{number}"] = began, datetime.now(UTC)

    await asyncio.gather(back(0), back(1))
    await asyncio.gather(frozen(store, sql, event), back(2), back(3))
    await asyncio.gather(back(4), back(5))
    frozen_at = (await store.events.named("cup"))[0].frozen_at
    assert frozen_at is not None
    for bot, version in (await fixed(store)).items():
        began, ended = changes[bot]
        possible = {"1"} if ended < frozen_at else {"2"} if began > frozen_at else {"1", "2"}
        assert version in possible, bot


@pytest.mark.parametrize("change", ["retire", "ban"])
async def test_a_bot_that_leaves_after_the_date_was_there_at_the_freeze(
    store: Store, database: str, sql: "psycopg.Connection[Any]", change: str
) -> None:
    await store.events.create("cup", said(), "me")
    await entrant(store, database, "cup", "ann")
    let_pass(sql, "cup", 1.1)
    await (store.retire("bot-ann") if change == "retire" else store.owners.ban("ann", "me"))
    assert await fixed(store) == {"bot-ann": "1"}


@pytest.mark.parametrize("practice", [False, True])
async def test_uploads_between_freeze_and_release_are_refused_unless_practice_goes_on(
    store: Store, database: str, sql: "psycopg.Connection[Any]", practice: bool
) -> None:
    await store.events.create("cup", said(practice=practice), "me")
    ann = await entrant(store, database, "cup", "ann")
    await uploaded(store, ann, "bot-ann", "1")
    let_pass(sql, "cup", 1.1)
    if practice:
        await uploaded(store, ann, "bot-ann", "2")
    else:
        with pytest.raises(WrongStateError, match=r"entered in cup, whose builds were fixed at 20"):
            await uploaded(store, ann, "bot-ann", "2")
        await uploaded(store, ann, "another")
        await store.events.cancel("cup", "me", "")
        await uploaded(store, ann, "bot-ann", "2")


async def test_a_frozen_build_is_kept_however_many_follow(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    ann = await entrant(store, database, "cup", "ann")
    await frozen(store, sql, event)
    (entry,) = await store.events.entries(event)
    assert entry.sha256 is not None
    terms = HostingTerms(builds_kept=1)
    for number in range(3):
        build = read_build("bot.py", f"# {number}".encode())
        await store.builds.upload(ann, "bot-ann", "", build, terms, Allowance(50, 50, 50))
        await accept(store, database, "bot-ann")
    assert b"bot-ann" in await store.finals.build_file(event.id, entry.sha256)
    await store.events.cancel("cup", "me", "")
    build = read_build("bot.py", b"# last")
    await store.builds.upload(ann, "bot-ann", "", build, terms, Allowance(50, 50, 50))
    kept = sql.execute("SELECT count(*) FROM build_files").fetchone()
    assert kept == (2,)


async def test_old_builds_go_while_a_connected_bot_is_frozen(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(connected=True), "me")
    ann = await signed_up(store, "ann")
    await store.register("bot-ann", "ann")
    await store.events.enter(ann, "cup", "bot-ann")
    await frozen(store, sql, event)
    fixed = sql.execute("SELECT build_id, sha256 FROM event_builds").fetchall()
    assert fixed == [(None, None)]
    zoe, terms = await signed_up(store, "zoe"), HostingTerms(builds_kept=1)
    for number in range(4):
        build = read_build("bot.py", f"# {number}".encode())
        await store.builds.upload(zoe, "zoes", "", build, terms, Allowance(50, 50, 50))
        sql.execute("UPDATE hosted_versions SET state = 'refused'")
    assert sql.execute("SELECT count(*) FROM build_files").fetchone() == (1,)


async def test_events_freeze_each_at_its_own_date(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    late = said()
    late = replace(late, dates=replace(late.dates, freezes=late.dates.freezes + DAY / 2))
    first, _ = await store.events.create("first", said(), "me")
    await store.events.create("second", late, "me")
    await frozen(store, sql, first)
    found, now = await store.event_views.newest(None)
    phases = {one.name: one.phase(now) for one in found}
    assert phases == {"first": Phase.FROZEN, "second": Phase.OPEN}
    # A build of a bot that has entered nothing is accepted as ever.
    owner = await signed_up(store, "zoe")
    await uploaded(store, owner, "zoes")
    await accept_build(store, database, "zoes")
    assert [one.bot for one in await store.bots()] == ["zoes"]
