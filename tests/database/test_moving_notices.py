"""What events have told before the notices got their own tables is kept, and older referees go
on."""

from typing import Any

import psycopg
import pytest

from arena.database.schema import migrate
from tests.database.migrating import migrate_to
from tests.databases import plain

EVENT = """
INSERT INTO events (name, title, text, format, game, options, seat_count, blocks, score, turn_ms,
    bank_ms, practice, opens_at, freezes_at, final_at, results_at, commitment, needs_code)
VALUES ('cup', 'A cup', '', 'swiss', 'bluff', '{}', 2, 1, 'placement', 1, 1, false, now(),
    now() + interval '1 h', now() + interval '1 h', now() + interval '1 h',
    decode(repeat('00', 32), 'hex'), false)
RETURNING id
"""


@pytest.fixture
def moved(empty_database: str) -> str:
    """A database whose events had a notice that was delivered, and one that waits."""
    migrate_to(empty_database, "0028")
    with psycopg.connect(plain(empty_database)) as sql:
        one(sql, EVENT)
        one(sql, "INSERT INTO event_webhooks (event_id, url, secret) VALUES (1, 'http://x', 's')")
        for kind, delivered in (("opens", "now()"), ("frozen", "NULL")):
            one(sql, "INSERT INTO event_notices (event_id, kind) VALUES (1, %s)", [kind])
            one(
                sql,
                "INSERT INTO event_deliveries (notice_id, webhook_id, delivered_at, due_at) "
                f"SELECT max(id), 1, {delivered}, CASE WHEN {delivered} IS NULL THEN now() END "
                "FROM event_notices",
            )
    migrate(empty_database)
    return empty_database


def one(sql: "psycopg.Connection[Any]", statement: str, values: list[Any] | None = None) -> None:
    sql.execute(statement.encode(), values)


@pytest.mark.slow
def test_notices_webhooks_and_deliveries_are_kept(moved: str) -> None:
    with psycopg.connect(plain(moved)) as sql:
        notices = sql.execute("SELECT event_id, kind, data FROM notices ORDER BY id").fetchall()
        data = {"event": "cup", "title": "A cup"}
        assert notices == [(1, "opens", data), (1, "frozen", data)]
        assert sql.execute("SELECT event_id, url FROM webhooks").fetchall() == [(1, "http://x")]
        due = sql.execute("SELECT notice_id, due_at IS NOT NULL FROM deliveries ORDER BY 1")
        assert due.fetchall() == [(1, False), (2, True)]


def test_a_referee_of_the_release_before_goes_on(moved: str) -> None:
    with psycopg.connect(plain(moved)) as sql:
        again = "INSERT INTO event_notices (event_id, kind) VALUES (1, %s) ON CONFLICT DO NOTHING"
        assert sql.execute(again.encode(), ["opens"]).rowcount == 0
        assert sql.execute(again.encode(), ["final"]).rowcount == 1
        sql.execute(
            "INSERT INTO event_deliveries (notice_id, webhook_id) "
            "SELECT n.id, w.id FROM event_notices AS n JOIN event_webhooks AS w USING (event_id) "
            "WHERE kind = 'final'"
        )
        claimed = sql.execute(
            "UPDATE event_deliveries AS d SET due_at = now() FROM event_notices AS n "
            "WHERE n.id = d.notice_id AND d.notice_id IN (SELECT notice_id FROM event_deliveries "
            "WHERE due_at <= now() ORDER BY due_at LIMIT 10 FOR UPDATE SKIP LOCKED) "
            "RETURNING n.kind"
        ).fetchall()
        assert sorted(claimed) == [("final",), ("frozen",)]
