"""A migration leaves to referees of the release before it what they read and write: they go on
while those of the new release are started, one after the other."""

import asyncio
import re
from typing import TypeAlias

import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import make_url

from arena.database.errors import MigrationBlockedError
from arena.database.schema import FIRST, HEAD, migrate
from tests.database.migrating import migrate_to, migrations
from tests.database_locks import waiting
from tests.databases import administrator, execute, plain

CHANGE = "INSERT INTO audit (actor, action, subject) VALUES ('Ann', 'sign up', 'Ann')"
"""A change by a referee, which conflicts with the lock that the migration after the first takes."""

Columns: TypeAlias = dict[tuple[str, str], tuple[str, bool]]
"""By table and column: the type, and whether each row that is added must say it."""

COLUMNS = """
SELECT table_name, column_name, format('%s(%s)', udt_name, character_maximum_length),
    is_nullable = 'NO' AND column_default IS NULL
        AND is_identity = 'NO' AND is_generated = 'NEVER'
FROM information_schema.columns WHERE table_schema = 'public'
"""


def columns(url: str) -> Columns:
    with psycopg.connect(plain(url)) as connection:
        rows = connection.execute(COLUMNS).fetchall()
    return {(table, column): (kind, required) for table, column, kind, required in rows}


def in_the_way(before: Columns, after: Columns) -> list[str]:
    """What a referee that knows the columns of before stumbles over."""
    tables = {table for table, _ in before}
    gone = [f"{'.'.join(name)} is gone" for name in before.keys() - after.keys()]
    other = [
        f"{'.'.join(name)} has another type"
        for name in before.keys() & after.keys()
        if before[name][0] != after[name][0]
    ]
    required = [
        f"{'.'.join(name)} must be said"
        for name, (_, needed) in after.items()
        if needed and name[0] in tables and not before.get(name, ("", False))[1]
    ]
    return sorted([*gone, *other, *required])


@pytest.mark.slow
def test_each_migration_since_the_first_release_leaves_referees_that_run_going(
    empty_database: str,
) -> None:
    revisions = [one.revision for one in ScriptDirectory.from_config(migrations()).walk_revisions()]
    first, *later = sorted(revisions)
    migrate_to(empty_database, first)
    before = columns(empty_database)
    for revision in later:
        migrate_to(empty_database, revision)
        after = columns(empty_database)
        assert in_the_way(before, after) == [], revision
        before = after


def test_a_column_that_older_referees_do_not_write_is_found(database: str) -> None:
    before = columns(database)
    execute(
        database,
        "ALTER TABLE match_seats ADD luck real NOT NULL, ADD why text, ADD tries int DEFAULT 0",
    )
    after = columns(database)
    assert in_the_way(before, after) == ["match_seats.luck must be said"]
    assert in_the_way(after, before) == [
        f"match_seats.{column} is gone" for column in ("luck", "tries", "why")
    ]
    execute(database, "ALTER TABLE running_matches ALTER position TYPE integer")
    assert in_the_way(after, columns(database)) == ["running_matches.position has another type"]
    execute(database, "ALTER TABLE bots ALTER pace SET NOT NULL")
    assert "bots.pace must be said" in in_the_way(after, columns(database))


def test_a_migration_that_waits_too_long_for_a_lock_says_who_may_hold_it_and_changes_nothing(
    empty_database: str,
) -> None:
    migrate_to(empty_database, FIRST)
    impatient = "-c lock_timeout=100ms"  # the parameters of the URL have precedence
    url = make_url(empty_database).update_query_dict({"options": impatient})
    with psycopg.connect(plain(empty_database)) as changing:
        changing.execute(CHANGE)  # and the transaction is open
        with pytest.raises(MigrationBlockedError, match="another session holds a lock") as caught:
            migrate(url.render_as_string(hide_password=False))
        (question,) = re.findall(r"SELECT .*;", str(caught.value))
        oldest = changing.execute(question).fetchone()
        assert oldest is not None and oldest[0] == changing.info.backend_pid
        version = changing.execute("SELECT version_num FROM alembic_version").fetchone()
    assert "canceling statement due to lock timeout" in str(caught.value)
    assert version == (FIRST,)


@pytest.mark.slow
async def test_a_migration_that_meets_a_transaction_in_a_deadlock_is_tried_again(
    empty_database: str,
) -> None:
    migrate_to(empty_database, FIRST)
    with (
        psycopg.connect(plain(empty_database), autocommit=True) as sql,
        psycopg.connect(plain(administrator(empty_database))) as changing,
    ):
        changing.execute("SET deadlock_timeout = '1min'")  # the migration's is the shorter one
        # The row that a migration changes last: it holds its other locks while it waits.
        changing.execute("SELECT FROM alembic_version FOR UPDATE")
        migrating = asyncio.create_task(asyncio.to_thread(migrate, empty_database))
        await waiting(sql, 1)
        await asyncio.to_thread(changing.execute, CHANGE)
        changing.commit()
        await migrating
        assert sql.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)
