"""The arena's key: one for all referees of a database, kept, and never shown."""

import asyncio

import psycopg
import pytest
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from arena.codec.transcript import to_bytes
from arena.database.async_engine import async_engine
from arena.database.errors import StorageError
from arena.database.tables.signing import signing_secret
from arena.match.transcript import Signature
from arena.records import VersionId
from arena.server.app.store import Store, open_store
from arena.signatures import KEY_BYTES, check_signature
from tests.recorded_results import finished, match_id


async def test_referees_that_start_together_share_one_key(
    database: str, store: Store, sql: psycopg.Connection
) -> None:
    async with open_store(database) as other:
        signers = await asyncio.gather(*(of.signer() for of in (store, other) * 4))
    (key,) = {signer.public_key for signer in signers}
    assert len(key) == KEY_BYTES
    assert sql.execute("SELECT public_key FROM signing_key").fetchall() == [(key,)]
    assert len(sql.execute("SELECT FROM signing_secret").fetchall()) == 1


async def test_a_signed_transcript_is_stored_with_its_signature_and_an_older_one_without(
    store: Store, versions: tuple[VersionId, ...]
) -> None:
    signer = await store.signer()
    match, older = finished(versions), finished(versions)
    signed = signer.signed(match.transcript)
    object.__setattr__(match, "written", to_bytes(signed))
    await store.record([match, older])
    kept = await store.transcript(match_id(match))
    assert kept == signed
    assert isinstance(signed.signature, Signature)
    check_signature(kept, signer.public_key)
    assert await store.transcript(match_id(older)) == older.transcript


def test_a_second_key_is_refused(sql: psycopg.Connection) -> None:
    add = "INSERT INTO signing_key (public_key) VALUES (sha256(%s))"
    sql.execute(add, (b"1",))
    with pytest.raises(psycopg.errors.UniqueViolation, match="signing_key_pk"):
        sql.execute(add, (b"2",))
    with pytest.raises(psycopg.errors.CheckViolation, match="signing_key_only_one"):
        sql.execute("INSERT INTO signing_key VALUES (false, sha256('3'))")


async def test_no_error_of_the_database_tells_the_private_key(database: str) -> None:
    engine = async_engine(database)
    stray = {"public_key": bytes(32), "private_key": b"a very private key, never told!!"}
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError) as refused:
            await connection.execute(insert(signing_secret).values(**stray))
    await engine.dispose()
    assert "very private" not in str(refused.value)


async def test_a_public_key_without_its_private_key_is_an_error_that_says_what_to_do(
    store: Store, sql: psycopg.Connection
) -> None:
    sql.execute("INSERT INTO signing_key (public_key) VALUES (sha256('1'))")
    with pytest.raises(StorageError, match="restore the row of the table signing_secret"):
        await store.signer()
