"""Members of a team act for its owner by keys of their own; the captain alone decides on them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from arena.database.errors import (
    LimitReachedError,
    NameRefusedError,
    NameTakenError,
    NotAllowedError,
    NotFoundError,
    UnknownOwnerError,
)
from arena.records import Allowance, Identity, Owner
from arena.server.accounts.owners import MOST_MEMBERS
from arena.server.accounts.sign_ins import MOST_OF_AN_OWNER
from arena.server.app.store import Store

ALLOWED = Allowance(50, 50, 50)


async def by(store: Store, key: str) -> Owner:
    found = await store.owners.by_key(key)
    assert found is not None
    return found


async def test_a_member_acts_for_the_owner_and_the_audit_names_the_member(
    store: Store, owner: Owner
) -> None:
    key = await store.owners.add_member(owner, " Bob ")
    member = await by(store, key)
    assert (member.id, member.name, member.member) == (owner.id, owner.name, "Bob")
    await store.owners.register(member, "ours", "1", ALLOWED)
    assert [one.bot for one in await store.owners.bots(owner)] == ["ours"]
    await store.owners.pause(member, "ours")
    lines = [(line.actor, line.action) for line in await store.owners.audit(3)]
    assert lines == [
        ("Zoë (Bob)", "pause"),
        ("Zoë (Bob)", "register"),
        ("Zoë", "add member"),
    ]


async def test_only_the_captain_decides_on_members_and_renews_the_key(
    store: Store, owner: Owner
) -> None:
    member = await by(store, await store.owners.add_member(owner, "Bob"))
    await store.owners.add_member(owner, "Eve")
    with pytest.raises(NotAllowedError, match="Only the captain of Zoë may do that"):
        await store.owners.add_member(member, "Dan")
    with pytest.raises(NotAllowedError):
        await store.owners.remove_member(member, "Eve")
    with pytest.raises(NotAllowedError):
        await store.owners.renew_key(member)
    assert [row.name for row in await store.owners.members(member)] == ["Bob", "Eve"]
    await store.owners.remove_member(member, "bob")
    assert [row.name for row in await store.owners.members(owner)] == ["Eve"]


async def test_whoever_is_removed_has_no_key_and_no_sign_in_any_more(
    store: Store, owner: Owner
) -> None:
    key = await store.owners.add_member(owner, "Bob")
    member = await by(store, key)
    page = await store.sign_ins.stay(member)
    assert (await by(store, page)).member == "Bob"
    own_page = await store.sign_ins.stay(owner)
    await store.owners.remove_member(owner, "Bob")
    assert await store.owners.by_key(key) is None
    assert await store.owners.by_key(page) is None
    assert (await by(store, own_page)).member == ""
    with pytest.raises(NotFoundError, match="Zoë has no member Bob"):
        await store.owners.remove_member(owner, "Bob")


async def test_whoever_is_removed_during_a_call_does_not_sign_in_as_the_captain(
    store: Store, owner: Owner
) -> None:
    member = await by(store, await store.owners.add_member(owner, "Bob"))
    await store.owners.remove_member(owner, "Bob")
    with pytest.raises(UnknownOwnerError, match="No owner has this key"):
        await store.sign_ins.stay(member)


async def test_sign_ins_of_members_end_nobody_elses(store: Store, owner: Owner) -> None:
    member = await by(store, await store.owners.add_member(owner, "Bob"))
    page = await store.sign_ins.stay(owner)
    pages = [await store.sign_ins.stay(member) for _ in range(MOST_OF_AN_OWNER + 1)]
    assert (await by(store, page)).member == ""
    assert await store.owners.by_key(pages[0]) is None
    assert (await by(store, pages[-1])).member == "Bob"


def identity(subject: str, token: int = 0) -> Identity:
    later = datetime.now(UTC) + timedelta(minutes=5)
    return Identity("https://issuer", subject, subject, bytes([*range(31), token]), later)


async def test_a_member_signs_in_by_an_identity_as_that_member(store: Store, owner: Owner) -> None:
    member_key = await store.owners.add_member(owner, "Bob")
    _, first = await store.sign_ins.bind(identity("bob"), member_key)
    assert (await by(store, first)).member == "Bob"
    again = await store.sign_ins.sign_in(identity("bob", 1))
    assert again is not None
    assert again[0] == await by(store, again[1])
    assert (again[0].name, again[0].member) == (owner.name, "Bob")
    with pytest.raises(NotAllowedError):
        await store.owners.renew_key(again[0])
    # The captain's identity is another one.
    captain_key = await store.owners.renew_key(owner)
    captain, _ = await store.sign_ins.bind(identity("zoe", 2), captain_key)
    assert captain.member == ""
    for key in (member_key, captain_key):
        with pytest.raises(NotAllowedError, match="already has another identity"):
            await store.sign_ins.bind(identity("eve", 3), key)


async def test_whoever_is_removed_does_not_sign_in_by_an_identity(
    store: Store, owner: Owner
) -> None:
    key = await store.owners.add_member(owner, "Bob")
    _, page = await store.sign_ins.bind(identity("bob"), key)
    await store.owners.remove_member(owner, "Bob")
    assert await store.owners.by_key(page) is None
    assert await store.sign_ins.sign_in(identity("bob", 1)) is None


async def test_names_of_members_are_unique_in_their_team_and_bounded(
    store: Store, owner: Owner, sql: "psycopg.Connection[Any]"
) -> None:
    key = await store.owners.add_member(owner, "Bob")
    with pytest.raises(NameTakenError, match="Zoë has a member BOB already"):
        await store.owners.add_member(owner, "BOB")
    other, _ = await store.owners.sign_up("Another", None)
    await store.owners.add_member(other, "Bob")
    with pytest.raises(NameRefusedError):
        await store.owners.add_member(owner, "x" * 41)
    for number in range(MOST_MEMBERS - 1):
        await store.owners.add_member(owner, f"member {number}")
    with pytest.raises(LimitReachedError, match="at most 20 members"):
        await store.owners.add_member(owner, "one more")
    kept = sql.execute("SELECT string_agg(owner_members::text, '') FROM owner_members").fetchone()
    assert kept is not None
    assert key not in kept[0]
    assert len(await store.owners.key_hashes(100)) == 2 + 1 + MOST_MEMBERS
