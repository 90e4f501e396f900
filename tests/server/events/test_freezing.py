"""A freeze fixes what plays at its date, whoever looks when."""

import asyncio
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from arena.builds import read_build
from arena.builds.hosted import HostingTerms
from arena.database.errors import EventStateError
from arena.records import Allowance, Owner
from arena.server.app.store import Store
from arena.server.events.event import Phase
from tests.jobs import accept_build
from tests.server.events.cups import DAY, entrant, frozen, let_pass, said, signed_up, uploaded


async def fixed(store: Store, name: str = "cup") -> dict[str, str | None]:
    """The versions that a freeze has fixed, by bot."""
    event, _ = await store.events.named(name)
    return {one.bot: one.version for one in await store.events.entries(event)}


async def newer(store: Store, owner: Owner, bot: str, source: str = "1") -> None:
    await uploaded(store, owner, bot, source)


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
    await newer(store, ann, "bot-ann")
    await accept(store, database, "bot-ann")
    await newer(store, bob, "bot-bob")
    await accept(store, database, "bot-bob")
    await store.builds.roll_back(bob, "bot-bob", "1")
    eve = await signed_up(store, "eve")
    await uploaded(store, eve, "unchecked")
    await store.events.enter(eve, "cup", "unchecked")
    await store.retire("bot-dan")
    event = await frozen(store, sql, event)
    assert event.frozen_at is not None
    assert await fixed(store) == {
        "bot-ann": "2",
        "bot-bob": "1",
        "bot-dan": None,
        "unchecked": None,
    }
    await accept(store, database, "unchecked")
    await newer(store, ann, "bot-ann", "2")
    await accept(store, database, "bot-ann")
    assert (await fixed(store))["bot-ann"] == "2"
    assert (await fixed(store))["unchecked"] is None


@pytest.mark.parametrize("change", ["accept", "roll back"])
async def test_a_change_after_the_date_does_not_count_even_if_no_referee_has_looked(
    store: Store, database: str, sql: "psycopg.Connection[Any]", change: str
) -> None:
    await store.events.create("cup", said(), "me")
    ann = await entrant(store, database, "cup", "ann")
    await newer(store, ann, "bot-ann")
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


async def test_builds_accepted_while_a_freeze_comes_count_or_do_not_as_a_whole(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    """Whatever is fixed is what played when the freeze was made."""
    event, _ = await store.events.create("cup", said(), "me")
    owners = [await entrant(store, database, "cup", f"owner{n}") for n in range(6)]
    for n, owner in enumerate(owners):
        await newer(store, owner, f"bot-owner{n}")
        await accept(store, database, f"bot-owner{n}")

    async def back(number: int) -> None:
        await asyncio.sleep(0.01 * number)
        await store.builds.roll_back(owners[number], f"bot-owner{number}", "1")

    async def freeze() -> None:
        await asyncio.sleep(0.03)
        await frozen(store, sql, event)

    await asyncio.gather(freeze(), *(back(number) for number in range(6)))
    frozen_at = (await store.events.named("cup"))[0].frozen_at
    assert frozen_at is not None
    versions = await fixed(store)
    changed = sql.execute(
        "SELECT subject FROM audit WHERE action = 'roll back' AND at < %s", [frozen_at]
    ).fetchall()
    # A change that had begun before waits for none, and one that began later did not count.
    before = {subject.split()[0] for (subject,) in changed}
    assert {bot for bot, version in versions.items() if version == "1"} <= before


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
    await newer(store, ann, "bot-ann")
    let_pass(sql, "cup", 1.1)
    if practice:
        await newer(store, ann, "bot-ann", "2")
    else:
        with pytest.raises(EventStateError, match=r"entered in cup, whose builds were fixed at 20"):
            await newer(store, ann, "bot-ann", "2")
        await uploaded(store, ann, "another")
        await store.events.cancel("cup", "me", "")
        await newer(store, ann, "bot-ann", "2")


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


async def test_events_freeze_each_at_its_own_date(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    late = said()
    late = replace(late, dates=replace(late.dates, freezes=late.dates.freezes + DAY / 2))
    first, _ = await store.events.create("first", said(), "me")
    await store.events.create("second", late, "me")
    await frozen(store, sql, first)
    found, now = await store.events.newest()
    phases = {one.name: one.phase(now) for one in found}
    assert phases == {"first": Phase.FROZEN, "second": Phase.OPEN}
    assert await accept_is_harmless(store, database)


async def accept_is_harmless(store: Store, database: str) -> bool:
    """A build of a bot that has entered nothing is accepted as ever."""
    owner = await signed_up(store, "zoe")
    await uploaded(store, owner, "zoes")
    await accept_build(store, database, "zoes")
    return True
