"""Who may enter an event, until when, and which dates may be moved."""

import asyncio
import threading
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from arena.database.channels import EVENTS_CHANNEL
from arena.database.errors import (
    NameRefusedError,
    NameTakenError,
    NotAllowedError,
    NotFoundError,
    RequestRefusedError,
    WrongStateError,
)
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import Format
from arena.scheduling.round_robin import MOST_TABLES
from arena.server.app.store import Store
from arena.server.events.event import Admission, Dates, FinalRules, Phase
from tests.bots import PATIENCE
from tests.jobs import accept_build
from tests.server.events.cups import (
    DAY,
    RULES,
    entrant,
    frozen,
    let_pass,
    said,
    signed_up,
    uploaded,
)


async def test_a_final_is_tried_with_few_bots_first_and_never_in_the_event_loop(
    store: Store,
) -> None:
    by: list[threading.Thread] = []

    class Watched(FinalRules):
        def plan(self, field: int) -> Format:
            by.append(threading.current_thread())
            return super().plan(field)

    def watched(rules: FinalRules) -> FinalRules:
        return Watched(*(getattr(rules, field.name) for field in fields(rules)))

    never = watched(replace(RULES, seats=3, blocks=1000, rounds=1000))
    with pytest.raises(RequestRefusedError, match="Such a final can never be played: this takes "):
        await store.events.create("never", said(never), "me")
    assert threading.main_thread() not in by
    by.clear()
    assert watched(replace(RULES, seats=3)).why_never() == ""
    assert len(by) == 1


def test_a_final_of_many_groups_is_tried_with_as_many_bots_as_these_take() -> None:
    rules = replace(RULES, format=FormatName.GROUPS, groups=40, advance=1)
    assert rules.why_never() == ""
    assert "too few for 40 groups" in rules._why_not(79)
    assert replace(rules, groups=300, advance=2, blocks=1).why_never() == ""


async def test_an_owner_enters_one_bot_and_may_change_it_until_the_freeze(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    event, code = await store.events.create("cup", said(), "me")
    assert code is None
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "first")
    await uploaded(store, owner, "second")
    _, _, version = await store.events.enter(owner, "CUP", "First", team="  The   A team ")
    assert version is None
    (entry,) = await store.events.entries(event)
    assert (entry.bot, entry.owner, entry.team) == ("first", "ann", "The A team")
    await store.events.enter(owner, "cup", "second")
    (entry,) = await store.events.entries(event)
    assert (entry.bot, entry.team, entry.version) == ("second", "ann", None)
    await store.events.leave(owner, "cup")
    assert await store.events.entries(event) == []
    with pytest.raises(WrongStateError, match="You have entered no bot in cup"):
        await store.events.leave(owner, "cup")
    await store.events.enter(owner, "cup", "first")
    event = await frozen(store, sql, event)
    for late in (store.events.enter(owner, "cup", "second"), store.events.leave(owner, "cup")):
        with pytest.raises(WrongStateError, match=r"Entries of cup closed at 20\d\d-"):
            await late


async def test_nobody_enters_before_the_opening_or_another_owners_bot(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    await store.events.create("cup", said(), "me")
    ann, bob = await signed_up(store, "ann"), await signed_up(store, "bob")
    await uploaded(store, ann, "hers")
    with pytest.raises(NotFoundError, match="You have no bot hers in service"):
        await store.events.enter(bob, "cup", "hers")
    with pytest.raises(NotFoundError, match="There is no event none"):
        await store.events.enter(ann, "none", "hers")
    with pytest.raises(RequestRefusedError, match="1 to 40 printable characters"):
        await store.events.enter(ann, "cup", "hers", team="x" * 41)
    let_pass(sql, "cup", -1.1)
    with pytest.raises(WrongStateError, match="Entries of cup open at "):
        await store.events.enter(ann, "cup", "hers")
    let_pass(sql, "cup", 1.1)
    await store.retire("hers")
    with pytest.raises(NotFoundError):
        await store.events.enter(ann, "cup", "hers")


async def test_a_code_is_needed_where_the_organiser_says_so_and_stored_as_its_hash(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    _, code = await store.events.create("cup", said(entry=Admission.CODE), "me")
    assert code is not None
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "mine")
    for wrong, why in (("", "A code is needed of cup"), ("ABCD-EFGH", "This is not the code")):
        with pytest.raises(RequestRefusedError, match=why):
            await store.events.enter(owner, "cup", "mine", code=wrong)
    await store.events.enter(owner, "cup", "mine", code=code.lower().replace("-", " "))
    kept = sql.execute("SELECT code_sha256 FROM event_secrets").fetchone()
    assert kept is not None
    assert code.encode() not in bytes(kept[0])
    audit = sql.execute("SELECT string_agg(details::text, '') FROM audit").fetchone()
    assert audit is not None
    assert code not in str(audit[0])


async def test_a_banned_owner_does_not_enter(store: Store) -> None:
    await store.events.create("cup", said(), "me")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "mine")
    await store.owners.ban("ann", "me")
    with pytest.raises(NotAllowedError):
        await store.events.enter(owner, "cup", "mine")


async def test_listeners_are_told_that_an_event_is_cancelled(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    sql.execute(f"LISTEN {EVENTS_CHANNEL}".encode())
    await store.events.cancel("cup", "me", "rain")
    told = [one.payload for one in sql.notifies(timeout=PATIENCE, stop_after=1)]
    assert told == [str(event.id)]


async def test_names_of_events_are_checked_and_unique(store: Store) -> None:
    await store.events.create("cup", said(), "me")
    with pytest.raises(NameTakenError, match="There is already an event Cup"):
        await store.events.create("Cup", said(), "me")
    with pytest.raises(NameRefusedError):
        await store.events.create("a cup", said(), "me")
    past = said()
    days = Dates(*(moment - 2 * DAY for moment in dates_of(past.dates)))
    with pytest.raises(RequestRefusedError, match="The freeze is over already"):
        await store.events.create("late", replace(past, dates=days), "me")
    with pytest.raises(NotFoundError):
        await store.events.named("late")


def dates_of(dates: Dates) -> tuple[datetime, datetime, datetime, datetime]:
    return dates.opens, dates.freezes, dates.final, dates.results


async def test_dates_to_come_can_be_moved_with_a_line_in_the_audit(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    old = event.terms.dates
    hour = timedelta(hours=1)
    moved = replace(old, freezes=old.freezes + hour, final=old.final + hour)
    event = await store.events.move("cup", moved, "me")
    assert event.terms.dates == moved
    line = sql.execute("SELECT actor, details FROM audit WHERE action = 'move event'").fetchone()
    assert line is not None
    assert line[0] == "me"
    assert sorted(line[1]) == ["final_at", "freezes_at"]
    with pytest.raises(RequestRefusedError, match="must follow each other"):
        await store.events.move("cup", replace(moved, freezes=old.results + DAY), "me")
    with pytest.raises(RequestRefusedError, match="would be over already"):
        await store.events.move("cup", replace(moved, freezes=datetime.now(UTC)), "me")
    with pytest.raises(WrongStateError, match="“opens” of cup cannot be moved"):
        await store.events.move("cup", replace(moved, opens=old.opens - DAY), "me")
    assert (await store.events.named("cup"))[0].terms.dates == moved


async def test_a_freeze_that_is_over_is_not_moved(
    store: Store, sql: "psycopg.Connection[Any]"
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    let_pass(sql, "cup", 1.1)  # no referee has looked since
    now = (await store.events.named("cup"))[0].terms.dates
    with pytest.raises(WrongStateError, match="“freeze” of cup cannot be moved"):
        await store.events.move("cup", replace(now, freezes=now.freezes + DAY), "me")
    assert (await store.events.named("cup"))[0].terms.dates == now
    assert event.phase(datetime.now(UTC)) is Phase.OPEN


async def test_the_organiser_sees_who_has_no_accepted_build_and_withdraws_bots(
    store: Store, database: str
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    await entrant(store, database, "cup", "ann")
    bob = await signed_up(store, "bob")
    await uploaded(store, bob, "bobs")
    await store.events.enter(bob, "cup", "bobs")
    ann, now = await store.organisers.participants(event)
    assert (ann.bot, ann.plays, ann.state) == ("bot-ann", "1", "accepted")
    assert (now.bot, now.plays, now.newest, now.state) == ("bobs", None, "1", "checking")
    await store.events.withdraw("cup", "bobs", "me")
    assert [one.bot for one in await store.events.entries(event)] == ["bot-ann"]
    with pytest.raises(NotFoundError, match="No bot bobs is entered in cup"):
        await store.events.withdraw("cup", "bobs", "me")


async def test_a_cancelled_event_stays_so(store: Store, database: str) -> None:
    await store.events.create("cup", said(), "me")
    for why in ("x" * 501, "\u202erain"):
        with pytest.raises(
            RequestRefusedError, match="at most 500 characters, all of them printable"
        ):
            await store.events.cancel("cup", "me", why)
    await store.events.cancel("cup", "me", "rain")
    event, now = await store.events.named("cup")
    assert event.phase(now) is Phase.CANCELLED
    assert event.why_cancelled == "rain"
    with pytest.raises(WrongStateError, match="is cancelled already"):
        await store.events.cancel("cup", "me", "")
    owner = await signed_up(store, "ann")
    await uploaded(store, owner, "mine")
    with pytest.raises(WrongStateError, match="The event cup is cancelled"):
        await store.events.enter(owner, "cup", "mine")


async def test_two_machines_of_an_owner_that_enter_at_once_leave_one_entry(
    store: Store, database: str
) -> None:
    event, _ = await store.events.create("cup", said(), "me")
    owner = await signed_up(store, "ann")
    for bot in ("first", "second"):
        await uploaded(store, owner, bot)
        await accept_build(store, database, bot)
    await asyncio.gather(
        *(store.events.enter(owner, "cup", bot) for bot in ("first", "second") * 5)
    )
    assert len(await store.events.entries(event)) == 1


async def test_a_final_has_only_as_many_entries_as_can_play_it(store: Store, database: str) -> None:
    event, _ = await store.events.create(
        "cup", said(replace(RULES, blocks=MOST_TABLES // 10)), "me"
    )
    owners = [await signed_up(store, name) for name in ("a1", "b2", "c3", "d4", "e5", "f6", "g7")]
    for owner in owners:
        for bot in ("first", "second"):
            await uploaded(store, owner, f"{bot}-{owner.name}")
    entered = await asyncio.gather(
        *(store.events.enter(one, "cup", f"first-{one.name}") for one in owners),
        return_exceptions=True,
    )
    refused = [str(one) for one in entered if isinstance(one, WrongStateError)]
    assert len(refused) == 2
    assert refused[0].startswith(f"cup is full: this takes {15 * MOST_TABLES // 10} blocks")
    assert len(await store.events.entries(event)) == 5
    within = owners[[isinstance(one, WrongStateError) for one in entered].index(False)]
    await store.events.enter(within, "cup", f"second-{within.name}")


async def test_a_final_that_nobody_can_ever_play_is_not_announced(store: Store) -> None:
    swiss = replace(RULES, format=FormatName.SWISS, rounds=500)
    with pytest.raises(RequestRefusedError, match=r"can never be played: 65 bots .* at most 65"):
        await store.events.create("cup", said(swiss), "me")
