"""SQL statements about notices, webhooks and deliveries; callers execute them."""

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Insert, Text, TextClause, Update, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by, insert
from sqlalchemy.sql.dml import ReturningDelete

from arena.database.channels import NOTICES_CHANNEL
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import events
from arena.database.tables.notices import deliveries, notices, webhooks
from arena.server.notices.notice import NoticeKind

FEED_NOTICES: Final = 50
"""The most notices in the feed of a bot, the newest."""


def wake() -> Row:
    """Notify the referees that deliver notices."""
    return select(func.pg_notify(NOTICES_CHANNEL, ""))


def bot_of(version_id: int) -> Row:
    """Select `bot_id`, `bot` and `version`, its label, of a version."""
    return (
        select(bots.c.id.label("bot_id"), bots.c.name.label("bot"))
        .add_columns(versions.c.label.label("version"))
        .select_from(versions.join(bots))
        .where(versions.c.id == version_id)
    )


def claim_deliveries(most: int, claim: timedelta) -> TextClause:
    """Claim some deliveries that are due, and return what is needed to send them.

    The columns are `notice_id`, `webhook_id`, `tries`; `url`, `secret` and `public` (whether it may
    only be on the public internet) of the webhook; and `kind`, `at`, `text` and `data` of the
    notice.
    """
    return text(
        """
        UPDATE deliveries AS delivery SET due_at = now() + CAST(:claim AS interval)
        FROM notices AS notice, webhooks AS hook
        WHERE notice.id = delivery.notice_id AND hook.id = delivery.webhook_id
            AND (delivery.notice_id, delivery.webhook_id) IN (
                SELECT notice_id, webhook_id FROM deliveries
                WHERE due_at <= now() ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
            )
        RETURNING delivery.notice_id, delivery.webhook_id, delivery.tries, hook.url, hook.secret,
            hook.owner_id IS NOT NULL OR hook.public_only AS public,
            notice.kind, notice.at, notice.text, notice.data
        """
    ).bindparams(most=most, claim=claim)


def tried(notice_id: int, webhook_id: int, failure: str, pause: timedelta | None) -> Update:
    """Note that a delivery was tried; without a `failure` it is delivered.

    After a failure it is due again after `pause`, or given up if `pause` is None.
    """
    delivery = deliveries.c
    values: dict[str, Any] = {"tries": delivery.tries + 1, "failure": failure, "due_at": None}
    if not failure:
        values["delivered_at"] = func.now()
    elif pause is not None:
        values["due_at"] = func.now() + pause
    return (
        update(deliveries)
        .where(delivery.notice_id == notice_id, delivery.webhook_id == webhook_id)
        .values(values)
    )


def seconds_to_next_delivery() -> Row:
    """Select `seconds` until a delivery is due; NULL without one."""
    wait = func.extract("epoch", func.min(deliveries.c.due_at) - func.now())
    return select(wait.label("seconds"))


def add_webhook(
    url: str,
    secret: str,
    *,
    event_id: int | None = None,
    owner_id: int | None = None,
    bot_id: int | None = None,
    public_only: bool = False,
) -> Insert:
    """Insert a webhook of an event, or of an owner, for one of its bots or all.

    The statement returns its id; nothing if the webhook exists already.
    """
    values = {"event_id": event_id, "owner_id": owner_id, "bot_id": bot_id}
    return (
        insert(webhooks)
        .values(url=url, secret=secret, public_only=public_only, **values)
        .on_conflict_do_nothing()
        .returning(webhooks.c.id)
    )


def remove_webhook(
    url: str,
    *,
    event_id: int | None = None,
    owner_id: int | None = None,
    bot_id: int | None = None,
    public_only: bool = False,
) -> ReturningDelete[Any]:
    """Remove a webhook that `add_webhook` added; with `public_only` only if it was added so.

    The statement returns its id.
    """
    return (
        delete(webhooks)
        .where(webhooks.c.url == url)
        .where(webhooks.c.event_id.is_not_distinct_from(event_id))
        .where(webhooks.c.owner_id.is_not_distinct_from(owner_id))
        .where(webhooks.c.bot_id.is_not_distinct_from(bot_id))
        .where(webhooks.c.public_only | (not public_only))
        .returning(webhooks.c.id)
    )


def lock_event(event_id: int) -> Row:
    """Select `id` of an event, and lock it so that organisers add webhooks one at a time."""
    found = select(events.c.id).where(events.c.id == event_id)
    return found.with_for_update(key_share=True)


def webhook_list(
    *, event_id: int | None = None, owner_id: int | None = None, public_only: bool = False
) -> Row:
    """Select the webhooks of an event or owner, oldest first; with `public_only` only such ones.

    The columns are `url`, `bot` (its name; None for all), `delivered` and `waiting` (numbers of
    notices), and the last `failure`.
    """
    delivery = deliveries.c
    failed = delivery.failure != ""
    last = func.array_agg(
        aggregate_order_by(delivery.failure, delivery.notice_id.desc()), type_=ARRAY(Text)
    ).filter(failed)[1]
    return (
        select(webhooks.c.url, bots.c.name.label("bot"))
        .add_columns(func.count(delivery.delivered_at).label("delivered"))
        .add_columns(func.count(delivery.due_at).label("waiting"))
        .add_columns(func.coalesce(last, "").label("failure"))
        .select_from(webhooks.outerjoin(deliveries).outerjoin(bots, bots.c.id == webhooks.c.bot_id))
        .where(webhooks.c.event_id.is_not_distinct_from(event_id))
        .where(webhooks.c.owner_id.is_not_distinct_from(owner_id))
        .where(webhooks.c.public_only | (not public_only))
        .group_by(webhooks.c.id, bots.c.id)
        .order_by(webhooks.c.id)
    )


def forget_notices() -> TextClause:
    """Delete notices and deliveries older than the policy allows; return the ids of the notices.

    Notices of events stay, a handful per event, and so do each bot's FEED_NOTICES newest accepted
    builds, which its feed shows. Notices and deliveries that are still due stay too.
    """
    return text(
        """
        WITH since AS (SELECT now() - make_interval(days => notice_days) AS at FROM policy),
        delivered AS (
            DELETE FROM deliveries AS delivery USING notices AS notice, since
            WHERE notice.id = delivery.notice_id AND notice.at < since.at
                AND delivery.due_at IS NULL
        ),
        ranked AS (
            SELECT id, at, kind, row_number() OVER (PARTITION BY bot_id, kind ORDER BY id DESC)
            FROM notices WHERE bot_id IS NOT NULL
        )
        DELETE FROM notices USING ranked, since
        WHERE notices.id = ranked.id AND ranked.at < since.at
            AND NOT (ranked.kind = :accepted AND ranked.row_number <= :most)
            AND NOT EXISTS (
                SELECT FROM deliveries WHERE notice_id = notices.id AND due_at IS NOT NULL
            )
        RETURNING notices.id
        """
    ).bindparams(accepted=NoticeKind.ACCEPTED.value, most=FEED_NOTICES)


def notices_of_event(event_id: int) -> Row:
    """Select `id`, `text` and `at` of the notices of an event, oldest first."""
    return (
        select(notices.c.id, notices.c.text, notices.c.at)
        .where(notices.c.event_id == event_id)
        .order_by(notices.c.id)
    )


def accepted_builds(bot: str) -> Row:
    """Select `id`, `text` and `at` of a bot's FEED_NOTICES newest accepted builds, oldest first.

    A bot's other notices are not public.
    """
    newest = (
        select(notices.c.id, notices.c.text, notices.c.at)
        .select_from(notices.join(bots))
        .where(bots.c.folded == folded(bot), notices.c.kind == NoticeKind.ACCEPTED.value)
        .order_by(notices.c.id.desc())
        .limit(FEED_NOTICES)
        .subquery()
    )
    return select(newest).order_by(newest.c.id)
