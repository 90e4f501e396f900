"""Tables of bots and results."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE owners (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT owners_pk PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owners_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$')
);
CREATE UNIQUE INDEX owners_name_key ON owners (lower(name));

CREATE TABLE bots (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT bots_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT bots_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    house boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    CONSTRAINT bots_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$')
);
CREATE UNIQUE INDEX bots_name_key ON bots (lower(name));
CREATE INDEX bots_owner_id_ix ON bots (owner_id);

CREATE TABLE versions (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT versions_pk PRIMARY KEY,
    bot_id integer NOT NULL CONSTRAINT versions_bot_id_fk REFERENCES bots,
    label text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    CONSTRAINT versions_label_allowed CHECK (label ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT versions_bot_id_label_key UNIQUE (bot_id, label)
);

CREATE TABLE tokens (
    version_id integer CONSTRAINT tokens_pk PRIMARY KEY
        CONSTRAINT tokens_version_id_fk REFERENCES versions,
    sha256 bytea NOT NULL CONSTRAINT tokens_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tokens_sha256_length CHECK (octet_length(sha256) = 32)
);

CREATE TABLE blocks (
    id uuid CONSTRAINT blocks_pk PRIMARY KEY,
    kind text NOT NULL,
    size smallint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    voided_at timestamptz,
    closed_at timestamptz,
    CONSTRAINT blocks_kind_known CHECK (kind IN ('seat', 'deal')),
    CONSTRAINT blocks_size_positive CHECK (size >= 1),
    CONSTRAINT blocks_closed_or_void CHECK (voided_at IS NULL OR closed_at IS NULL)
);
CREATE INDEX blocks_unfinished_ix ON blocks (id)
    WHERE closed_at IS NULL AND voided_at IS NULL;

CREATE TABLE matches (
    id uuid CONSTRAINT matches_pk PRIMARY KEY,
    game text NOT NULL,
    options jsonb NOT NULL,
    seat_count smallint NOT NULL,
    block_id uuid NOT NULL CONSTRAINT matches_block_id_fk REFERENCES blocks,
    position smallint NOT NULL,
    termination text NOT NULL,
    decided_by_faults boolean NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT matches_options_object CHECK (jsonb_typeof(options) = 'object'),
    CONSTRAINT matches_seat_count_least CHECK (seat_count >= 2),
    CONSTRAINT matches_position_least CHECK (position >= 0),
    CONSTRAINT matches_termination_known CHECK (termination IN ('finished', 'forfeit')),
    CONSTRAINT matches_times_ordered CHECK (finished_at >= started_at),
    CONSTRAINT matches_block_id_position_key UNIQUE (block_id, position)
);
CREATE INDEX matches_newest_ix ON matches (finished_at, id);
CREATE INDEX matches_ladder_ix ON matches (game, options, seat_count, finished_at);

CREATE TABLE match_seats (
    match_id uuid NOT NULL CONSTRAINT match_seats_match_id_fk REFERENCES matches,
    seat smallint NOT NULL,
    version_id integer NOT NULL CONSTRAINT match_seats_version_id_fk REFERENCES versions,
    "placing" smallint NOT NULL,
    score integer,
    faults integer NOT NULL,
    forfeited boolean NOT NULL,
    CONSTRAINT match_seats_pk PRIMARY KEY (match_id, seat),
    CONSTRAINT match_seats_seat_least CHECK (seat >= 0),
    CONSTRAINT match_seats_placing_least CHECK ("placing" >= 1),
    CONSTRAINT match_seats_faults_least CHECK (faults >= 0)
);
CREATE INDEX match_seats_version_ix ON match_seats (version_id, match_id);

CREATE TABLE transcripts (
    match_id uuid CONSTRAINT transcripts_pk PRIMARY KEY
        CONSTRAINT transcripts_match_id_fk REFERENCES matches,
    format smallint NOT NULL,
    sha256 bytea NOT NULL,
    data bytea NOT NULL,
    CONSTRAINT transcripts_sha256_length CHECK (octet_length(sha256) = 32)
);
ALTER TABLE transcripts ALTER data SET STORAGE EXTERNAL;

CREATE TABLE rating_events (
    sequence bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT rating_events_pk PRIMARY KEY,
    match_id uuid NOT NULL CONSTRAINT rating_events_match_id_key UNIQUE
        CONSTRAINT rating_events_match_id_fk REFERENCES matches
);
"""

_APPEND_ONLY = ("matches", "match_seats", "transcripts", "rating_events")

_REFUSAL = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Results are only ever added: % of % refused.', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;
"""

_READER = """
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'arena_reader') THEN
        BEGIN
            CREATE ROLE arena_reader NOLOGIN;
            GRANT arena_reader TO CURRENT_USER;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- roles belong to the server: another database's migration made it just now
        END;
    ELSIF NOT pg_has_role('arena_reader', 'MEMBER') THEN
        GRANT arena_reader TO CURRENT_USER;
    END IF;
END
$$;
"""

_READABLE = ("owners", "bots", "versions", "blocks", *_APPEND_ONLY, "alembic_version")


def upgrade() -> None:
    """Create tables, the triggers that protect results from changes, and the reader role."""
    op.execute(_TABLES)
    op.execute(_REFUSAL)
    for table in _APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    op.execute(_READER)
    op.execute(f"GRANT SELECT ON {', '.join(_READABLE)} TO arena_reader")
