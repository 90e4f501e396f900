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
-- Why a build was refused is for its owner alone.
ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
CREATE POLICY notices_public ON notices FOR SELECT TO arena_reader
    USING (
        EXISTS (SELECT FROM events WHERE events.id = event_id)
        OR event_id IS NULL AND kind = 'accepted'
    );
GRANT SELECT ON notices TO arena_reader;

CREATE TABLE webhooks (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pk PRIMARY KEY,
    event_id integer CONSTRAINT webhooks_event_id_fk REFERENCES events,
    owner_id integer CONSTRAINT webhooks_owner_id_fk REFERENCES owners,
    bot_id integer CONSTRAINT webhooks_bot_id_fk REFERENCES bots,
    url text NOT NULL,
    secret text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    public_only boolean NOT NULL DEFAULT false,
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

-- Older names of these tables, which the arena itself does not use.
CREATE VIEW event_notices AS
    SELECT id, event_id, kind, at FROM notices
    WHERE event_id IN (SELECT id FROM events WHERE NOT private);
CREATE VIEW event_webhooks AS
    SELECT id, event_id, url, secret, created_at FROM webhooks WHERE event_id IS NOT NULL;
CREATE VIEW event_deliveries AS
    SELECT * FROM deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE event_id IS NOT NULL);
GRANT SELECT ON event_notices TO arena_reader;
