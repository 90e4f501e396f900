"""What Postgres reads and writes to record a match, by its own counts."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from arena.identifiers import new_id
from benchmarks.rounds import Figures, Runs, together
from benchmarks.scale_load.filling import Filled
from tests.dashboard.played import fill, sensible
from tests.databases import administrator, named, plain

BLOCKS: Final = 500
"""The blocks of a measurement, of two matches each."""

RECORDED: Final = ("pages read for a match", "kB of log for a match")

_COUNTS: Final = """
SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'),
    (SELECT sum(reads) FROM pg_stat_io WHERE object = 'relation')
"""


def recording(filled: Filled, times: int) -> Runs:
    """Return the pages read, and the kilobytes of write-ahead log written, to record a match of two
    seats. Matches are recorded in a copy of the database, some of them before the measurement."""
    with _copy(filled.url) as url:
        _record(url)
        return together(_recorded(url) for _ in range(times))


def _recorded(url: str) -> Figures:
    with psycopg.connect(plain(administrator(url)), autocommit=True) as connection:
        # After a checkpoint the first change of a page writes the whole page to the log.
        connection.execute("CHECKPOINT")
        log, reads = _counts(connection)
        _record(url)
        time.sleep(1.1)  # Postgres counts reads once a second
        later_log, later_reads = _counts(connection)
    matches = 2 * BLOCKS
    each = (later_reads - reads) / matches, (later_log - log) / matches / 1024
    return dict(zip(RECORDED, each, strict=True))


def _record(url: str) -> None:
    policies = [("scale-one", sensible(0.1)), ("scale-other", sensible(0.0))]
    seed = time.time_ns()
    asyncio.run(
        fill(url, blocks=BLOCKS, policies=policies, seed=seed, id_of=lambda _random: new_id())
    )


@contextmanager
def _copy(url: str) -> Iterator[str]:
    name = f"{make_url(url).database}_copy"
    with psycopg.connect(
        plain(administrator(named(url, "template1"))), autocommit=True
    ) as connection:
        source = sql.Identifier(make_url(url).database or "")
        copy = sql.Identifier(name)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(copy))
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER arena TEMPLATE {} STRATEGY file_copy").format(
                copy, source
            )
        )
        try:
            yield make_url(url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(copy))


def _counts(connection: psycopg.Connection[Any]) -> tuple[float, float]:
    row = connection.execute(_COUNTS).fetchone()
    assert row is not None
    return float(row[0]), float(row[1])
