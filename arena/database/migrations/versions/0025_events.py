"""Events: entries, builds that are fixed at a date, and finals that are blind until released."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE events (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT events_pk PRIMARY KEY,
    name text NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    format text NOT NULL,
    game text NOT NULL,
    options jsonb NOT NULL,
    seat_count smallint NOT NULL,
    blocks smallint NOT NULL,
    rounds smallint,
    score text NOT NULL,
    turn_ms integer NOT NULL,
    bank_ms integer NOT NULL,
    practice boolean NOT NULL,
    opens_at timestamptz NOT NULL,
    freezes_at timestamptz NOT NULL,
    final_at timestamptz NOT NULL,
    results_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    frozen_at timestamptz,
    began_at timestamptz,
    ended_at timestamptz,
    released_at timestamptz,
    cancelled_at timestamptz,
    why_cancelled text NOT NULL DEFAULT '',
    commitment bytea NOT NULL,
    seed bytea,
    needs_code boolean NOT NULL,
    tournament_id integer CONSTRAINT events_tournament_id_fk REFERENCES tournaments
        CONSTRAINT events_tournament_id_key UNIQUE,
    CONSTRAINT events_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT events_title_length CHECK (char_length(title) BETWEEN 1 AND 100),
    CONSTRAINT events_text_length CHECK (char_length(text) <= 20000),
    CONSTRAINT events_dates_ordered
        CHECK (opens_at < freezes_at AND freezes_at <= final_at AND final_at <= results_at),
    CONSTRAINT events_commitment_length CHECK (octet_length(commitment) = 32),
    CONSTRAINT events_seed_committed CHECK (seed IS NULL OR sha256(seed) = commitment),
    CONSTRAINT events_released_as_a_whole CHECK (
        (released_at IS NOT NULL) = (seed IS NOT NULL)
        AND (released_at IS NOT NULL) = (tournament_id IS NOT NULL)
        AND (released_at IS NULL OR released_at >= results_at)
    ),
    CONSTRAINT events_began_frozen CHECK (began_at IS NULL OR frozen_at IS NOT NULL),
    CONSTRAINT events_ended_begun CHECK (ended_at IS NULL OR began_at IS NOT NULL),
    CONSTRAINT events_released_ended CHECK (released_at IS NULL OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX events_name_key ON events (lower(name));
CREATE INDEX events_unfinished_ix ON events (id)
    WHERE released_at IS NULL AND cancelled_at IS NULL;

CREATE TABLE event_secrets (
    event_id integer CONSTRAINT event_secrets_pk PRIMARY KEY
        CONSTRAINT event_secrets_event_id_fk REFERENCES events,
    seed bytea NOT NULL,
    code_sha256 bytea,
    CONSTRAINT event_secrets_seed_length CHECK (octet_length(seed) = 32)
);

CREATE TABLE event_entries (
    event_id integer CONSTRAINT event_entries_event_id_fk REFERENCES events,
    bot_id integer CONSTRAINT event_entries_bot_id_fk REFERENCES bots,
    owner_id integer NOT NULL CONSTRAINT event_entries_owner_id_fk REFERENCES owners,
    team text NOT NULL,
    entered_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_entries_pk PRIMARY KEY (event_id, bot_id),
    CONSTRAINT event_entries_event_id_owner_id_key UNIQUE (event_id, owner_id),
    CONSTRAINT event_entries_team_length CHECK (char_length(team) BETWEEN 1 AND 40)
);

CREATE TABLE event_builds (
    event_id integer CONSTRAINT event_builds_event_id_fk REFERENCES events,
    bot_id integer CONSTRAINT event_builds_bot_id_fk REFERENCES bots,
    version_id integer NOT NULL
        CONSTRAINT event_builds_version_id_fk REFERENCES hosted_versions (version_id),
    build_id integer NOT NULL CONSTRAINT event_builds_build_id_fk REFERENCES builds,
    sha256 bytea NOT NULL,
    withdrawn_at timestamptz,
    CONSTRAINT event_builds_pk PRIMARY KEY (event_id, bot_id),
    CONSTRAINT event_builds_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE INDEX event_builds_build_id_ix ON event_builds (build_id);

CREATE TABLE event_pairings (
    event_id integer CONSTRAINT event_pairings_event_id_fk REFERENCES events,
    round smallint,
    "table" smallint,
    entries smallint[] NOT NULL,
    absent smallint[] NOT NULL DEFAULT '{}',
    reason text NOT NULL DEFAULT '',
    CONSTRAINT event_pairings_pk PRIMARY KEY (event_id, round, "table"),
    CONSTRAINT event_pairings_counted_from_one CHECK (round >= 1 AND "table" >= 1),
    CONSTRAINT event_pairings_entries_least CHECK (cardinality(entries) >= 1)
);

CREATE TABLE event_blocks (
    event_id integer,
    round smallint,
    "table" smallint,
    number smallint,
    transcripts bytea[] NOT NULL,
    started_at timestamptz[] NOT NULL,
    finished_at timestamptz[] NOT NULL,
    placings smallint[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_blocks_pk PRIMARY KEY (event_id, round, "table", number),
    CONSTRAINT event_blocks_pairing_fk FOREIGN KEY (event_id, round, "table")
        REFERENCES event_pairings (event_id, round, "table"),
    CONSTRAINT event_blocks_number_least CHECK (number >= 1)
);
GRANT SELECT ON events, event_entries, event_builds TO arena_reader;
"""

# Whatever changes a build first freezes what is due, so that a freeze is exact to the moment, even
# if no referee ran then. The lock makes it wait for changes that came before the date.
_FREEZING = """
CREATE FUNCTION freeze_due_events() RETURNS void LANGUAGE plpgsql AS $$
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
        UPDATE events SET frozen_at = clock_timestamp() WHERE id = due;
        PERFORM pg_notify('arena_events', due::text);
    END LOOP;
END
$$;
CREATE FUNCTION freeze_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM freeze_due_events();
    RETURN NULL;
END
$$;
CREATE TRIGGER hosted_bots_freeze_first BEFORE INSERT OR UPDATE OR DELETE ON hosted_bots
    FOR EACH STATEMENT EXECUTE FUNCTION freeze_first();
"""


def upgrade() -> None:
    """Create the tables. What a final draws and plays is hidden from the reader role."""
    op.execute(_TABLES)
    connection = op.get_bind()
    connection.exec_driver_sql(_FREEZING, execution_options={"no_parameters": True})
