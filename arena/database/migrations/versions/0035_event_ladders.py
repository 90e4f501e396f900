"""Ladders of events, apart from the public one; and events that their members alone see."""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_TABLES = """
ALTER TABLE events ADD private boolean NOT NULL DEFAULT false;
ALTER TABLE events DROP CONSTRAINT events_released_as_a_whole;
ALTER TABLE events ADD CONSTRAINT events_released_as_a_whole CHECK (
    (released_at IS NOT NULL) = (seed IS NOT NULL)
    AND (private OR released_at IS NULL OR tournament_id IS NOT NULL)
    AND NOT (private AND tournament_id IS NOT NULL)
    AND (released_at IS NULL OR released_at >= results_at)
);
ALTER TABLE event_blocks ADD match_ids uuid[] NOT NULL DEFAULT '{}';

CREATE TABLE event_ladders (
    event_id integer CONSTRAINT event_ladders_pk PRIMARY KEY
        CONSTRAINT event_ladders_event_id_fk REFERENCES events,
    house text[] NOT NULL,
    pace integer NOT NULL,
    enough integer NOT NULL,
    queued integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_ladders_limits CHECK (pace >= 1 AND enough >= 1)
);

CREATE TABLE event_players (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT event_players_pk PRIMARY KEY,
    event_id integer NOT NULL CONSTRAINT event_players_event_id_fk REFERENCES events,
    version_id integer CONSTRAINT event_players_version_id_fk
        REFERENCES hosted_versions (version_id),
    house text,
    blocks integer NOT NULL DEFAULT 0,
    CONSTRAINT event_players_one CHECK ((version_id IS NULL) <> (house IS NULL)),
    CONSTRAINT event_players_event_id_version_id_key UNIQUE (event_id, version_id),
    CONSTRAINT event_players_event_id_house_key UNIQUE (event_id, house)
);

CREATE TABLE event_ladder_blocks (
    event_id integer CONSTRAINT event_ladder_blocks_event_id_fk REFERENCES events,
    number integer,
    players integer[] NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    failure text NOT NULL DEFAULT '',
    match_ids uuid[] NOT NULL,
    placings smallint[],
    CONSTRAINT event_ladder_blocks_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_blocks_placed CHECK (placings IS NULL OR ended_at IS NOT NULL)
);
CREATE INDEX event_ladder_blocks_players_ix ON event_ladder_blocks USING gin (players);
CREATE INDEX event_ladder_blocks_matches_ix ON event_ladder_blocks USING gin (match_ids);

CREATE TABLE event_ladder_secrets (
    event_id integer,
    number integer,
    seed bytea NOT NULL,
    CONSTRAINT event_ladder_secrets_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_secrets_block_fk FOREIGN KEY (event_id, number)
        REFERENCES event_ladder_blocks,
    CONSTRAINT event_ladder_secrets_length CHECK (octet_length(seed) = 32)
);

CREATE TABLE event_ladder_transcripts (
    event_id integer,
    number integer,
    transcripts bytea[] NOT NULL,
    CONSTRAINT event_ladder_transcripts_pk PRIMARY KEY (event_id, number),
    CONSTRAINT event_ladder_transcripts_block_fk FOREIGN KEY (event_id, number)
        REFERENCES event_ladder_blocks
);
"""

# The database itself hides private events from the reader role, whoever asks. `arena.viewer` is the
# id of the owner for whom a statement is run; a release of a private final opens its tables to its
# members alone.
_PRIVACY = """
CREATE FUNCTION is_event_member(event integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
    SELECT EXISTS (
        SELECT FROM event_entries AS entry
        WHERE entry.event_id = event
            AND entry.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    ) OR EXISTS (
        SELECT FROM event_people AS person
        WHERE person.event_id = event
            AND person.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    )
$$;
CREATE FUNCTION plays_privately(bot integer) RETURNS boolean
LANGUAGE sql STABLE SET search_path = public AS $$
    SELECT EXISTS (
        SELECT FROM events JOIN bots ON bots.id = bot
        WHERE events.private AND events.released_at IS NULL AND events.cancelled_at IS NULL
            AND (
                EXISTS (
                    SELECT FROM event_entries AS entry
                    WHERE entry.event_id = events.id AND entry.bot_id = bots.id
                ) OR EXISTS (
                    SELECT FROM event_people AS person
                    WHERE person.event_id = events.id AND person.owner_id = bots.owner_id
                )
            )
    )
$$;
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY events_seen ON events FOR SELECT TO arena_reader
    USING (NOT private OR is_event_member(id));
"""
# The view is for referees of the release before, which know no private events.
_NOTICES = """
DROP POLICY notices_public ON notices;
CREATE POLICY notices_public ON notices FOR SELECT TO arena_reader
    USING (
        EXISTS (SELECT FROM events WHERE events.id = event_id)
        OR event_id IS NULL AND kind = 'accepted'
    );
CREATE OR REPLACE VIEW event_notices AS
    SELECT notices.id, event_id, kind, at FROM notices JOIN events ON events.id = event_id
    WHERE NOT events.private;
"""
_BY_EVENT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY {table}_seen ON {table} FOR SELECT TO arena_reader
    USING (EXISTS (SELECT FROM events WHERE events.id = event_id));
GRANT SELECT ON {table} TO arena_reader;
"""
# A new build of an entered bot, or one that is back in service, is played at once.
_TOLD = """
CREATE FUNCTION tell_events_of(bot integer) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('arena_events', entry.event_id::text)
    FROM event_entries AS entry
        JOIN event_ladders USING (event_id)
        JOIN events ON events.id = entry.event_id
    WHERE entry.bot_id = bot AND events.released_at IS NULL AND events.cancelled_at IS NULL
$$;
CREATE FUNCTION hosted_bot_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_events_of(NEW.bot_id);
    RETURN NULL;
END
$$;
CREATE FUNCTION bot_service_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_events_of(NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER hosted_bots_told AFTER INSERT OR UPDATE OF version_id ON hosted_bots
    FOR EACH ROW EXECUTE FUNCTION hosted_bot_changed();
CREATE TRIGGER bots_told AFTER UPDATE OF paused_at, frozen_at, retired_at ON bots
    FOR EACH ROW EXECUTE FUNCTION bot_service_changed();
CREATE INDEX event_entries_bot_id_ix ON event_entries (bot_id);
"""
_RELEASED = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY {table}_seen ON {table} FOR SELECT TO arena_reader
    USING (EXISTS (
        SELECT FROM events
        WHERE events.id = event_id AND events.private AND events.released_at IS NOT NULL
    ));
GRANT SELECT ON {table} TO arena_reader;
"""
_SEEN_WITH_THE_EVENT = (
    "event_entries",
    "event_builds",
    "event_ladders",
    "event_players",
    "event_ladder_blocks",
    "event_ladder_transcripts",
)
_SEEN_ONCE_RELEASED = ("event_pairings", "event_blocks")


def upgrade() -> None:
    """Create the tables, and hide from the reader role what it must not see."""
    op.execute(_TABLES)
    op.execute(_PRIVACY)
    op.execute(_NOTICES)
    op.execute(_TOLD)
    for table in _SEEN_WITH_THE_EVENT:
        op.execute(_BY_EVENT.format(table=table))
    for table in _SEEN_ONCE_RELEASED:
        op.execute(_RELEASED.format(table=table))
