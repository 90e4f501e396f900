"""How long an owner stays signed in, and where."""

import asyncio
import hashlib
from typing import Any

import psycopg
import pytest

from arena.database.errors import UnknownOwnerError
from arena.server.accounts import sign_ins
from arena.server.accounts.sign_in_statements import PROLONGED_EVERY
from arena.server.app.store import Store
from tests.database_locks import waiting
from tests.databases import execute, plain
from tests.server.uploads.hosting import ALLOWED, upload

EXPIRES = "SELECT expires_at > now() + interval '13 days 23 hours' FROM sign_ins"


def rows(database: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(plain(database)) as connection:
        return connection.execute(query).fetchall()


async def test_a_sign_in_that_is_used_lasts_and_one_that_is_not_ends(
    store: Store, database: str
) -> None:
    owner, own = await store.owners.sign_up("ann", None)
    key = await store.sign_ins.stay(owner)
    execute(database, "UPDATE sign_ins SET expires_at = now() + interval '1 minute'")
    assert await store.owners.by_key(own) == owner
    assert rows(database, EXPIRES) == [(False,)]
    assert await store.owners.by_key(key) == owner
    assert rows(database, EXPIRES) == [(True,)]
    execute(database, "UPDATE sign_ins SET expires_at = now() - interval '1 minute'")
    assert await store.owners.by_key(key) is None
    assert rows(database, EXPIRES) == [(False,)]


async def test_a_use_is_written_down_seldom_and_prolongs_no_other_kind_of_sign_in(
    store: Store, database: str
) -> None:
    owner, _ = await store.owners.sign_up("ann", None)
    key = await store.sign_ins.stay(owner)
    state = "SELECT xmin, expires_at FROM sign_ins"
    before = rows(database, state)
    assert await store.owners.by_key(key) == owner
    assert rows(database, state) == before
    assert PROLONGED_EVERY < sign_ins.STAYS_FOR
    execute(
        database, "UPDATE sign_ins SET idle_for = NULL, expires_at = now() + interval '1 minute'"
    )
    before = rows(database, state)
    assert await store.owners.by_key(key) == owner
    assert rows(database, state) == before


@pytest.mark.slow
async def test_an_owner_has_so_many_sign_ins_at_once_and_the_oldest_ends(
    store: Store, database: str
) -> None:
    owner, _ = await store.owners.sign_up("ann", None)
    other, _ = await store.owners.sign_up("bob", None)
    others = await store.sign_ins.stay(other)
    keys = [await store.sign_ins.stay(owner) for _ in range(sign_ins.MOST_OF_AN_OWNER + 2)]
    known = [await store.owners.by_key(key) is not None for key in keys]
    assert known == [False] * 2 + [True] * sign_ins.MOST_OF_AN_OWNER
    assert await store.owners.by_key(others) == other


async def test_a_key_that_is_revoked_during_a_call_gives_nothing_that_outlives_it(
    store: Store,
) -> None:
    owner, own = await store.owners.sign_up("ann", None)
    await store.owners.register(owner, "mine", "1", ALLOWED)
    page = await store.sign_ins.stay(owner)
    calls = [await store.owners.by_key(key) for key in (own, page)]
    new = await store.owners.renew_key(owner)
    for call in calls:
        assert call is not None
        for late in (
            store.sign_ins.stay(call),
            store.owners.add_member(call, "Eve"),
            store.owners.renew_key(call),
            store.owners.register(call, "mine", "2", ALLOWED),
            store.owners.rotate(call, "mine", None),
            store.bot_webhooks.add(call, "https://example.com/hook", None),
            upload(store, call),
        ):
            with pytest.raises(UnknownOwnerError, match="No owner has this key"):
                await late
    assert await store.owners.members(owner) == []
    assert await store.owners.by_key(new) == owner


async def test_a_sign_in_waits_for_a_key_that_is_being_revoked(
    store: Store, database: str, sql: psycopg.Connection[Any]
) -> None:
    owner, own = await store.owners.sign_up("ann", None)
    call = await store.owners.by_key(own)
    assert call is not None
    with psycopg.connect(plain(database)) as revoking:
        revoking.execute("SELECT FROM owners WHERE id = %s FOR UPDATE", [owner.id])
        revoking.execute("DELETE FROM owner_keys")
        staying = asyncio.create_task(store.sign_ins.stay(call))
        await waiting(sql, 1)
    with pytest.raises(UnknownOwnerError):
        await staying
    assert rows(database, "SELECT FROM sign_ins") == []


async def test_the_key_of_a_sign_in_is_stored_as_its_hash(store: Store, database: str) -> None:
    owner, _ = await store.owners.sign_up("ann", None)
    key = await store.sign_ins.stay(owner)
    (row,) = rows(database, "SELECT sha256, sign_ins::text FROM sign_ins")
    assert bytes(row[0]) == hashlib.sha256(key.encode()).digest()
    assert key not in row[1]
