"""Events that admit connected bots: a freeze fixes their versions, as there is no build."""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

_TABLES = """
ALTER TABLE events ADD COLUMN connected boolean NOT NULL DEFAULT false;
ALTER TABLE events ADD CONSTRAINT events_connected_live CHECK (NOT connected OR live);
ALTER TABLE event_builds
    ALTER COLUMN build_id DROP NOT NULL,
    ALTER COLUMN sha256 DROP NOT NULL,
    ADD CONSTRAINT event_builds_hashed CHECK ((build_id IS NULL) = (sha256 IS NULL)),
    DROP CONSTRAINT event_builds_version_id_fk,
    ADD CONSTRAINT event_builds_version_id_fk FOREIGN KEY (version_id) REFERENCES versions;
"""

# As before, and then what changes of connected bots: by the times of their versions, so nothing
# that registers or retires one needs to freeze first.
_FREEZING = """
CREATE OR REPLACE FUNCTION freeze_due_events() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    due integer;
BEGIN
    PERFORM pg_advisory_xact_lock(7236407);
    FOR due IN
        SELECT id FROM events
        WHERE released_at IS NULL AND cancelled_at IS NULL AND frozen_at IS NULL
            AND freezes_at <= clock_timestamp()
        ORDER BY id FOR UPDATE
    LOOP
        INSERT INTO event_builds (event_id, bot_id, version_id, build_id, sha256)
        SELECT due, entry.bot_id, hosted.version_id, builds.id, builds.sha256
        FROM event_entries AS entry
            JOIN hosted_bots ON hosted_bots.bot_id = entry.bot_id
            JOIN hosted_versions AS hosted ON hosted.version_id = hosted_bots.version_id
            JOIN builds ON builds.id = hosted.build_id
            JOIN versions ON versions.id = hosted.version_id
            JOIN bots ON bots.id = entry.bot_id
            JOIN owners ON owners.id = bots.owner_id
        WHERE entry.event_id = due AND bots.retired_at IS NULL AND versions.retired_at IS NULL
            AND owners.banned_at IS NULL;
        INSERT INTO event_builds (event_id, bot_id, version_id)
        SELECT DISTINCT ON (entry.bot_id) due, entry.bot_id, versions.id
        FROM event_entries AS entry
            JOIN events ON events.id = entry.event_id AND events.connected
            JOIN bots ON bots.id = entry.bot_id
            JOIN owners ON owners.id = bots.owner_id
            JOIN versions ON versions.bot_id = entry.bot_id
        WHERE entry.event_id = due AND bots.retired_at IS NULL AND owners.banned_at IS NULL
            AND versions.created_at <= events.freezes_at
            AND (versions.retired_at IS NULL OR versions.retired_at > events.freezes_at)
            AND NOT EXISTS (
                SELECT FROM hosted_versions AS hosted WHERE hosted.version_id = versions.id
            )
            AND NOT EXISTS (SELECT FROM hosted_bots WHERE hosted_bots.bot_id = entry.bot_id)
        ORDER BY entry.bot_id, versions.id DESC;
        UPDATE events SET frozen_at = clock_timestamp() WHERE id = due;
        PERFORM pg_notify('arena_events', due::text);
    END LOOP;
END
$$;
"""


def upgrade() -> None:
    """Let versions without a build be entered, and fix them with the builds."""
    op.execute(_TABLES)
    connection = op.get_bind()
    connection.exec_driver_sql(_FREEZING, execution_options={"no_parameters": True})
