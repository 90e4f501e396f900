"""SQL statements that fill the queues of shifts and checks, built here, run elsewhere.

The queues belong to procrastinate: jobs are added by its own function, in our transaction. A bot
has at most one job that waits. Shifts of play are taken in the order in which they were queued, and
a bot's next one is queued when the last one ends: so all bots have the same share. Of checks, those
come first of whose owners the fewest wait, so that nobody waits for the many of another.
"""

from datetime import timedelta
from typing import Final

from sqlalchemy import TextClause, text

from arena.builds.hosted import CHECK_QUEUE, CHECK_TASK, PLAY_TASK, QUEUE
from arena.records import OwnerId, VersionId
from arena.storage.advisory_locks import AdvisoryLock
from arena.storage.hosting_tables import QUEUE_SCHEMA

ALIVE_SECONDS: Final = 30
"""A worker that gave no sign of life for so long is gone; it gives one every few seconds."""


def queue_lock() -> TextClause:
    """Held until the end of the transaction by who looks for what is queued and adds to it."""
    return text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.QUEUEING_SHIFTS.value})")


def queue_check(version_id: VersionId, owner_id: OwnerId) -> TextClause:
    """Queues the check of a build. Those of one owner are begun one after the other, so that its
    uploads take one slot at most."""
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


def drop_delayed_play(bot_id: int) -> TextClause:
    """Removes the shift of a bot that waits because those before were cut short."""
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
    """Queues a shift for each bot, or for one, that plays and has none waiting or running; behind
    all others. With `first` before them, and while an older one runs, too. It begins after a
    `delay`."""
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
            AND bots.retired_at IS NULL AND versions.retired_at IS NULL
            AND bots.frozen_at IS NULL AND owners.banned_at IS NULL
            AND NOT EXISTS (
                SELECT FROM {QUEUE_SCHEMA}.procrastinate_jobs AS jobs
                WHERE jobs.lock = 'play-' || bots.id
                    AND (status = 'todo' OR status = 'doing' AND CAST(:bot_id AS integer) IS NULL)
            )
            AND (:first OR NOT EXISTS (
                SELECT FROM shifts JOIN versions AS playing ON playing.id = shifts.version_id
                WHERE playing.bot_id = bots.id AND shifts.ended_at IS NULL AND NOT shifts."check"
            ))
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    ).bindparams(bot_id=bot_id, first=first, priority=5 if first else 0, delay=delay)


def worker_alive() -> TextClause:
    """Whether any worker gave a sign of life lately."""
    return text(
        f"""
        SELECT EXISTS (
            SELECT FROM {QUEUE_SCHEMA}.procrastinate_workers
            WHERE last_heartbeat > now() - make_interval(secs => {ALIVE_SECONDS})
        )
        """  # noqa: S608  our own constants
    )


def queue_lost_checks() -> TextClause:
    """Queues the checks that are neither waiting nor running."""
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
        WHERE state = 'checking' AND bots.retired_at IS NULL AND versions.retired_at IS NULL
            AND bots.frozen_at IS NULL AND owners.banned_at IS NULL
            AND NOT EXISTS (
                SELECT FROM {QUEUE_SCHEMA}.procrastinate_jobs AS jobs
                WHERE jobs.queueing_lock = 'check-' || version_id AND status IN ('todo', 'doing')
            )) AS lost
        HAVING count(*) > 0
        """  # noqa: S608  our own constants
    )
