"""The roles that `arena roles` makes, by trying what each may do and may not."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql
from sqlalchemy import make_url

from arena.database.binaries import find_binaries
from arena.database.errors import SetupError
from arena.database.schema import migrate
from tests.commands.running import arena
from tests.databases import Copies, administrator, execute, plain

ROOT = Path(__file__).parents[2]
QUEUE = "procrastinate.procrastinate_jobs"
OF_THE_SERVER = [
    "COPY (SELECT 1) TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/arena-copied'",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/arena-exported')",
    "ALTER SYSTEM SET jit = off",
    "SELECT pg_reload_conf()",
    "SELECT pg_rotate_logfile()",
    "SELECT rolpassword FROM pg_authid",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "SET session_replication_role = replica",
    "CREATE ROLE r",
    "CREATE DATABASE d",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE CURRENT_USER CREATEROLE",
    "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1",
    "GRANT pg_execute_server_program TO CURRENT_USER",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE c AS 'libc', 'getpid'",
    "LOAD 'libc'",
    "CREATE FOREIGN DATA WRAPPER w",
    "CREATE EVENT TRIGGER t ON ddl_command_end EXECUTE FUNCTION public.f()",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
]
"""What no role may, not even the owner."""
OF_THE_OWNER = [
    "CREATE FUNCTION pg_temp.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TEMPORARY TABLE t (a int)",
    "CREATE TABLE public.t (a int)",
    "CREATE TABLE procrastinate.t (a int)",
    "CREATE SCHEMA s",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    f"CREATE TRIGGER t AFTER INSERT ON {QUEUE} "
    "FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE TRIGGER t AFTER INSERT ON matches "
    "FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    f"CREATE RULE r AS ON INSERT TO {QUEUE} DO ALSO NOTHING",
    f"ALTER TABLE {QUEUE} DISABLE TRIGGER ALL",
    f"TRUNCATE {QUEUE} CASCADE",
    "TRUNCATE matches CASCADE",
    "DELETE FROM matches",
    "UPDATE bots SET name = 'other'",
    "INSERT INTO owners (name, folded, skeleton) VALUES ('o', 'o', 'o')",
    "SELECT nextval(pg_get_serial_sequence('rating_events', 'sequence'))",
    "SELECT * FROM signing_secret",
    "SELECT * FROM tokens",
    "SELECT * FROM running_matches",
    "SELECT * FROM audit",
    "SET ROLE arena",
    "SET SESSION AUTHORIZATION arena",
    "ALTER ROLE arena PASSWORD 'known'",
    "ALTER TABLE matches OWNER TO CURRENT_USER",
    "GRANT arena TO CURRENT_USER",
    "RESET ROLE; SET SESSION AUTHORIZATION DEFAULT; SELECT * FROM tokens",
    "DO $$ BEGIN PERFORM * FROM tokens; END $$",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_xact_lock_shared(1, 1)",
    "SELECT * FROM invites",
    "SELECT * FROM running_blocks",
    "SELECT * FROM running_replies",
    "INSERT INTO matches SELECT * FROM matches",
    "UPDATE match_seats SET faults = 0",
]
"""What only the owner may."""
REFUSED = {
    "arena": OF_THE_SERVER,
    "arena_reader": [
        *OF_THE_SERVER,
        *OF_THE_OWNER,
        f"SELECT * FROM {QUEUE}",
        "SET ROLE arena_worker",
        "BEGIN; LOCK TABLE matches IN ACCESS EXCLUSIVE MODE",
    ],
    "arena_worker": [
        *OF_THE_SERVER,
        *OF_THE_OWNER,
        "SELECT * FROM matches",
        "SELECT * FROM owners",
        "SET ROLE arena_reader",
    ],
}


def made() -> str:
    """What `arena roles` prints."""
    done = arena("roles")
    assert done.exit_code == 0
    return done.output


def connected(url: str, role: str) -> "psycopg.Connection[Any]":
    place = make_url(url).set(username=role, password=None)
    return psycopg.connect(
        plain(place.render_as_string(hide_password=False)), autocommit=True, passfile="/dev/null"
    )


@pytest.fixture(scope="module")
def with_roles(copies: Copies) -> Iterator[str]:
    """A database that the administrator gave its roles; then its owner migrated it."""
    with copies.of("template1") as url:
        execute(administrator(url), made())
        migrate(url)
        yield url


@pytest.mark.parametrize(
    ("role", "statement"), [(role, one) for role, all_of in REFUSED.items() for one in all_of]
)
def test_a_role_is_refused(with_roles: str, role: str, statement: str) -> None:
    with connected(with_roles, role) as connection:
        # As a session that takes back what its settings say.
        connection.execute("SET default_transaction_read_only = off")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_the_owner_is_no_superuser_and_owns_all_that_the_migrations_make(with_roles: str) -> None:
    assert foreign(with_roles) == []
    with connected(with_roles, "arena") as owner:
        flags = owner.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls "
            "FROM pg_roles WHERE rolname ~ '^arena'"
        ).fetchall()
        assert flags == [(False,) * 5] * 3
        tables = owner.execute("SELECT tablename FROM pg_tables WHERE tableowner = 'arena'")
        assert {"matches", "procrastinate_jobs"} <= {name for (name,) in tables}


def foreign(url: str) -> list[tuple[str, str]]:
    """What in the arena's schemas belongs to another role than arena."""
    with connected(url, "arena") as owner:
        return owner.execute(
            """
            WITH ours AS (
                SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'procrastinate')
            )
            SELECT relname, relowner::regrole::text FROM pg_class
                WHERE relnamespace IN (SELECT oid FROM ours) AND relowner <> 'arena'::regrole
            UNION ALL SELECT proname, proowner::regrole::text FROM pg_proc
                WHERE pronamespace IN (SELECT oid FROM ours) AND proowner <> 'arena'::regrole
            UNION ALL SELECT typname, typowner::regrole::text FROM pg_type
                WHERE typnamespace IN (SELECT oid FROM ours) AND typowner <> 'arena'::regrole
            UNION ALL SELECT datname, datdba::regrole::text FROM pg_database
                WHERE datname = current_database() AND datdba <> 'arena'::regrole
            """
        ).fetchall()


def test_the_reader_reads_what_is_public(with_roles: str) -> None:
    with connected(with_roles, "arena_reader") as reader:
        for table in ("bots", "versions", "matches", "match_seats", "transcripts", "voidings"):
            reader.execute(sql.SQL("SELECT * FROM {} LIMIT 1").format(sql.Identifier(table)))
    migrate(reader_url(with_roles))  # to which there is nothing to do


def test_the_lesser_roles_have_no_rights_but_those_on_named_tables(with_roles: str) -> None:
    public = {
        *("bots", "versions", "owners", "conformance_checks", "blocks", "voidings", "matches"),
        *("match_seats", "version_counts", "transcripts", "match_faults", "rating_events"),
        *(
            "match_luck",
            "signing_key",
            "match_analyses",
            "version_losses",
            "version_benchmarks",
            "board_checkpoints",
            "policy",
            "transcript_removals",
        ),
        *("log_revision", "played_ladders", "tournaments", "tournament_entries"),
        *("tournament_pairings", "tournament_blocks", "alembic_version"),
        *("events", "event_entries", "event_builds", "event_notices", "notices"),
        *("event_pairings", "event_blocks", "event_archives", "event_ladders", "event_players"),
        *("event_ladder_blocks", "event_ladder_transcripts", "match_notes"),
    }
    with connected(with_roles, "arena") as owner:
        found = owner.execute(
            """
            SELECT role, nspname, relname, array_agg(may ORDER BY may)
            FROM unnest(ARRAY['arena_reader', 'arena_worker']) AS role,
                unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS may,
                pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname IN ('public', 'procrastinate') AND relkind IN ('r', 'p', 'v', 'm')
                AND has_any_column_privilege(role, pg_class.oid, may)
            GROUP BY role, nspname, relname
            """
        ).fetchall()
        members = owner.execute(
            "SELECT roleid::regrole::text, member::regrole::text FROM pg_auth_members "
            "WHERE member::regrole::text ~ '^arena'"
        ).fetchall()
        as_their_makers = owner.execute(
            "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace IN "
            "('public'::regnamespace, 'procrastinate'::regnamespace)"
        ).fetchall()
    worker = [(schema, may) for role, schema, _, may in found if role == "arena_worker"]
    assert all(one == ("procrastinate", ["INSERT", "SELECT", "UPDATE"]) for one in worker)
    reader = {table: (schema, may) for role, schema, table, may in found if role != "arena_worker"}
    assert reader == dict.fromkeys(public, ("public", ["SELECT"]))
    assert members == [("arena_reader", "arena")]
    # It tells who is a member of a private event, and nothing else.
    assert as_their_makers == [("is_event_member",)]


@pytest.mark.parametrize("role", ["arena_reader", "arena_worker"])
def test_a_lesser_role_neither_ends_nor_sees_what_the_owner_does(
    with_roles: str, role: str
) -> None:
    with connected(with_roles, "arena") as owner, connected(with_roles, role) as other:
        owner.execute("SELECT 'a secret'")
        pid = owner.info.backend_pid
        seen = other.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
        assert seen == ("<insufficient privilege>",)
        for function in ("pg_terminate_backend", "pg_cancel_backend"):
            with pytest.raises(errors.InsufficientPrivilege):
                other.execute(f"SELECT {function}({pid})".encode())


def reader_url(url: str) -> str:
    return make_url(url).set(username="arena_reader").render_as_string(hide_password=False)


def test_a_worker_may_do_what_the_queue_needs(with_roles: str) -> None:
    with connected(with_roles, "arena_worker") as worker:
        tables = worker.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'procrastinate'"
        ).fetchall()
        assert tables
        for (table,) in tables:
            found = worker.execute(
                "SELECT bool_and(has_table_privilege(format('procrastinate.%%I', %s::text), one)) "
                "FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS one",
                [table],
            ).fetchone()
            assert found == (True,)
        worker.execute("SET search_path TO procrastinate")
        job = sql.SQL(
            "INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('q', 't') RETURNING id"
        )
        (number,) = worker.execute(job).fetchone() or (None,)
        assert number is not None
        worker.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = %s", [number])
        worker.execute("DELETE FROM procrastinate_jobs WHERE id = %s", [number])


@pytest.mark.slow
def test_roles_are_made_again_for_a_database_that_a_superuser_filled(empty_database: str) -> None:
    migrate(administrator(empty_database))
    assert foreign(empty_database) != []
    for role in ("PUBLIC", "arena_reader", "arena_worker"):
        execute(
            administrator(empty_database),
            "GRANT INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER ON ALL TABLES IN SCHEMA public "
            f"TO {role}; GRANT ALL ON ALL TABLES IN SCHEMA procrastinate TO {role};"
            f"GRANT ALL ON SCHEMA public, procrastinate TO {role}",
        )
    for _ in range(2):  # again, it changes nothing
        execute(administrator(empty_database), made())
        assert foreign(empty_database) == []
        for role in ("arena_reader", "arena_worker"):
            for statement in OF_THE_OWNER:
                with (
                    connected(empty_database, role) as connection,
                    pytest.raises(errors.InsufficientPrivilege),
                ):
                    connection.execute(statement.encode())


def test_the_owner_migrates_what_a_superuser_migrated_before(empty_database: str) -> None:
    migrate(administrator(empty_database))
    execute(administrator(empty_database), made())
    # As a migration would: to add, to replace a function, to drop a trigger.
    with connected(empty_database, "arena") as owner:
        owner.execute("ALTER TABLE matches ADD another integer")
        owner.execute("DROP TRIGGER matches_append_only ON matches")
        owner.execute("ALTER TYPE procrastinate.procrastinate_job_status ADD VALUE 'new'")
        owner.execute(f"ALTER TABLE {QUEUE} ADD another integer")


def test_only_its_roles_connect_to_the_database(with_roles: str) -> None:
    execute(administrator(with_roles), "CREATE ROLE passer_by LOGIN")
    try:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            connected(with_roles, "passer_by")
    finally:
        execute(administrator(with_roles), "DROP ROLE passer_by")


def test_a_reader_that_finds_another_schema_is_told_who_migrates(empty_database: str) -> None:
    execute(administrator(empty_database), made())
    with pytest.raises(SetupError, match=r"`arena migrate` as the database's owner"):
        migrate(reader_url(empty_database))


def test_compose_gives_the_roles_their_passwords_and_the_superuser_none(with_roles: str) -> None:
    psql = find_binaries().directory / "psql"
    if not psql.exists():
        pytest.skip("there is no psql beside this Postgres")
    place = make_url(with_roles)
    execute(administrator(with_roles), "ALTER ROLE postgres PASSWORD 'taken away'")
    environment = {
        "PATH": f"{psql.parent}:{os.environ['PATH']}",
        "PGHOST": str(place.query["host"]),
        "POSTGRES_USER": "postgres",
        "POSTGRES_DB": str(place.database),
        "ROLES_SQL": str(ROOT / "arena/database/roles.sql"),
        "OWNER_PASSWORD": "of the owner's",
        "READER_PASSWORD": "readers",
        "WORKER_PASSWORD": "workers",
    }
    script = ROOT / "deploy/postgres/roles.sh"
    done = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with connected(with_roles, "postgres") as connection:
        found = connection.execute(
            "SELECT rolname, rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid "
            "WHERE rolname ~ '^(arena|postgres)'"
        ).fetchall()
    lesser = {"arena_reader": True, "arena_worker": True}
    assert dict(found) == {"postgres": None, "arena": True} | lesser
