"""What an event allows is kept, also among calls that come at once; a refusal says what to do."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import event as engine_event

from arena.database.async_engine import async_engine
from arena.database.errors import LimitReachedError, RequestRefusedError, WrongStateError
from arena.moments import in_utc
from arena.server.app.store import Store, open_store
from arena.server.events.event import Admission, EntryLimits
from arena.server.events.roster_file import Enrollee
from arena.server.events.serving.events import Events
from tests.jobs import refuse_build
from tests.server.events.cups import enrolled, let_pass, said, signed_up, uploaded

Sql = psycopg.Connection[Any]


def day_after(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


@pytest.fixture
def noon(sql: Sql) -> None:
    """No midnight comes during a test: builds are always of today."""
    now = datetime.now(UTC)
    if day_after(now) - now < timedelta(minutes=2):
        pytest.skip("a day of UTC ends now")


@pytest.mark.usefixtures("noon")
async def test_of_builds_that_come_at_once_no_more_are_taken_than_are_allowed(
    store: Store, database: str, sql: Sql
) -> None:
    await store.events.create("cup", said(limits=EntryLimits(builds=3)), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    await store.events.enter(owner, "cup", "hers")
    async with open_store(database) as other:
        outcomes = await asyncio.gather(
            *(uploaded((store, other)[n % 2], owner, "hers", f"x = {n}") for n in range(8)),
            return_exceptions=True,
        )
    refused = [str(one) for one in outcomes if one is not None]
    assert outcomes.count(None) == 2
    next_day = in_utc(day_after(datetime.now(UTC)))
    assert (
        refused
        == [
            "cup allows 3 builds of a bot in a day (UTC), and hers has had 3 today: the next is "
            f"possible at {next_day}. Nothing was changed."
        ]
        * 6
    )
    assert sql.execute("SELECT count(*) FROM hosted_versions").fetchone() == (3,)


@pytest.mark.usefixtures("noon")
async def test_refused_builds_count_and_yesterdays_do_not(
    store: Store, database: str, sql: Sql
) -> None:
    await store.events.create("cup", said(limits=EntryLimits(builds=1)), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    await refuse_build(store, database, "hers")
    await store.events.enter(owner, "cup", "hers")
    (told,) = await store.builds.open_events(owner, "hers")
    assert told.startswith("cup: a build of hers counts if its check accepts it within ")
    assert told.endswith("Builds left today (UTC): 0 of 1.")
    again = f"hers has had 1 today: the next is possible at {in_utc(day_after(datetime.now(UTC)))}"
    with pytest.raises(WrongStateError, match=again):
        await uploaded(store, owner, "hers", "x = 1")
    await uploaded(store, owner, "another")  # which has entered nothing
    sql.execute("UPDATE versions SET created_at = created_at - interval '1 day'")
    await uploaded(store, owner, "hers", "x = 1")


@pytest.mark.usefixtures("noon")
async def test_a_bot_gets_no_more_builds_by_leaving_and_coming_back(store: Store, sql: Sql) -> None:
    await store.events.create("cup", said(limits=EntryLimits(builds=2)), "me")
    owner = await signed_up(store, "ann")
    for number in range(3):  # before it enters it may have any number
        await uploaded(store, owner, "hers", f"x = {number}")
    await uploaded(store, owner, "other")
    await store.events.enter(owner, "cup", "hers")
    await store.events.leave(owner, "cup")
    await store.events.enter(owner, "cup", "hers")
    await store.events.enter(owner, "cup", "hers", team="A team")
    next_day = in_utc(day_after(datetime.now(UTC)))
    await store.events.leave(owner, "cup")
    await uploaded(store, owner, "hers", "x = 4")
    with pytest.raises(WrongStateError, match=f"has had 4 today: enter it from {next_day} on"):
        await store.events.enter(owner, "cup", "hers")
    await store.events.enter(owner, "cup", "other")
    await uploaded(store, owner, "hers", "x = 5")
    with pytest.raises(WrongStateError, match="cup allows 2 builds of a bot in a day"):
        await store.events.enter(owner, "cup", "hers")
    sql.execute("UPDATE versions SET created_at = created_at - interval '1 day'")
    await uploaded(store, owner, "hers", "x = 6")
    await store.events.enter(owner, "cup", "hers")


@pytest.mark.usefixtures("noon")
async def test_who_has_no_build_left_before_the_freeze_is_told_so(store: Store, sql: Sql) -> None:
    await store.events.create("cup", said(limits=EntryLimits(builds=1)), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    await store.events.enter(owner, "cup", "hers")
    sql.execute("UPDATE events SET freezes_at = now() + interval '1 minute'")
    with pytest.raises(WrongStateError, match=r"no other is possible before the freeze at 20"):
        await uploaded(store, owner, "hers", "x = 1")
    let_pass(sql, "cup", 1.1)
    await uploaded(store, owner, "hers", "x = 1")  # practice, of which there is no limit
    assert await store.builds.open_events(owner) == []


async def test_as_many_bots_enter_as_are_allowed_also_at_once(store: Store) -> None:
    event, _ = await store.events.create("cup", said(limits=EntryLimits(bots=3)), "me")
    owners = [await signed_up(store, f"owner{n}") for n in range(6)]
    for owner in owners:
        await uploaded(store, owner, f"bot-{owner.name}")
    outcomes = await asyncio.gather(
        *(store.events.enter(owner, "cup", f"bot-{owner.name}") for owner in owners),
        return_exceptions=True,
    )
    refused = [str(one) for one in outcomes if isinstance(one, WrongStateError)]
    assert refused == ["cup is full: 3 bots may enter."] * 3
    entries = await store.events.entries(event)
    assert len(entries) == 3
    inside = next(owner for owner in owners if owner.name == entries[0].owner)
    await uploaded(store, inside, "second")
    await store.events.enter(inside, "cup", "second")  # in the place of the first


async def test_a_team_has_as_many_people_as_are_allowed(store: Store) -> None:
    await store.events.create("cup", said(limits=EntryLimits(members=2)), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    for member in ("bea", "cem"):
        await store.owners.add_member(owner, member)
    with pytest.raises(WrongStateError, match="cup allows 2 people in a team, and ann has 3"):
        await store.events.enter(owner, "cup", "hers")
    for member in ("bea", "cem"):
        await store.owners.remove_member(owner, member)
    await store.events.enter(owner, "cup", "hers")
    await store.owners.add_member(owner, "bea")
    with pytest.raises(LimitReachedError, match="cup, which you have entered, allows 2 people"):
        await store.owners.add_member(owner, "cem")
    await store.events.leave(owner, "cup")
    await store.owners.add_member(owner, "cem")


async def test_what_an_event_does_not_limit_is_not_counted(store: Store, database: str) -> None:
    """All changes of builds wait for the lock that an entry holds."""
    await store.events.create("cup", said(), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "hers")
    engine = async_engine(database)
    asked: list[str] = []

    @engine_event.listens_for(engine.sync_engine, "before_cursor_execute")
    def ask(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    await Events(engine).enter(owner, "cup", "hers")
    await engine.dispose()
    assert any("INSERT INTO event_entries" in one for one in asked)
    assert not any("owner_members" in one or "date_trunc" in one for one in asked)


async def test_a_team_of_a_roster_has_as_many_people_as_are_allowed(store: Store) -> None:
    terms = said(entry=Admission.ROSTER, limits=EntryLimits(members=2))
    event, _ = await store.events.create("course", terms, "me")
    people = [Enrollee(name, "", "", "A team") for name in ("Ann", "Bea", "Cem")]
    with pytest.raises(RequestRefusedError, match="The team A team would have more than 2 people"):
        await enrolled(store, event, people)
    assert len(await enrolled(store, event, people[:2])) == 2
