"""An arena of many bots and matches, made without playing, and matches that come in."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final

import psycopg

from benchmarks.scale_load.filling import BOTS, run_script
from tests.dashboard.played import anyhow, creeping, fill, sensible
from tests.databases import plain

COMING: Final = 10
"""Matches a second that come in."""

# Pairs (first, second) of version ids; the stronger, of the smaller id, wins more often.
_RESULTS = """
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
    SELECT gen_random_uuid() AS block, gen_random_uuid() AS match, n,
        field.ids[1 + n %% cardinality(field.ids)] AS first,
        field.ids[1 + (n + 1 + n / cardinality(field.ids) %% (cardinality(field.ids) - 1))
            %% cardinality(field.ids)] AS second,
        random() AS luck, %(since)s::timestamptz + n * interval '1 second' AS at
    FROM generate_series(0, %(count)s - 1) n,
        (SELECT array_agg(versions.id ORDER BY versions.id) AS ids
            FROM versions JOIN bots ON bots.id = bot_id WHERE bots.name LIKE 'bot%%') field;
INSERT INTO blocks (id, kind, size, closed_at) SELECT block, 'seat', 1, at FROM made;
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT match, 'bluff', '{}', 2, block, 0, 'finished', false, at, at, 2000, 30000 FROM made;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited,
        finished_at)
    SELECT match, seat, CASE seat WHEN 0 THEN first ELSE second END,
        CASE WHEN (seat = 0) = (luck < 1 / (1 + exp((first - second) / 60.0))) THEN 1 ELSE 2 END,
        CASE WHEN (seat = 0) = (luck < 1 / (1 + exp((first - second) / 60.0)))
            THEN 1 + n %% 5 ELSE 0 END,
        CASE WHEN n %% 997 = 0 AND seat = 1 THEN 1 ELSE 0 END, false, at
    FROM made, generate_series(0, 1) seat;
INSERT INTO rating_events (match_id) SELECT match FROM made ORDER BY n;
"""


def fill_arena(url: str, bots: int, matches: int) -> str:
    """Make bots and results; the newest matches are played, since pages read their transcripts.
    Returns the id of a match of more than 1,000 steps."""
    with psycopg.connect(plain(url)) as connection:
        run_script(connection, BOTS, {"bots": bots})
        run_script(connection, _RESULTS, {"count": matches, "since": "2026-01-01"})
    creepers = [(f"creeper{number}", creeping) for number in range(6)]
    options: dict[str, Any] = {"start_mode": "seat", "dice_per_player": 9}
    long = asyncio.run(fill(url, blocks=1, seats=6, policies=creepers, **options))[0]
    asyncio.run(fill(url, blocks=100, policies=[("bot7", sensible(0.1)), ("bot8", anyhow)], seed=7))
    with psycopg.connect(plain(url), autocommit=True) as connection:
        connection.execute("ANALYZE")
    return long.transcript.setup.match_id


@contextmanager
def matches_coming(url: str) -> Iterator[None]:
    """Let matches come in while the block runs."""
    ended = Event()

    def add() -> None:
        with psycopg.connect(plain(url)) as connection:
            while not ended.wait(1.0):
                run_script(connection, _RESULTS, {"count": COMING, "since": "2026-06-01"})
                connection.commit()

    thread = Thread(target=add)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
