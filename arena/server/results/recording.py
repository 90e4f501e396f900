"""The recording of results in batches: the SQL and the parameters, written for speed.

A referee finishes up to a thousand matches a second, so a batch is one statement over arrays (one
array per column), sent together with the statements around it. Measured per match of two seats in a
batch of 100, without serializing the transcript: 35 µs here, 43 µs as COPY in five round trips.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection

from arena.database.advisory_locks import AdvisoryLock
from arena.database.channels import RESULTS_CHANNEL
from arena.database.transcripts import Packed
from arena.games.game import Options
from arena.records import Block, FinishedMatch
from arena.server.failover import running
from arena.server.results import notes
from arena.server.results.luck import MeasuredLuck

Columns = list[list[Any]]

_LOCK: LiteralString = "SELECT pg_advisory_xact_lock(%s)"

_BLOCKS: LiteralString = """
INSERT INTO blocks (id, kind, size, rated, epoch)
SELECT given.*, %b::bigint
FROM unnest(%b::uuid[], %b::text[], %b::smallint[], %b::boolean[]) AS given
ON CONFLICT DO NOTHING
"""

_RESULTS: LiteralString = """
WITH added AS (
    INSERT INTO matches (id, game, options, seat_count, block_id, position, termination,
                         decided_by_faults, started_at, finished_at, turn_ms, bank_ms)
    SELECT * FROM unnest(%b::uuid[], %b::text[], %b::jsonb[], %b::smallint[], %b::uuid[],
                         %b::smallint[], %b::text[], %b::boolean[], %b::timestamptz[],
                         %b::timestamptz[], %b::integer[], %b::integer[])
    ON CONFLICT (id) DO NOTHING
    RETURNING id, finished_at
), seats AS (
    INSERT INTO match_seats (match_id, seat, version_id, "placing", score, faults, forfeited,
                             finished_at)
    SELECT given.*, added.finished_at
    FROM unnest(%b::uuid[], %b::smallint[], %b::integer[], %b::smallint[], %b::integer[],
                %b::integer[], %b::boolean[])
        AS given (match_id, seat, version_id, "placing", score, faults, forfeited)
    JOIN added ON added.id = given.match_id
), lucky AS (
    INSERT INTO match_luck (match_id, table_file, table_sha256, luck)
    SELECT match_id, table_file, table_sha256, luck::double precision[]
    FROM unnest(%b::uuid[], %b::text[], %b::bytea[], %b::text[])
        AS given (match_id, table_file, table_sha256, luck)
    JOIN added ON added.id = given.match_id
)
INSERT INTO transcripts (match_id, format, sha256, data)
SELECT given.* FROM unnest(%b::uuid[], %b::smallint[], %b::bytea[], %b::bytea[])
    AS given (match_id, format, sha256, data)
JOIN added ON added.id = given.match_id
"""

_FAULTS: LiteralString = """
INSERT INTO match_faults (match_id, turn, reason, sent)
SELECT given.* FROM unnest(%b::uuid[], %b::integer[], %b::text[], %b::jsonb[])
    AS given (match_id, turn, reason, sent)
ON CONFLICT DO NOTHING
"""

_CLOSE_COMPLETE: LiteralString = """
UPDATE blocks SET closed_at = now()
WHERE id = ANY(%b::uuid[]) AND closed_at IS NULL AND voided_at IS NULL
    AND size <= (SELECT count(*) FROM matches WHERE block_id = blocks.id)
"""

_CLOSE: LiteralString = """
UPDATE blocks SET closed_at = now()
WHERE id = ANY(%b::uuid[]) AND closed_at IS NULL AND voided_at IS NULL
"""

_RATE: LiteralString = """
INSERT INTO rating_events (match_id)
SELECT matches.id FROM matches JOIN blocks ON blocks.id = matches.block_id
WHERE blocks.id = ANY(%b::uuid[]) AND blocks.closed_at IS NOT NULL AND blocks.rated
ORDER BY matches.finished_at, matches.position
ON CONFLICT DO NOTHING
"""
"""The statement that adds rating events for the matches of closed blocks.

All matches of a block count or none, and a rating event is never removed.
"""

MOST_BATCHES: Final = 1024
"""The number of latest batches, of all referees together, that are remembered.

If a referee is killed, its batches of the last seconds tell its successor which ends of matches may
not have been sent. One referee records far fewer batches in these seconds.
"""

_REMEMBER: LiteralString = """
WITH remembered AS (
    INSERT INTO recorded_batches (epoch, match_ids, instances)
    VALUES (%b::bigint, %b::uuid[], %b::jsonb)
    RETURNING number, epoch
)
DELETE FROM recorded_batches USING remembered
WHERE recorded_batches.number <= remembered.number - %b::bigint
    AND recorded_batches.epoch = remembered.epoch
"""

_NOTIFY: LiteralString = f"NOTIFY {RESULTS_CHANNEL}"


def result_columns(
    matches: Sequence[FinishedMatch],
    packed: Sequence[Packed],
    lucks: Iterable[MeasuredLuck | None] = (),
) -> Columns:
    """Return the parameters for a batch of distinct matches, in the statement's order."""
    match_rows: list[tuple[Any, ...]] = []
    seat_rows: list[tuple[Any, ...]] = []
    transcript_rows: list[tuple[Any, ...]] = []
    for match, transcript in zip(matches, packed, strict=True):
        setup, result = match.transcript.setup, match.transcript.result
        match_id, seat_count = setup.match_id, len(match.version_ids)
        match_rows.append(
            (
                *(match_id, setup.game, _changed(setup.options), seat_count),
                *(match.block.id, match.position),
                *(result.termination.value, result.decided_by_faults),
                *(match.started_at, match.finished_at),
                *(setup.time_control.turn_ms, setup.time_control.bank_ms),
            )
        )
        seat_rows += zip(
            [match_id] * seat_count,
            range(seat_count),
            match.version_ids,
            result.placing,
            result.scores or (None,) * seat_count,
            result.faults,
            result.forfeited,
            strict=True,
        )
        transcript_rows.append((match_id, transcript.format, transcript.sha256, transcript.data))
    found, seated, told = (
        [list(column) for column in zip(*rows, strict=True)]
        for rows in (match_rows, seat_rows, transcript_rows)
    )
    return [*found, *seated, *_luck_columns([luck for luck in lucks if luck is not None]), *told]


def fault_columns(matches: Iterable[FinishedMatch]) -> Columns:
    """Return the parameters for the fault messages that bots got; empty if there were none."""
    rows = [
        (match.transcript.setup.match_id, fault.turn_number, fault.reason, fault.sent)
        for match in matches
        for fault in match.faults
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _luck_columns(lucks: Sequence[MeasuredLuck]) -> Columns:
    """Return the parameters of `lucky`; possibly empty."""
    return [
        [luck.match_id for luck in lucks],
        [luck.table.file for luck in lucks],
        [bytes.fromhex(luck.table.sha256) for luck in lucks],
        # Arrays as text, since unnest would flatten arrays of arrays; repr loses nothing.
        [f"{{{','.join(map(repr, luck.seats))}}}" for luck in lucks],
    ]


async def write(
    connection: AsyncConnection[Any],
    blocks: Mapping[str, Block],
    batches: Iterable[Columns],
    epoch: int | None = None,
    kept: Collection[str] = (),
    instances: Mapping[str, Sequence[str]] = MappingProxyType({}),
    faults: Sequence[list[Any]] = (),
    noted: Sequence[list[Any]] = (),
) -> None:
    """Write results in the transaction of `connection`, under the lease `epoch` if there is one.

    The running state of the matches `kept` is removed. `instances` are the names of the bots'
    copies, by match and seat, where any has a name. `faults` are the parameters of `fault_columns`,
    `noted` the parameters of `note_columns`.
    """
    async with connection.pipeline():
        if epoch is not None:
            await connection.execute("SELECT require_lease(%s)", [epoch])
        await connection.execute(_LOCK, [AdvisoryLock.RECORDING.value])
        await connection.execute(
            _BLOCKS,
            [
                epoch,
                list(blocks),
                [block.kind.value for block in blocks.values()],
                [block.size for block in blocks.values()],
                [block.rated for block in blocks.values()],
            ],
        )
        match_ids: list[str] = []
        for columns in batches:
            await connection.execute(_RESULTS, columns)
            match_ids += columns[0]
        if faults:
            await connection.execute(_FAULTS, faults)
        if noted:
            await notes.write(connection, noted)
        if epoch is not None:
            named = json.dumps(dict(instances))
            await connection.execute(_REMEMBER, [epoch, match_ids, named, MOST_BATCHES])
        if kept:
            await running.forget_matches(connection, list(kept))
        await connection.execute(_CLOSE_COMPLETE, [list(blocks)])
        await connection.execute(_RATE, [list(blocks)])
        await connection.execute(_NOTIFY)


async def close(connection: AsyncConnection[Any], block_id: str) -> None:
    """Close an incomplete block in the transaction of `connection`."""
    async with connection.pipeline():
        await connection.execute(_LOCK, [AdvisoryLock.RECORDING.value])
        await connection.execute(_CLOSE, [[block_id]])
        await connection.execute(_RATE, [[block_id]])
        await connection.execute(_NOTIFY)


@lru_cache(maxsize=1024)
def _changed(options: Options) -> str:
    return json.dumps(options.changed())
