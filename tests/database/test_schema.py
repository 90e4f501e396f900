"""The migrations make what the tables say, and what only the database can say."""

import re

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, make_url, select, text
from sqlalchemy.exc import DBAPIError

from arena.database.columns import metadata
from arena.database.engine import reading_engine
from arena.database.errors import DatabaseUnreachableError, SetupError
from arena.database.roles import READER_ROLE
from arena.database.schema import FIRST, HEAD, migrate
from arena.database.tables.bots import tokens
from arena.database.tables.events import (
    event_block_tries,
    event_ladder_blocks,
    event_ladder_secrets,
    event_makers,
    event_organisers,
    event_people,
    event_secrets,
)
from arena.database.tables.matches import match_luck
from arena.database.tables.notes import bot_notes, match_notes
from arena.database.tables.notices import deliveries, webhooks
from arena.database.tables.owners import (
    audit,
    invites,
    owner_identities,
    owner_keys,
    owner_members,
    owner_messages,
    sign_ins,
    used_id_tokens,
)
from arena.database.tables.running import (
    leases,
    presence,
    recorded_batches,
    running_blocks,
    running_matches,
    running_replies,
    untold_ends,
)
from arena.database.tables.signing import signing_key, signing_secret
from arena.database.tables.tournaments import tournaments
from arena.database.tables.uploads import (
    build_files,
    builds,
    hosted_bots,
    hosted_versions,
    shifts,
    workers,
)
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.accounts import bot_statements
from arena.server.app.store import Store
from arena.server.boards import ladder_statements
from arena.server.boards.ladder_statements import rated_seats
from arena.server.ladder import pairing_statements
from arena.server.results.match_search import MatchFilter, found_matches
from tests.database.migrating import migrate_to, migrations
from tests.databases import administrator, execute, named, plain
from tests.recorded_results import finished

APPEND_ONLY = ("matches", "match_seats", "transcripts", "rating_events", "match_faults")
"""Results that triggers keep from being changed."""

_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    AND conrelid::regclass::text <> 'alembic_version'
"""
_IDENTITIES = """
SELECT attrelid::regclass::text, attname, attidentity
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND attidentity <> ''
"""
_COLLATIONS = """
SELECT attrelid::regclass::text, attname, attcollation::regcollation::text
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attcollation <> 0
    AND relname <> 'alembic_version' AND NOT attisdropped
"""
_INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
_CATALOGUE = {
    "tables and grants on them": """
        SELECT oid, relname, relkind, relowner, relacl::text, reloptions, relrowsecurity
        FROM pg_class WHERE relnamespace = 'public'::regnamespace
    """,
    "columns and grants on them": """
        SELECT attrelid::regclass::text, attname, attnum, format_type(atttypid, atttypmod),
            attnotnull, attstorage, attidentity, attgenerated, attacl::text, attisdropped,
            (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
             WHERE adrelid = attrelid AND adnum = attnum)
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace AND attnum > 0
    """,
    "constraints": """
        SELECT oid, conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "indexes": _INDEXES,
    "triggers": """
        SELECT oid, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    """,
    "functions": """
        SELECT oid, proname, proowner, proacl::text, prosrc
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    """,
    "types": "SELECT oid, typname FROM pg_type WHERE typnamespace = 'public'::regnamespace",
    "the schema": "SELECT nspowner, nspacl::text FROM pg_namespace WHERE nspname = 'public'",
    "roles": """
        SELECT rolname, rolsuper, rolcanlogin, rolconfig, member::regrole::text
        FROM pg_roles LEFT JOIN pg_auth_members ON roleid = pg_roles.oid
    """,
    "the version": "SELECT version_num FROM alembic_version",
}


def catalogue(database: str) -> dict[str, list[str]]:
    """All that a migration can change, as Postgres tells it; what is made anew has another oid."""
    with psycopg.connect(plain(database)) as connection:
        return {
            of: sorted(str(row) for row in connection.execute(query.encode()))
            for of, query in _CATALOGUE.items()
        }


def test_the_migrations_make_exactly_the_tables(database: str, empty_database: str) -> None:
    migrated, declared = create_engine(database), create_engine(empty_database)
    metadata.create_all(declared)
    with migrated.connect() as here, declared.connect() as there:
        context = MigrationContext.configure(
            here, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        for query in (_CONSTRAINTS, _IDENTITIES, _COLLATIONS, _INDEXES):
            found = {tuple(row) for row in here.execute(text(query))}
            wanted = {tuple(row) for row in there.execute(text(query))}
            assert {row for row in found if row[0] != "alembic_version_pkc"} == wanted
    migrated.dispose()
    declared.dispose()


def test_names_are_compared_by_code_points_whatever_the_databases_own_order(database: str) -> None:
    """Else no index on them leads to those that begin with a word."""
    with psycopg.connect(plain(database)) as connection:
        found = connection.execute(_COLLATIONS).fetchall()
    by_code_points = {f"{table}.{column}" for table, column, order in found if order == '"C"'}
    assert by_code_points == {"bots.folded", "owners.folded", "owner_members.folded"}


def test_the_oldest_and_the_newest_migration_are_those_that_are_named() -> None:
    scripts = ScriptDirectory.from_config(migrations())
    assert (scripts.get_bases(), scripts.get_heads()) == ([FIRST], [HEAD])


def test_migrating_again_changes_nothing(database: str) -> None:
    before = catalogue(database)
    migrate(database)
    assert catalogue(database) == before


def test_alembic_itself_finds_nothing_to_change_in_a_migrated_database(database: str) -> None:
    """As when a process has waited for the lock while another one migrated."""
    before = catalogue(database)
    migrate_to(database, "head")
    assert catalogue(database) == before


@pytest.mark.parametrize(
    ("revision", "told"),
    [
        ("9999", "schema 9999 of a newer release: install that release, or choose another"),
        ("0048", "schema 0048, from before the first release: start it once with the arena of"),
    ],
)
def test_a_database_of_an_unknown_schema_is_refused_and_left_alone(
    database: str, revision: str, told: str
) -> None:
    execute(database, f"UPDATE alembic_version SET version_num = '{revision}'")
    before = catalogue(database)
    with pytest.raises(SetupError, match=told):
        migrate(database)
    assert catalogue(database) == before


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(DatabaseUnreachableError, match="ARENA_DATABASE_URL") as caught:
        migrate("postgresql+psycopg://me:secret@127.0.0.1:1/arena")
    assert "secret" not in str(caught.value)


def test_results_are_guarded_and_transcripts_stored_as_they_are(database: str) -> None:
    with psycopg.connect(plain(database)) as connection:
        triggers = connection.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%append_only'"
        ).fetchall()
        storage = connection.execute(
            "SELECT attstorage FROM pg_attribute "
            "WHERE attrelid = 'transcripts'::regclass AND attname = 'data'"
        ).fetchone()
    assert {row[0] for row in triggers} == {*APPEND_ONLY, "audit", "voidings", "builds"}
    assert storage == ("e",)


@pytest.fixture
def reader(database: str) -> Engine:
    return reading_engine(database)


async def test_the_reader_sees_everything_but_secrets_the_audit_and_running_matches(
    store: Store, versions: tuple[VersionId, ...], reader: Engine
) -> None:
    match = finished(versions)
    await store.record([match])
    signer = await store.signer()
    running = (
        *(leases, running_blocks, running_matches, running_replies, recorded_batches),
        *(untold_ends, presence),
    )
    hosted = (builds, build_files, hosted_versions, hosted_bots, workers, shifts)
    owned = (
        *(owner_keys, owner_members, owner_identities, owner_messages),
        *(sign_ins, used_id_tokens, invites),
    )
    blind = (event_secrets, event_ladder_secrets, event_block_tries, event_people)
    organising = (event_makers, event_organisers)
    hooks = (webhooks, deliveries)
    secret = (
        *(tokens, *owned, audit, signing_secret, *running, *hosted, *blind, *hooks, *organising),
        bot_notes,
    )
    readable = [table for table in metadata.tables.values() if table not in secret]
    assert {match_luck, signing_key, tournaments} < set(readable)
    with reader.connect() as connection:
        assert connection.scalar(text("SELECT current_user")) == READER_ROLE
        for table in readable:
            hidden = (event_ladder_blocks.c.failure, match_notes.c.data)
            shown = [one for one in table.c if not any(one is other for other in hidden)]
            connection.execute(select(*shown))
        for statement in (
            *(found_matches(MatchFilter(bot="bot0"), limit=1), ladder_statements.ladders()),
            bot_statements.bot_list(),
            *(rated_seats(LadderId.of("bluff", {}, [3])), pairing_statements.newest_placings()),
        ):
            assert connection.execute(statement).all()
        assert connection.scalar(ladder_statements.log_end()) == 1
        assert connection.scalar(select(signing_key.c.public_key)) == signer.public_key
    for table in secret:
        with (
            reader.connect() as connection,
            pytest.raises(DBAPIError, match=f"permission denied for table {table.name}"),
        ):
            connection.execute(table.select())
    reader.dispose()


def test_the_reader_cannot_write(reader: Engine) -> None:
    with reader.connect() as connection, pytest.raises(DBAPIError, match="read-only"):
        connection.execute(text("INSERT INTO blocks (id) VALUES (gen_random_uuid())"))
    for statement in (
        "INSERT INTO owners (name) VALUES ('me')",
        "UPDATE bots SET name = 'mine'",
        "DELETE FROM matches",
        "CREATE TABLE mine ()",
    ):
        with reader.connect() as connection:
            connection.execute(text("SET TRANSACTION READ WRITE"))
            with pytest.raises(DBAPIError, match="permission denied"):
                connection.execute(text(statement))
    reader.dispose()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://user:p@ss@host:port/arena",
        "postgresql+psycopg://[::1/arena",
        f"postgresql+psycopg://{'x' * 80}/arena",
        "postgresql+psycopg://127.0.0.1/arena?port=one",
        "postgresql+psycopg://127.0.0.1/arena?connect_timeout=soon",
    ],
)
def test_a_malformed_address_is_a_sentence_that_names_its_setting(url: str) -> None:
    with pytest.raises(SetupError, match=r"^ARENA_DATABASE_URL is malformed: [^\n]*$"):
        migrate(url)


def test_who_may_not_migrate_is_told_why_in_one_line(empty_database: str) -> None:
    execute(administrator(empty_database), "CREATE ROLE no_owner")
    as_nobody = make_url(administrator(empty_database)).update_query_dict(
        {"options": "-crole=no_owner"}
    )
    url = as_nobody.render_as_string(hide_password=False)
    try:
        with pytest.raises(SetupError) as caught:
            migrate(url)
    finally:
        execute(administrator(empty_database), "DROP ROLE no_owner")
    assert re.match(
        r"The database refused a migration \(permission denied [^\n)]+\): run `arena migrate` as",
        str(caught.value),
    )


def test_a_database_without_an_encoding_is_refused(postgres_server: str) -> None:
    plain_c = "TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'"
    execute(postgres_server, f"CREATE DATABASE no_encoding ENCODING 'SQL_ASCII' {plain_c}")
    with pytest.raises(SetupError, match=r"SQL_ASCII.*ENCODING 'UTF8'"):
        migrate(named(postgres_server, "no_encoding"))
