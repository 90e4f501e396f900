"""SQL statements that fill the queues of shifts and checks.

This module builds the statements; its callers run them. The queues belong to procrastinate, whose
own function adds jobs, in our transaction. A bot has at most one waiting job. Workers take shifts
of play in the order in which they were queued, and a bot's next shift is queued when the last one
ends, so that all bots get the same share. Tournament shifts, of the entered versions, come before
shifts for the ladder. Checks of the owners with the fewest waiting checks come first, so that an
owner with many uploads does not delay the others.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import TextClause, text

from arena.builds.hosted import (
    CHECK_QUEUE,
    CHECK_TASK,
    FINAL_TASK,
    PLAY_TASK,
    QUEUE,
    TOURNAMENT_TASK,
)
from arena.database.advisory_locks import AdvisoryLock
from arena.database.tables.uploads import QUEUE_SCHEMA
from arena.records import OwnerId, VersionId

ALIVE_SECONDS: Final = 30
"""Seconds without a heartbeat after which a worker counts as gone.

Workers send a heartbeat every few seconds.
"""

FINAL_PRIORITY: Final = 30
"""The priority of the blocks of finals: no shift begins while one waits."""
LADDER_PRIORITY: Final = 3
"""The priority of the blocks of events' ladders."""

_MAY_PLAY: Final = """
    bots.retired_at IS NULL AND versions.retired_at IS NULL
    AND bots.frozen_at IS NULL AND bots.paused_at IS NULL AND owners.banned_at IS NULL
"""


def queue_lock() -> TextClause:
    """Return a statement that locks the queues until the end of the transaction.

    A transaction takes this lock before it reads the queues in order to add to them.
    """
    return text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.QUEUEING_SHIFTS.value})")


def queue_check(version_id: VersionId, owner_id: OwnerId) -> TextClause:
    """Return a statement that queues the check of a build.

    An owner's checks run one at a time, so that its uploads occupy at most one slot.
    """
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(ARRAY[ROW(
            '{CHECK_QUEUE}', '{CHECK_TASK}', -count(*), :owner, :lock, jsonb_build_object(
                'version_id', CAST(:version_id AS integer)), NULL
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1])
        FROM {QUEUE_SCHEMA}.procrastinate_jobs
        WHERE lock = :owner AND status IN ('todo', 'doing')
        """  # noqa: S608  our own constants
    ).bindparams(owner=f"checks-of-{owner_id}", lock=f"check-{version_id}", version_id=version_id)


def in_hand(task: str, value: int) -> TextClause:
    """Return a statement that selects when a worker started the running job of a shift or check.

    `value` is the id of the bot for PLAY_TASK, and the id of the version for other tasks. Column:
    started_at. There is no row if the job is not running. The statement locks the job until the end
    of the transaction.
    """
    argument = "bot_id" if task == PLAY_TASK else "version_id"
    return text(
        f"""
        SELECT events.at AS started_at
        FROM {QUEUE_SCHEMA}.procrastinate_jobs AS jobs
            JOIN {QUEUE_SCHEMA}.procrastinate_events AS events ON events.job_id = jobs.id
        WHERE jobs.status = 'doing' AND jobs.task_name = '{task}' AND events.type = 'started'
            AND jobs.args = jsonb_build_object('{argument}', CAST(:value AS integer))
        ORDER BY events.id DESC LIMIT 1 FOR UPDATE OF jobs
        """  # noqa: S608  our own constants
    ).bindparams(value=value)


def drop_delayed_play(bot_id: int) -> TextClause:
    """Return a statement that cancels a bot's shift that waits for its scheduled time.

    Such a shift was delayed because earlier ones were cut short.
    """
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_cancel_job_v1(id, false, true)
        FROM {QUEUE_SCHEMA}.procrastinate_jobs
        WHERE lock = 'play-' || CAST(:bot_id AS integer) AND status = 'todo'
            AND scheduled_at > now()
        """  # noqa: S608  our own constants
    ).bindparams(bot_id=bot_id)


def queue_play(
    bot_id: int | None = None, *, first: bool = False, delay: timedelta | None = None
) -> TextClause:
    """Return a statement that queues a shift for each bot, or for the bot `bot_id`.

    It queues shifts only for bots that may play and have no shift waiting or running, and puts them
    behind all others. With `first` it puts them before the others, and queues a shift even if the
    bot still has a running one. The shift begins after `delay`.
    """
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(array_agg(ROW(
            '{QUEUE}', '{PLAY_TASK}', CAST(:priority AS integer), 'play-' || bots.id,
            'play-' || bots.id, jsonb_build_object('bot_id', bots.id),
            now() + CAST(:delay AS interval)
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1 ORDER BY bots.id))
        FROM hosted_bots JOIN versions ON versions.id = hosted_bots.version_id
            JOIN bots ON bots.id = hosted_bots.bot_id
            JOIN owners ON owners.id = bots.owner_id
        WHERE (CAST(:bot_id AS integer) IS NULL OR bots.id = :bot_id)
            AND {_MAY_PLAY} AND NOT plays_privately(bots.id)
            AND NOT EXISTS (
                SELECT FROM {QUEUE_SCHEMA}.procrastinate_jobs AS jobs
                WHERE jobs.lock = 'play-' || bots.id
                    AND (status = 'todo' OR status = 'doing' AND CAST(:bot_id AS integer) IS NULL)
            )
            AND (:first OR NOT EXISTS (
                SELECT FROM shifts JOIN versions AS playing ON playing.id = shifts.version_id
                WHERE playing.bot_id = bots.id AND shifts.ended_at IS NULL AND NOT shifts."check"
                    AND NOT shifts.tournament
            ))
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    ).bindparams(bot_id=bot_id, first=first, priority=5 if first else 0, delay=delay)


def queue_finals(event_id: int, blocks: Collection[tuple[int, int, int]]) -> TextClause:
    """Return a statement that queues those blocks of a final that are not waiting or running.

    Blocks are (round, table, number). They come before all shifts, ordered by round, number, table.
    """
    rounds, tables, numbers = zip(*blocks, strict=True) if blocks else ((), (), ())
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(array_agg(ROW(
            '{QUEUE}', '{FINAL_TASK}', {FINAL_PRIORITY}, NULL, name, jsonb_build_object(
                'event_id', CAST(:event_id AS integer), 'round_number', round,
                'table_number', "table", 'block_number', number), NULL
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1 ORDER BY round, number, "table"))
        FROM (
            SELECT *, concat_ws('-', 'final', CAST(:event_id AS text), round, "table", number)
                AS name
            FROM unnest(CAST(:rounds AS integer[]), CAST(:tables AS integer[]),
                CAST(:numbers AS integer[])) AS given (round, "table", number)
        ) AS wanted
        WHERE name NOT IN (
            SELECT queueing_lock FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE task_name = '{FINAL_TASK}' AND status IN ('todo', 'doing')
        )
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    ).bindparams(event_id=event_id, rounds=list(rounds), tables=list(tables), numbers=list(numbers))


def queue_ladder(
    event_id: int, numbers: Collection[int], begins: Collection[datetime]
) -> TextClause:
    """Return a statement that queues blocks of an event's ladder; block i starts after `begins[i]`.

    They come before bots' shifts of play, except those queued with `first`; the event's pace bounds
    their share of the slots.
    """
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(array_agg(ROW(
            '{QUEUE}', '{FINAL_TASK}', {LADDER_PRIORITY}, NULL,
            concat_ws('-', 'ladder', CAST(:event_id AS text), number), jsonb_build_object(
                'event_id', CAST(:event_id AS integer), 'round_number', 0,
                'table_number', 0, 'block_number', number), begins
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1 ORDER BY number))
        FROM unnest(CAST(:numbers AS integer[]), CAST(:begins AS timestamptz[]))
            AS given (number, begins)
        """  # noqa: S608  our own constants
    ).bindparams(event_id=event_id, numbers=list(numbers), begins=list(begins))


def checks_ahead(version_ids: Collection[VersionId]) -> TextClause:
    """Return a statement that counts the checks that come before the checks of given versions.

    Columns: version_id and ahead, with a row for each given version that waits for its check.
    Running checks count as ahead.
    """
    return text(
        f"""
        WITH queue AS (
            SELECT CAST(args->>'version_id' AS integer) AS version_id,
                row_number() OVER (ORDER BY priority DESC, id) - 1 AS before
            FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE queue_name = '{CHECK_QUEUE}' AND status = 'todo'
        )
        SELECT version_id, before + (
            SELECT count(*) FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE queue_name = '{CHECK_QUEUE}' AND status = 'doing'
        ) AS ahead
        FROM queue WHERE version_id = ANY(CAST(:versions AS integer[]))
        """  # noqa: S608  our own constants
    ).bindparams(versions=list(version_ids))


def recent_checks(most: int) -> TextClause:
    """Return a statement that selects the durations of the last `most` checks of the past hour.

    Columns: median and longest, in seconds from the upload to the end of the check; NULL if no
    check ended within the hour.
    """
    return text(
        """
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median,
            max(seconds) AS longest
        FROM (
            SELECT extract(epoch FROM shifts.ended_at - versions.created_at) AS seconds
            FROM shifts JOIN versions ON versions.id = shifts.version_id
            WHERE shifts."check" AND shifts.ended_at > now() - interval '1 hour'
            ORDER BY shifts.id DESC LIMIT :most
        ) AS recent
        """
    ).bindparams(most=most)


def queue_tournament(
    versions: Collection[VersionId], priority: int, *, delay: timedelta | None = None
) -> TextClause:
    """Return a statement that queues a tournament shift for each of these versions.

    It skips versions that cannot play, or that have a tournament shift waiting or running. With a
    `delay` the shift begins after it, and a job that still runs but has ended its shift is ignored.
    """
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(array_agg(ROW(
            '{QUEUE}', '{TOURNAMENT_TASK}', CAST(:priority AS integer), name, name,
            jsonb_build_object('version_id', version_id), now() + CAST(:delay AS interval)
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1 ORDER BY version_id))
        FROM (
            SELECT version_id, concat('tournament-', version_id) AS name
            FROM hosted_versions JOIN build_files USING (build_id)
                JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
                JOIN owners ON owners.id = owner_id
            WHERE version_id = ANY(CAST(:versions AS integer[])) AND state = 'accepted'
                AND {_MAY_PLAY}
        ) AS wanted
        WHERE name NOT IN (
            SELECT lock FROM {QUEUE_SCHEMA}.procrastinate_jobs
            WHERE task_name = '{TOURNAMENT_TASK}'
                AND (status = 'todo' OR status = 'doing' AND CAST(:delay AS interval) IS NULL)
        ) AND NOT EXISTS (
            SELECT FROM shifts WHERE shifts.version_id = wanted.version_id
                AND ended_at IS NULL AND NOT "check"
        )
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    ).bindparams(versions=list(versions), priority=priority, delay=delay)


def order_tournament(versions: Collection[VersionId], priority: int) -> TextClause:
    """Return a statement that sets the priority of waiting tournament shifts."""
    return text(
        f"""
        UPDATE {QUEUE_SCHEMA}.procrastinate_jobs SET priority = CAST(:priority AS integer)
        WHERE task_name = '{TOURNAMENT_TASK}' AND status = 'todo' AND priority <> :priority
            AND lock = ANY(CAST(:locks AS text[]))
        """  # noqa: S608  our own constants
    ).bindparams(priority=priority, locks=[f"tournament-{one}" for one in versions])


def waiting_for_tournaments() -> TextClause:
    """Return a statement that counts the tournament shifts that could start if a slot were free."""
    return text(
        f"""
        SELECT count(*) FROM {QUEUE_SCHEMA}.procrastinate_jobs
        WHERE task_name = '{TOURNAMENT_TASK}' AND status = 'todo'
            AND coalesce(scheduled_at <= now(), true)
        """  # noqa: S608  our own constants
    )


def worker_alive() -> TextClause:
    """Return a statement that selects whether any worker sent a heartbeat recently."""
    return text(
        f"""
        SELECT EXISTS (
            SELECT FROM {QUEUE_SCHEMA}.procrastinate_workers
            WHERE last_heartbeat > now() - make_interval(secs => {ALIVE_SECONDS})
        )
        """  # noqa: S608  our own constants
    )


def expect_worker(seconds: float) -> TextClause:
    """Return a statement that makes a starting worker count as alive for `seconds`."""
    return text(
        f"""
        INSERT INTO {QUEUE_SCHEMA}.procrastinate_workers (last_heartbeat)
        VALUES (now() + make_interval(secs => :seconds - {ALIVE_SECONDS}))
        """  # noqa: S608  our own constants
    ).bindparams(seconds=seconds)


def queue_lost_checks() -> TextClause:
    """Return a statement that queues pending checks that have no waiting or running job."""
    return text(
        f"""
        SELECT {QUEUE_SCHEMA}.procrastinate_defer_jobs_v1(array_agg(ROW(
            '{CHECK_QUEUE}', '{CHECK_TASK}', 1 - place, 'checks-of-' || owner_id,
            'check-' || version_id, jsonb_build_object('version_id', version_id), NULL
        )::{QUEUE_SCHEMA}.procrastinate_job_to_defer_v1 ORDER BY version_id))
        FROM (SELECT version_id, owners.id AS owner_id,
                row_number() OVER (PARTITION BY owners.id ORDER BY version_id) AS place
        FROM hosted_versions
            JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
            JOIN owners ON owners.id = owner_id
        WHERE state = 'checking' AND {_MAY_PLAY}
            AND NOT EXISTS (
                SELECT FROM {QUEUE_SCHEMA}.procrastinate_jobs AS jobs
                WHERE jobs.queueing_lock = 'check-' || version_id AND status IN ('todo', 'doing')
            )) AS lost
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    )
