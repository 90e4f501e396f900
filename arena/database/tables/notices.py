"""The outbox of notices.

    events ─┬──< notices ──< deliveries >── webhooks >─┬─ events
    bots ───┘                                          └─ owners

The reader role sees no webhooks, and only the public notices.
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import Time, metadata, now
from arena.database.tables.bots import bots
from arena.database.tables.events import events
from arena.database.tables.owners import owners

notices = Table(
    "notices",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("event_id", ForeignKey(events.c.id)),
    Column("bot_id", ForeignKey(bots.c.id)),
    Column("kind", Text, nullable=False),
    # Distinguishes it from others of its kind; with the constraints below, each is created once.
    Column("about", Text, nullable=False, server_default=text("''")),
    # A sentence for people, and data for programs.
    Column("text", Text, nullable=False, server_default=text("''")),
    Column("data", JSONB, nullable=False, server_default=text("'{}'")),
    now("at"),
    UniqueConstraint("event_id", "kind", "about"),
    UniqueConstraint("bot_id", "kind", "about"),
    CheckConstraint("num_nonnulls(event_id, bot_id) = 1", name="of_one"),
    CheckConstraint(
        "CASE WHEN bot_id IS NULL"
        " THEN kind IN ('opens', 'last-day', 'frozen', 'final', 'results', 'cancelled')"
        " ELSE kind IN ('accepted', 'refused', 'failing') END",
        name="kind_known",
    ),
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("event_id", ForeignKey(events.c.id)),
    Column("owner_id", ForeignKey(owners.c.id)),
    # The owner's bot whose notices are sent; None for all bots.
    Column("bot_id", ForeignKey(bots.c.id)),
    Column("url", Text, nullable=False),
    # The key that signs deliveries; therefore it cannot be stored as a hash.
    Column("secret", Text, nullable=False),
    now("created_at"),
    # Whether an event's webhook was added from another machine: like owners' webhooks, it may then
    # post only to the public internet.
    Column("public_only", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("event_id", "url"),
    CheckConstraint("num_nonnulls(event_id, owner_id) = 1", name="of_one"),
    CheckConstraint("bot_id IS NULL OR owner_id IS NOT NULL", name="bot_owned"),
    CheckConstraint("url ~ '^https?://' AND char_length(url) <= 1000", name="url_allowed"),
    # An owner may use a URL once per bot, and once for all bots.
    Index("webhooks_owner_key", "owner_id", func.coalesce(text("bot_id"), 0), "url", unique=True),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("notice_id", ForeignKey(notices.c.id), primary_key=True),
    Column("webhook_id", ForeignKey(webhooks.c.id, ondelete="CASCADE"), primary_key=True),
    Column("tries", SmallInteger, nullable=False, server_default=text("0")),
    # When the next attempt is due; None once it is delivered or given up.
    Column("due_at", Time, server_default=func.now()),
    Column("delivered_at", Time),
    # Why the last attempt failed.
    Column("failure", Text, nullable=False, server_default=text("''")),
    CheckConstraint("delivered_at IS NULL OR due_at IS NULL", name="over"),
    Index("deliveries_due_ix", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    Index("deliveries_webhook_ix", "webhook_id"),
)
