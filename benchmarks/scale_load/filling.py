"""Databases of many bots and matches: bots that played seat blocks, made by SQL, as if recorded.

Constraints of each row are checked while foreign keys and triggers are not, since the results come
from here. A million matches of two seats take about a minute, of four seats two. Strengths are
spread evenly over 800 Elo; every match has luck, a rating event and a transcript, which is that of
a match really played.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from arena.lab.luck import table_of
from arena.server.boards.checkpointing import write_checkpoints
from tests.dashboard.played import fill, sensible
from tests.databases import plain

SPREAD: Final = 800
"""Elo between the best and the worst bot."""
AT_ONCE: Final = 250_000
"""Blocks of a transaction: temporary rows take 100 bytes each."""

BOTS = """
INSERT INTO owners (name, folded, skeleton)
    SELECT 'owner' || n, 'owner' || n, 'owner' || n FROM generate_series(1, %(bots)s) n;
INSERT INTO bots (owner_id, name, folded, skeleton, house)
    SELECT id, bot, bot, bot, false
    FROM owners, LATERAL (SELECT 'bot' || substr(name, 6) AS bot) named
    WHERE name ~ '^owner[0-9]+$';
INSERT INTO versions (bot_id, label)
    SELECT id, '1' FROM bots WHERE name ~ '^bot[0-9]+$' ORDER BY id;
"""

# Ids begin with the time (UUIDs of version 7), and rows are in its order, as a referee writes them.
_BLOCKS = """
CREATE OR REPLACE FUNCTION pg_temp.id_at(at timestamptz) RETURNS uuid LANGUAGE sql AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM at) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
CREATE TEMPORARY TABLE field ON COMMIT DROP AS
    SELECT row_number() OVER (ORDER BY versions.id) - 1 AS n, versions.id
    FROM versions JOIN bots ON bots.id = bot_id WHERE bots.name ~ '^bot[0-9]+$';
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
    SELECT pg_temp.id_at(at) AS block, b, mod(b, %(bots)s) AS first, at
    FROM (SELECT b, %(since)s::timestamptz + b * interval '1 second' * %(seats)s AS at
        FROM generate_series(%(start)s::int, %(stop)s::int - 1) b) counted
    ORDER BY b;
CREATE TEMPORARY TABLE players ON COMMIT DROP AS
    SELECT b, player, id, power(10, -n * %(spread)s / 400.0 / %(bots)s) AS strength
    FROM (SELECT b, player, CASE player WHEN 0 THEN first ELSE mod(first + (player - 1) * apart + 1
                + floor(random() * apart)::int, %(bots)s) END AS n
            FROM made, generate_series(0, %(seats)s - 1) player,
                LATERAL (SELECT (%(bots)s - 1) / (%(seats)s - 1) AS apart) ranges) drawn
        JOIN field USING (n);
CREATE TEMPORARY TABLE played ON COMMIT DROP AS
    SELECT pg_temp.id_at(at) AS match, block, b, position, at + position * interval '1 second' AS at
    FROM made, generate_series(0, %(seats)s - 1) position
    ORDER BY b, position;
CREATE TEMPORARY TABLE seated ON COMMIT DROP AS
    SELECT match, b, at, seat, id,
        rank() OVER (PARTITION BY b, position ORDER BY -ln(1 - random()) / strength) AS place
    FROM played JOIN players USING (b),
        LATERAL (SELECT mod(player + position, %(seats)s) AS seat) turned
    ORDER BY b, position, seat;
INSERT INTO blocks (id, kind, size, closed_at) SELECT block, 'seat', %(seats)s, at FROM made;
INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
        decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT match, 'bluff', '{}', %(seats)s, block, position, 'finished', false, at, at, 2000, 30000
    FROM played;
INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited,
        finished_at)
    SELECT match, seat, id, place, CASE place WHEN 1 THEN 1 + mod(b, 5) ELSE 0 END,
        CASE WHEN mod(b, 997) = 0 AND seat = 1 THEN 1 ELSE 0 END, false, at
    FROM seated;
INSERT INTO match_luck (match_id, table_file, table_sha256, luck)
    SELECT match, %(file)s, %(sha256)s,
        ARRAY[luck, -luck] || array_fill(0.0::float8, ARRAY[%(seats)s - 2])
    FROM (SELECT match, 0.5 * (random() + random() - 1) AS luck FROM played) drawn;
INSERT INTO transcripts (match_id, format, sha256, data)
    SELECT match, format, sha256, data
    FROM played, (SELECT * FROM transcripts ORDER BY length(data) LIMIT 1) one;
INSERT INTO rating_events (match_id) SELECT match FROM played ORDER BY at;
"""

_FILLED: Final = ("blocks", "matches", "match_seats", "match_luck", "transcripts", "rating_events")
"""Tables whose triggers would count each row alone."""

# What triggers would have counted.
_COUNTS = """
INSERT INTO played_ladders SELECT DISTINCT game, options, seat_count, turn_ms, bank_ms FROM matches
    ON CONFLICT DO NOTHING;
INSERT INTO version_counts SELECT version_id, count(*), sum(faults) FROM match_seats GROUP BY 1
    ON CONFLICT (version_id) DO UPDATE SET matches = excluded.matches, faults = excluded.faults;
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """A database of matches at tables of `seats` seats."""

    url: str
    seats: int


def fill_database(url: str, bots: int, matches: int, seats: int = 2) -> None:
    """Make the bots and their matches in a migrated database, and let Postgres analyse it. First a
    few blocks are really played, by other bots, one for each seat."""
    few = [
        ("honest", sensible(0.1)),
        *((f"alpha{n or ''}", sensible(0.0)) for n in range(seats - 1)),
    ]
    asyncio.run(fill(url, seats=seats, blocks=10, policies=few))
    luck = table_of("bluff")
    assert luck is not None
    values: dict[str, Any] = {
        "bots": bots,
        "seats": seats,
        "spread": SPREAD,
        "since": "2026-01-01",
        "file": luck.file,
        "sha256": bytes.fromhex(luck.sha256),
    }
    blocks = matches // seats
    with psycopg.connect(plain(url)) as connection:
        run_script(connection, BOTS, values)
        connection.commit()
        _set_triggers(connection, "DISABLE")
        for start in range(0, blocks, AT_ONCE):
            ends = {"start": start, "stop": min(blocks, start + AT_ONCE)}
            run_script(connection, _BLOCKS, values | ends)
            connection.commit()
        _set_triggers(connection, "ENABLE")
        run_script(connection, _COUNTS, values)
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE")
    write_checkpoints(url)


def _set_triggers(connection: psycopg.Connection[Any], what: str) -> None:
    for table in _FILLED:
        connection.execute(f"ALTER TABLE {table} {what} TRIGGER USER".encode())
    connection.commit()


def run_script(connection: psycopg.Connection[Any], script: str, values: dict[str, Any]) -> None:
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement.encode(), values)
