CREATE TABLE blocks (
    id uuid CONSTRAINT blocks_pk PRIMARY KEY,
    kind text NOT NULL,
    size smallint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    voided_at timestamptz,
    closed_at timestamptz,
    rated boolean NOT NULL DEFAULT true,
    epoch bigint,
    CONSTRAINT blocks_kind_known CHECK (kind IN ('seat', 'deal')),
    CONSTRAINT blocks_size_positive CHECK (size >= 1),
    CONSTRAINT blocks_closed_or_void CHECK (voided_at IS NULL OR closed_at IS NULL)
);
CREATE INDEX blocks_unfinished_ix ON blocks (id)
    WHERE closed_at IS NULL AND voided_at IS NULL;

CREATE TABLE voidings (
    block_id uuid CONSTRAINT voidings_pk PRIMARY KEY
        CONSTRAINT voidings_block_id_fk REFERENCES blocks,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER voidings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON voidings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
    turn_ms integer NOT NULL,
    bank_ms integer NOT NULL,
    CONSTRAINT matches_options_object CHECK (jsonb_typeof(options) = 'object'),
    CONSTRAINT matches_seat_count_least CHECK (seat_count >= 2),
    CONSTRAINT matches_time_least CHECK (turn_ms >= 0 AND bank_ms >= 0),
    CONSTRAINT matches_position_least CHECK (position >= 0),
    CONSTRAINT matches_termination_known CHECK (termination IN ('finished', 'forfeit')),
    CONSTRAINT matches_times_ordered CHECK (finished_at >= started_at),
    CONSTRAINT matches_block_id_position_key UNIQUE (block_id, position)
);
CREATE UNIQUE INDEX matches_newest_ix ON matches (finished_at, id);
CREATE INDEX matches_game_ix ON matches (game, finished_at, id);
CREATE INDEX matches_seats_ix ON matches (seat_count, finished_at, id);
CREATE TRIGGER matches_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON matches
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE match_seats (
    match_id uuid,
    seat smallint,
    version_id integer NOT NULL CONSTRAINT match_seats_version_id_fk REFERENCES versions,
    "placing" smallint NOT NULL,
    score integer,
    faults integer NOT NULL,
    forfeited boolean NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT match_seats_pk PRIMARY KEY (match_id, seat),
    CONSTRAINT match_seats_match_id_fk FOREIGN KEY (match_id, finished_at)
        REFERENCES matches (id, finished_at),
    CONSTRAINT match_seats_seat_least CHECK (seat >= 0),
    CONSTRAINT match_seats_placing_least CHECK ("placing" >= 1),
    CONSTRAINT match_seats_faults_least CHECK (faults >= 0)
);
CREATE INDEX match_seats_version_ix ON match_seats (version_id, finished_at, match_id);
CREATE INDEX match_seats_faulty_version_ix ON match_seats (version_id, finished_at, match_id)
    WHERE faults > 0;
CREATE INDEX match_seats_faulty_ix ON match_seats (finished_at, match_id) WHERE faults > 0;
CREATE TRIGGER match_seats_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON match_seats
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Runs once per statement: one statement records a whole batch. A version may have several seats of
-- a match. In the order of the versions, as rows are locked.
CREATE FUNCTION count_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO version_counts AS counts (version_id, matches, faults)
    SELECT version_id, count(DISTINCT match_id), sum(faults) FROM added
    GROUP BY version_id ORDER BY version_id
    ON CONFLICT (version_id) DO UPDATE
    SET matches = counts.matches + EXCLUDED.matches, faults = counts.faults + EXCLUDED.faults;
    RETURN NULL;
END
$$;
CREATE TRIGGER match_seats_counted AFTER INSERT ON match_seats
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_seats();

-- What the policy does not keep may be removed, but not changed.
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM policy, matches
        WHERE matches.id = OLD.match_id
            AND matches.finished_at < now() - make_interval(days => policy.transcript_days)
            AND NOT EXISTS (
                SELECT FROM tournament_blocks WHERE tournament_blocks.block_id = matches.block_id
            )
    ) THEN
        RAISE EXCEPTION 'Results are only ever added: % of % refused.', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;

CREATE TABLE transcripts (
    match_id uuid CONSTRAINT transcripts_pk PRIMARY KEY
        CONSTRAINT transcripts_match_id_fk REFERENCES matches,
    format smallint NOT NULL,
    sha256 bytea NOT NULL,
    data bytea NOT NULL,
    CONSTRAINT transcripts_sha256_length CHECK (octet_length(sha256) = 32)
);
ALTER TABLE transcripts ALTER data SET STORAGE EXTERNAL;
CREATE TRIGGER transcripts_append_only BEFORE UPDATE OR TRUNCATE ON transcripts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transcripts_kept BEFORE DELETE ON transcripts
    FOR EACH ROW EXECUTE FUNCTION refuse_removal();

CREATE TABLE transcript_removals (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT transcript_removals_pk PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    until timestamptz NOT NULL,
    matches bigint NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT transcript_removals_matches_least CHECK (matches >= 0)
);
CREATE INDEX transcript_removals_until_ix ON transcript_removals (until);

CREATE TABLE match_faults (
    match_id uuid CONSTRAINT match_faults_match_id_fk REFERENCES matches,
    turn integer,
    reason text NOT NULL,
    sent jsonb,
    CONSTRAINT match_faults_pk PRIMARY KEY (match_id, turn),
    CONSTRAINT match_faults_turn_least CHECK (turn >= 1)
);
CREATE TRIGGER match_faults_append_only BEFORE UPDATE OR TRUNCATE ON match_faults
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER match_faults_kept BEFORE DELETE ON match_faults
    FOR EACH ROW EXECUTE FUNCTION refuse_removal();

CREATE TABLE rating_events (
    sequence bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT rating_events_pk PRIMARY KEY,
    match_id uuid NOT NULL CONSTRAINT rating_events_match_id_key UNIQUE
        CONSTRAINT rating_events_match_id_fk REFERENCES matches
);
CREATE TRIGGER rating_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rating_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Computed from transcripts: it may be deleted to be computed again, but not altered.
CREATE TABLE match_luck (
    match_id uuid CONSTRAINT match_luck_pk PRIMARY KEY
        CONSTRAINT match_luck_match_id_fk REFERENCES matches,
    table_file text NOT NULL,
    table_sha256 bytea NOT NULL,
    luck double precision[] NOT NULL,
    CONSTRAINT match_luck_table_sha256_length CHECK (octet_length(table_sha256) = 32),
    CONSTRAINT match_luck_luck_by_seat CHECK (array_ndims(luck) = 1),
    CONSTRAINT match_luck_luck_finite
        CHECK (('Infinity' > ALL (luck) AND '-Infinity' < ALL (luck)) IS TRUE)
);
CREATE TRIGGER match_luck_never_changed BEFORE UPDATE ON match_luck
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Runs once per statement: one statement records a whole batch, whose matches exist by then.
CREATE FUNCTION refuse_luck_of_other_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added JOIN matches ON matches.id = added.match_id
        WHERE cardinality(added.luck) <> matches.seat_count
    ) THEN
        RAISE EXCEPTION 'The luck of a match is one number for each of its seats.'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER match_luck_one_for_each_seat AFTER INSERT ON match_luck
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_luck_of_other_seats();

GRANT SELECT ON blocks, voidings, matches, match_seats, transcripts, transcript_removals,
    match_faults, rating_events, match_luck TO arena_reader;
