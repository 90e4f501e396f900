"""What Postgres reads and writes to record a match, by its own counts."""

import asyncio
import time
from typing import Any, Final

import psycopg

from arena.identifiers import new_id
from benchmarks.referee_load.stage import Figures
from tests.dashboard.played import fill, sensible

BLOCKS: Final = 500
"""Of two matches each."""

RECORDED: Final = ("pages read a record", "kB of log a record")

_COUNTS: Final = """
SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'),
    (SELECT sum(reads) FROM pg_stat_io WHERE object = 'relation')
"""


def recording(url: str) -> Figures:
    """Pages that a recorded match reads, and kilobytes that it adds to the write-ahead log. The
    matches stay in the database."""
    with psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True) as connection:
        # After a checkpoint the log gets every page whole that is changed for the first time.
        connection.execute("CHECKPOINT")
        log, reads = _counts(connection)
        asyncio.run(
            fill(
                url,
                blocks=BLOCKS,
                policies=[("scale-one", sensible(0.1)), ("scale-other", sensible(0.0))],
                seed=time.time_ns(),
                id_of=lambda _random: new_id(),
            )
        )
        time.sleep(1.1)  # Postgres counts reads once a second
        later_log, later_reads = _counts(connection)
    matches = 2 * BLOCKS
    each = (later_reads - reads) / matches, (later_log - log) / matches / 1024
    return dict(zip(RECORDED, each, strict=True))


def _counts(connection: psycopg.Connection[Any]) -> tuple[float, float]:
    row = connection.execute(_COUNTS).fetchone()
    assert row is not None
    return float(row[0]), float(row[1])
