"""Notices of events, and the webhooks to which they are delivered."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE event_notices (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT event_notices_pk PRIMARY KEY,
    event_id integer NOT NULL CONSTRAINT event_notices_event_id_fk REFERENCES events,
    kind text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_notices_event_id_kind_key UNIQUE (event_id, kind),
    CONSTRAINT event_notices_kind_known CHECK (
        kind IN ('opens', 'last-day', 'frozen', 'final', 'results', 'cancelled')
    )
);
CREATE TABLE event_webhooks (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT event_webhooks_pk PRIMARY KEY,
    event_id integer NOT NULL CONSTRAINT event_webhooks_event_id_fk REFERENCES events,
    url text NOT NULL,
    secret text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_webhooks_event_id_url_key UNIQUE (event_id, url),
    CONSTRAINT event_webhooks_url_allowed
        CHECK (url ~ '^https?://' AND char_length(url) <= 1000)
);
CREATE TABLE event_deliveries (
    notice_id integer CONSTRAINT event_deliveries_notice_id_fk REFERENCES event_notices,
    webhook_id integer CONSTRAINT event_deliveries_webhook_id_fk
        REFERENCES event_webhooks ON DELETE CASCADE,
    tries smallint NOT NULL DEFAULT 0,
    due_at timestamptz DEFAULT now(),
    delivered_at timestamptz,
    failure text NOT NULL DEFAULT '',
    CONSTRAINT event_deliveries_pk PRIMARY KEY (notice_id, webhook_id),
    CONSTRAINT event_deliveries_over CHECK (delivered_at IS NULL OR due_at IS NULL)
);
CREATE INDEX event_deliveries_due_ix ON event_deliveries (due_at) WHERE due_at IS NOT NULL;
GRANT SELECT ON event_notices TO arena_reader;
CREATE TRIGGER bots_freeze_first BEFORE UPDATE OF retired_at ON bots
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
CREATE TRIGGER versions_freeze_first BEFORE UPDATE OF retired_at ON versions
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
CREATE TRIGGER owners_freeze_first BEFORE UPDATE OF banned_at ON owners
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
"""


def upgrade() -> None:
    """Create the tables; addresses and secrets of webhooks are hidden from the reader role."""
    op.execute(_TABLES)
