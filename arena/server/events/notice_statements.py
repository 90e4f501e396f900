"""SQL statements about the notices of events and their delivery; callers execute them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Insert, Text, TextClause, Update, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by, insert
from sqlalchemy.sql.dml import ReturningDelete

from arena.database.statement import Row
from arena.database.tables.events import (
    event_deliveries,
    event_notices,
    event_webhooks,
)


def add_due_notices() -> TextClause:
    """Add the notices that are due and not there yet; the statement returns their ids."""
    return text(
        """
        INSERT INTO event_notices (event_id, kind)
        SELECT id, kind FROM events CROSS JOIN LATERAL (VALUES
            ('opens', opens_at <= clock_timestamp() AND frozen_at IS NULL
                AND cancelled_at IS NULL AND freezes_at > clock_timestamp()),
            ('last-day', freezes_at - interval '1 day' <= clock_timestamp()
                AND freezes_at > clock_timestamp() AND cancelled_at IS NULL
                AND greatest(opens_at, created_at) < freezes_at - interval '1 day'),
            ('frozen', frozen_at IS NOT NULL),
            ('final', began_at IS NOT NULL),
            ('results', released_at IS NOT NULL),
            ('cancelled', cancelled_at IS NOT NULL)
        ) AS due (kind, is_due)
        WHERE is_due AND coalesce(released_at, cancelled_at, now()) > now() - interval '1 day'
            -- Those that conflict would use up numbers.
            AND NOT EXISTS (
                SELECT FROM event_notices AS made
                WHERE made.event_id = events.id AND made.kind = due.kind
            )
        ORDER BY id
        ON CONFLICT DO NOTHING
        RETURNING id
        """
    )


def add_deliveries(notice_ids: Sequence[int]) -> TextClause:
    """Add the deliveries of new notices to the webhooks of their events."""
    return text(
        """
        INSERT INTO event_deliveries (notice_id, webhook_id)
        SELECT event_notices.id, event_webhooks.id
        FROM event_notices JOIN event_webhooks USING (event_id)
        WHERE event_notices.id = ANY(CAST(:ids AS integer[]))
        """
    ).bindparams(ids=list(notice_ids))


def claim_deliveries(most: int, claim: timedelta) -> TextClause:
    """Claim some deliveries that are due, and return what is needed to send them.

    The columns are `notice_id`, `webhook_id`, `tries`, `url`, `secret`, `event_id`, `kind`, `at`.
    """
    return text(
        """
        UPDATE event_deliveries AS delivery SET due_at = now() + CAST(:claim AS interval)
        FROM event_notices AS notice, event_webhooks AS hook
        WHERE notice.id = delivery.notice_id AND hook.id = delivery.webhook_id
            AND (delivery.notice_id, delivery.webhook_id) IN (
                SELECT notice_id, webhook_id FROM event_deliveries
                WHERE due_at <= now() ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
            )
        RETURNING delivery.notice_id, delivery.webhook_id, delivery.tries, hook.url, hook.secret,
            notice.event_id, notice.kind, notice.at
        """
    ).bindparams(most=most, claim=claim)


def tried(notice_id: int, webhook_id: int, failure: str, pause: timedelta | None) -> Update:
    """Note that a delivery was tried; without a `failure` it is delivered.

    After one it is due again after the pause, or given up without one.
    """
    delivery = event_deliveries.c
    values: dict[str, Any] = {"tries": delivery.tries + 1, "failure": failure, "due_at": None}
    if not failure:
        values["delivered_at"] = func.now()
    elif pause is not None:
        values["due_at"] = func.now() + pause
    return (
        update(event_deliveries)
        .where(delivery.notice_id == notice_id, delivery.webhook_id == webhook_id)
        .values(values)
    )


def seconds_to_next_delivery() -> Row:
    """Select `seconds` until a delivery is due; NULL without one."""
    wait = func.extract("epoch", func.min(event_deliveries.c.due_at) - func.now())
    return select(wait.label("seconds"))


def add_webhook(event_id: int, url: str, secret: str) -> Insert:
    """Insert a webhook unless the event has it; the statement returns its id."""
    values = {"event_id": event_id, "url": url, "secret": secret}
    return (
        insert(event_webhooks)
        .values(values)
        .on_conflict_do_nothing()
        .returning(event_webhooks.c.id)
    )


def remove_webhook(event_id: int, url: str) -> ReturningDelete[Any]:
    """Remove a webhook; the statement returns its id."""
    return (
        delete(event_webhooks)
        .where(event_webhooks.c.event_id == event_id, event_webhooks.c.url == url)
        .returning(event_webhooks.c.id)
    )


def webhooks_of(event_id: int) -> Row:
    """Select `url`, `delivered` and `waiting` (how many notices) and the last `failure`."""
    delivery = event_deliveries.c
    failed = delivery.failure != ""
    last = func.array_agg(
        aggregate_order_by(delivery.failure, delivery.notice_id.desc()), type_=ARRAY(Text)
    ).filter(failed)[1]
    return (
        select(event_webhooks.c.url)
        .add_columns(func.count(delivery.delivered_at).label("delivered"))
        .add_columns(func.count(delivery.due_at).label("waiting"))
        .add_columns(func.coalesce(last, "").label("failure"))
        .select_from(event_webhooks.outerjoin(event_deliveries))
        .where(event_webhooks.c.event_id == event_id)
        .group_by(event_webhooks.c.id)
        .order_by(event_webhooks.c.id)
    )


def notices_of(event_id: int) -> Row:
    """Select `id`, `kind` and `at` of the notices of an event, oldest first."""
    return (
        select(event_notices.c.id, event_notices.c.kind, event_notices.c.at)
        .where(event_notices.c.event_id == event_id)
        .order_by(event_notices.c.id)
    )
