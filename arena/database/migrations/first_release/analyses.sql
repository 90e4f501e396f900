CREATE TABLE match_analyses (
    match_id uuid CONSTRAINT match_analyses_pk PRIMARY KEY
        CONSTRAINT match_analyses_match_id_fk REFERENCES matches,
    edition text NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE match_analyses ALTER data SET STORAGE EXTERNAL;

-- Each analysis updates its row: half of a page is left for that.
CREATE TABLE version_losses (
    version_id integer CONSTRAINT version_losses_version_id_fk REFERENCES versions,
    game text,
    options jsonb,
    seat_count smallint,
    turn_ms integer,
    bank_ms integer,
    edition text,
    matches bigint NOT NULL,
    decisions bigint NOT NULL,
    loss double precision NOT NULL,
    decisions_squares bigint NOT NULL,
    loss_squares double precision NOT NULL,
    products double precision NOT NULL,
    CONSTRAINT version_losses_pk
        PRIMARY KEY (version_id, game, options, seat_count, turn_ms, bank_ms, edition),
    CONSTRAINT version_losses_matches_least CHECK (matches >= 1),
    CONSTRAINT version_losses_decisions_least CHECK (decisions >= matches),
    CONSTRAINT version_losses_loss_least CHECK (loss >= 0)
) WITH (fillfactor = 50);
CREATE INDEX version_losses_ladder_ix ON version_losses (game, options, seat_count);

CREATE TABLE version_benchmarks (
    version_id integer CONSTRAINT version_benchmarks_version_id_fk REFERENCES versions,
    game text,
    matches integer NOT NULL,
    share double precision NOT NULL,
    low double precision NOT NULL,
    high double precision NOT NULL,
    measured_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT version_benchmarks_pk PRIMARY KEY (version_id, game),
    CONSTRAINT version_benchmarks_matches_least CHECK (matches >= 1),
    CONSTRAINT version_benchmarks_in_order
        CHECK (0 <= low AND low <= share AND share <= high AND high <= 1)
);

GRANT SELECT ON match_analyses, version_losses, version_benchmarks TO arena_reader;
