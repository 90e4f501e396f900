"""One outbox for the notices of events and of bots, in tables of their own.

Referees of the release before find theirs as views.
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE notices (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT notices_pk PRIMARY KEY,
    event_id integer CONSTRAINT notices_event_id_fk REFERENCES events,
    bot_id integer CONSTRAINT notices_bot_id_fk REFERENCES bots,
    kind text NOT NULL,
    about text NOT NULL DEFAULT '',
    text text NOT NULL DEFAULT '',
    data jsonb NOT NULL DEFAULT '{}',
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT notices_event_id_kind_about_key UNIQUE (event_id, kind, about),
    CONSTRAINT notices_bot_id_kind_about_key UNIQUE (bot_id, kind, about),
    CONSTRAINT notices_of_one CHECK (num_nonnulls(event_id, bot_id) = 1),
    CONSTRAINT notices_kind_known CHECK (
        CASE WHEN bot_id IS NULL
        THEN kind IN ('opens', 'last-day', 'frozen', 'final', 'results', 'cancelled')
        ELSE kind IN ('accepted', 'refused', 'failing') END
    )
);
CREATE TABLE webhooks (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pk PRIMARY KEY,
    event_id integer CONSTRAINT webhooks_event_id_fk REFERENCES events,
    owner_id integer CONSTRAINT webhooks_owner_id_fk REFERENCES owners,
    bot_id integer CONSTRAINT webhooks_bot_id_fk REFERENCES bots,
    url text NOT NULL,
    secret text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT webhooks_event_id_url_key UNIQUE (event_id, url),
    CONSTRAINT webhooks_of_one CHECK (num_nonnulls(event_id, owner_id) = 1),
    CONSTRAINT webhooks_bot_owned CHECK (bot_id IS NULL OR owner_id IS NOT NULL),
    CONSTRAINT webhooks_url_allowed CHECK (url ~ '^https?://' AND char_length(url) <= 1000)
);
CREATE UNIQUE INDEX webhooks_owner_key ON webhooks (owner_id, coalesce(bot_id, 0), url);
CREATE TABLE deliveries (
    notice_id integer CONSTRAINT deliveries_notice_id_fk REFERENCES notices,
    webhook_id integer CONSTRAINT deliveries_webhook_id_fk REFERENCES webhooks ON DELETE CASCADE,
    tries smallint NOT NULL DEFAULT 0,
    due_at timestamptz DEFAULT now(),
    delivered_at timestamptz,
    failure text NOT NULL DEFAULT '',
    CONSTRAINT deliveries_pk PRIMARY KEY (notice_id, webhook_id),
    CONSTRAINT deliveries_over CHECK (delivered_at IS NULL OR due_at IS NULL)
);
CREATE INDEX deliveries_due_ix ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_webhook_ix ON deliveries (webhook_id);
"""
_MOVE = """
INSERT INTO notices (id, event_id, kind, text, data, at) OVERRIDING SYSTEM VALUE
    SELECT notice.id, event_id, kind, title || ': ' || kind || '.',
        jsonb_build_object('event', name, 'title', title), at
    FROM event_notices AS notice JOIN events ON events.id = event_id;
INSERT INTO webhooks (id, event_id, url, secret, created_at) OVERRIDING SYSTEM VALUE
    SELECT id, event_id, url, secret, created_at FROM event_webhooks;
INSERT INTO deliveries SELECT * FROM event_deliveries;
SELECT setval(pg_get_serial_sequence('notices', 'id'), coalesce(max(id), 0) + 1, false)
    FROM notices;
SELECT setval(pg_get_serial_sequence('webhooks', 'id'), coalesce(max(id), 0) + 1, false)
    FROM webhooks;
DROP TABLE event_deliveries, event_webhooks, event_notices;
"""
_VIEWS = """
CREATE VIEW event_notices AS
    SELECT id, event_id, kind, at FROM notices WHERE event_id IS NOT NULL;
CREATE VIEW event_webhooks AS
    SELECT id, event_id, url, secret, created_at FROM webhooks WHERE event_id IS NOT NULL;
CREATE VIEW event_deliveries AS
    SELECT * FROM deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE event_id IS NOT NULL);
GRANT SELECT ON event_notices TO arena_reader;
"""
_PUBLIC = """
ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
CREATE POLICY notices_public ON notices FOR SELECT TO arena_reader
    USING (event_id IS NOT NULL OR kind = 'accepted');
GRANT SELECT ON notices TO arena_reader;
"""


def upgrade() -> None:
    """Make the tables and move what there is.

    Why a build was refused is for its owner alone, so the reader role sees no such row.
    """
    for statements in (_TABLES, _MOVE, _VIEWS, _PUBLIC):
        op.execute(statements)
