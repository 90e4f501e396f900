"""Owners sign up: keys, invites and names."""

import asyncio

import psycopg
import pytest

from arena.database.errors import CredentialRefusedError, NameRefusedError, NotFoundError
from arena.server.app.store import Store
from tests.server.accounts.owners import ann


@pytest.mark.slow
async def test_the_key_of_a_sign_up_proves_who_an_owner_is(store: Store) -> None:
    owner, key = await store.owners.sign_up(" Ann ", None)
    (listed,) = await store.owners.owners(9)
    assert (owner.name, listed.name, listed.bots, listed.has_key) == ("Ann", "Ann", 0, True)
    assert key.startswith("arena_owner_")
    assert await store.owners.by_key(key) == owner
    assert await store.owners.by_key("arena_owner_guessed") is None
    assert await store.authenticate(key) is None


async def test_a_key_and_an_invite_are_stored_nowhere_in_clear(
    store: Store, sql: psycopg.Connection
) -> None:
    code = await store.owners.invite(2, None, "operator")
    _, key = await store.owners.sign_up("Ann", code)
    for table in ("owners", "owner_keys", "invites", "audit"):
        rows = str(sql.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall())
        assert len(rows) > 10
        for secret in (key, code, code.replace("-", "")):
            assert secret not in rows
            assert secret.encode().hex() not in rows


@pytest.mark.parametrize("name", ["ann", "ANN", "Аnn", "Ａnn"])
async def test_nobody_signs_up_under_a_name_that_is_taken_or_looks_like_one(
    store: Store, name: str
) -> None:
    await ann(store)
    with pytest.raises(NameRefusedError, match=r"an owner Ann already|looks like .* owner Ann"):
        await store.owners.sign_up(name, None)


async def test_an_invite_lets_in_as_many_as_it_says_and_not_one_more(store: Store) -> None:
    code = await store.owners.invite(10, None, "operator")

    async def come(number: int) -> bool:
        try:
            await store.owners.sign_up(f"pupil {number}", code)
        except CredentialRefusedError:
            return False
        return True

    # All at once: the last use is nobody's twice.
    assert sum(await asyncio.gather(*map(come, range(30)))) == 10
    assert len(await store.owners.owners(9)) == 9
    assert len(await store.owners.owners(11)) == 10
    assert await store.owners.invites(9) == ([], 0)


async def test_a_refused_name_uses_no_invite(store: Store) -> None:
    code = await store.owners.invite(1, None, "operator")
    for name in ("no/name", "house"):
        with pytest.raises(NameRefusedError):
            await store.owners.sign_up(name, code)
    await store.register("fox", "bob")
    with pytest.raises(NameRefusedError):
        await store.owners.sign_up("Bob", code)
    await store.owners.sign_up("Ann", code)
    with pytest.raises(CredentialRefusedError, match="not known here, or used up, or expired"):
        await store.owners.sign_up("Zoe", code)


async def test_an_invite_ends_when_it_expires_or_is_withdrawn(store: Store) -> None:
    expired = await store.owners.invite(5, -0.001, "operator")
    kept = await store.owners.invite(5, 1, "operator")
    ((listed,), _) = await store.owners.invites(9)
    await store.owners.withdraw_invite(listed.id, "operator")
    for code in (expired, kept, "", "guess"):
        with pytest.raises(CredentialRefusedError):
            await store.owners.sign_up("Ann", code)
    with pytest.raises(NotFoundError, match="There is no invite 99"):
        await store.owners.withdraw_invite(99, "operator")
