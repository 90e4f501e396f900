"""Each seat has the time when its match ended, whoever wrote it and whenever."""

import psycopg
import pytest

from arena.database.reading import Reader, open_reader
from arena.database.schema import migrate
from arena.records import VersionId
from arena.server.app.store import Store
from arena.server.results.match_search import MatchFilter, found_matches
from tests.database.migrating import migrate_to
from tests.databases import plain
from tests.recorded_results import finished

Versions = tuple[VersionId, ...]

_RESULTS_OF_BEFORE = """
INSERT INTO owners (name, folded, skeleton) VALUES ('me', 'me', 'me');
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    VALUES (1, 'fox', 'fox', 'fox', false), (1, 'owl', 'owl', 'owl', false);
INSERT INTO versions (bot_id, label) VALUES (1, '1'), (2, '1');
INSERT INTO blocks (id, kind, size) SELECT gen_random_uuid(), 'seat', 1 FROM generate_series(1, 9);
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT gen_random_uuid(), 'bluff', '{}', 2, id, 0, 'finished', false,
        now(), now() + row_number() OVER () * interval '1 second', 2000, 30000
    FROM blocks;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited)
    SELECT id, seat, 1 + seat, 1, 0, 0, false FROM matches, generate_series(0, 1) seat;
"""
DIFFERENT = """
SELECT count(*) FROM match_seats JOIN matches ON matches.id = match_id
WHERE match_seats.finished_at IS DISTINCT FROM matches.finished_at
"""


def test_the_migration_gives_it_to_the_seats_of_before(empty_database: str) -> None:
    migrate_to(empty_database, "0014")
    with psycopg.connect(plain(empty_database), autocommit=True) as sql:
        for statement in _RESULTS_OF_BEFORE.split(";\n"):
            sql.execute(statement.encode())
        migrate(empty_database)
        assert sql.execute("SELECT count(*) FROM match_seats").fetchone() == (18,)
        assert sql.execute(DIFFERENT.encode()).fetchone() == (0,)
        with pytest.raises(psycopg.errors.RestrictViolation):
            sql.execute("UPDATE match_seats SET finished_at = now()")
    with open_reader(empty_database) as read:
        assert len(read(found_matches(MatchFilter(bot="fox"), limit=10))) == 9


async def test_recording_fills_it_and_the_database_refuses_another_time(
    store: Store, versions: Versions, sql: psycopg.Connection, read: Reader
) -> None:
    await store.record([finished(versions, minute=minute) for minute in range(3)])
    assert sql.execute(DIFFERENT.encode()).fetchone() == (0,)
    again = """
        INSERT INTO match_seats (match_id, seat, version_id, "placing", faults, forfeited,
            finished_at)
        SELECT match_id, seat + 3, version_id, 1, 0, false, {time} FROM match_seats
    """
    for time, refusal in (
        ("finished_at + interval '1 second'", psycopg.errors.ForeignKeyViolation),
        ("NULL", psycopg.errors.NotNullViolation),
    ):
        with pytest.raises(refusal):
            sql.execute(again.format(time=time).encode())
    sql.execute(again.format(time="finished_at").encode())
