"""Each seat has the time when its match ended, and can have no other."""

import psycopg
import pytest

from arena.database.reading import Reader
from arena.records import VersionId
from arena.server.app.store import Store
from tests.recorded_results import finished

Versions = tuple[VersionId, ...]

DIFFERENT = """
SELECT count(*) FROM match_seats JOIN matches ON matches.id = match_id
WHERE match_seats.finished_at IS DISTINCT FROM matches.finished_at
"""


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
