"""A blind final changes nothing that the pages, or callers without a role, can read."""

from typing import Any

import psycopg

from arena.database.engine import reading_engine
from arena.server.app.store import Store
from arena.server.events.serving.event_messages import event_details
from tests.server.events.cups import entrant, let_pass, played_out, said

Sql = psycopg.Connection[Any]
# When a blind final was over is read, and on no page.
READABLE = """
SELECT relname, string_agg(quote_ident(attname), ', ') FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
WHERE relkind IN ('r', 'v') AND relnamespace = 'public'::regnamespace
    AND has_column_privilege('arena_reader', attrelid, attnum, 'SELECT')
    AND (relname, attname) <> ('events', 'ended_at')
GROUP BY relname
"""


async def seen(store: Store, database: str, sql: Sql) -> dict[str, Any]:
    """All that the reader role can select, and the answer about the event to everybody."""
    found: dict[str, Any] = {}
    reader = reading_engine(database)
    with reader.connect() as connection:
        for table, columns in sql.execute(READABLE).fetchall():
            rows = connection.exec_driver_sql(f"SELECT {columns} FROM {table}").all()
            found[table] = sorted(map(repr, rows))
    reader.dispose()
    ((event,), _) = await store.event_views.newest(None)
    found["ListEvents"] = event_details(event, event.terms.dates.final)
    return found


async def test_what_can_be_read_is_the_same_before_and_after_it_is_played(
    store: Store, database: str, sql: Sql
) -> None:
    await store.signer()  # made at the start of the first referee
    await store.events.create("cup", said(), "me")
    for name in ("ann", "bob", "eve"):
        await entrant(store, database, "cup", name)
    let_pass(sql, "cup", 2.1)
    await store.finals.keep(store.record)
    before = await seen(store, database, sql)
    assert before["event_entries"]
    event = await played_out(store, sql, (await store.events.named("cup"))[0])
    assert event.ended_at is not None
    after = await seen(store, database, sql)
    changed = [what for what in before if before[what] != after[what]]
    assert changed == []
