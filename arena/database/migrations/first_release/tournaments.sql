CREATE TABLE tournaments (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT tournaments_pk PRIMARY KEY,
    name text NOT NULL,
    format text NOT NULL,
    game text NOT NULL,
    options jsonb NOT NULL,
    seat_count smallint NOT NULL,
    blocks smallint NOT NULL,
    rounds smallint,
    groups smallint,
    advance smallint,
    score text NOT NULL,
    seed text NOT NULL,
    rated boolean NOT NULL,
    state text NOT NULL DEFAULT 'created',
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz,
    turn_ms integer NOT NULL,
    bank_ms integer NOT NULL,
    conductor bigint,
    conducted boolean NOT NULL DEFAULT true,
    patience_s integer NOT NULL DEFAULT 600,
    CONSTRAINT tournaments_patience_least CHECK (patience_s >= 1),
    CONSTRAINT tournaments_name_allowed CHECK (name ~ '^[A-Za-z0-9._-]{1,40}$'),
    CONSTRAINT tournaments_format_known
        CHECK (format IN ('round-robin', 'swiss', 'knockout', 'gauntlet', 'groups')),
    CONSTRAINT tournaments_options_object CHECK (jsonb_typeof(options) = 'object'),
    CONSTRAINT tournaments_seat_count_least CHECK (seat_count >= 2),
    CONSTRAINT tournaments_time_least CHECK (turn_ms >= 0 AND bank_ms >= 0),
    CONSTRAINT tournaments_blocks_least CHECK (blocks >= 1),
    CONSTRAINT tournaments_rounds_least CHECK (rounds >= 1),
    CONSTRAINT tournaments_groups_least CHECK (groups >= 1 AND advance >= 1),
    CONSTRAINT tournaments_score_known CHECK (score IN ('placement', 'winner')),
    CONSTRAINT tournaments_state_known
        CHECK (state IN ('created', 'running', 'paused', 'finished', 'cancelled')),
    CONSTRAINT tournaments_ended_when_over
        CHECK ((state IN ('finished', 'cancelled')) = (ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX tournaments_name_key ON tournaments (lower(name));

CREATE TABLE tournament_entries (
    tournament_id integer CONSTRAINT tournament_entries_tournament_id_fk REFERENCES tournaments,
    number smallint,
    version_id integer NOT NULL CONSTRAINT tournament_entries_version_id_fk REFERENCES versions,
    elo double precision,
    withdrawn_at timestamptz,
    waited_s double precision NOT NULL DEFAULT 0,
    absence text NOT NULL DEFAULT '',
    CONSTRAINT tournament_entries_pk PRIMARY KEY (tournament_id, number),
    CONSTRAINT tournament_entries_waited_least CHECK (waited_s >= 0),
    CONSTRAINT tournament_entries_number_least CHECK (number >= 1),
    CONSTRAINT tournament_entries_tournament_id_version_id_key UNIQUE (tournament_id, version_id)
);

CREATE TABLE tournament_pairings (
    tournament_id integer CONSTRAINT tournament_pairings_tournament_id_fk REFERENCES tournaments,
    round smallint,
    "table" smallint,
    entries smallint[] NOT NULL,
    absent smallint[] NOT NULL DEFAULT '{}',
    CONSTRAINT tournament_pairings_pk PRIMARY KEY (tournament_id, round, "table"),
    CONSTRAINT tournament_pairings_counted_from_one CHECK (round >= 1 AND "table" >= 1),
    CONSTRAINT tournament_pairings_entries_least CHECK (cardinality(entries) >= 1)
);

CREATE TABLE tournament_blocks (
    block_id uuid CONSTRAINT tournament_blocks_pk PRIMARY KEY
        CONSTRAINT tournament_blocks_block_id_fk REFERENCES blocks,
    tournament_id integer NOT NULL,
    round smallint NOT NULL,
    "table" smallint NOT NULL,
    CONSTRAINT tournament_blocks_pairing_fk FOREIGN KEY (tournament_id, round, "table")
        REFERENCES tournament_pairings
);
CREATE INDEX tournament_blocks_pairing_ix ON tournament_blocks (tournament_id, round, "table");

GRANT SELECT ON tournaments, tournament_entries, tournament_pairings, tournament_blocks
    TO arena_reader;
