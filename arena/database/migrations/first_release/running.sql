-- For referees alone: the reader role sees none of these tables.
CREATE TABLE leases (
    epoch bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT leases_pk PRIMARY KEY,
    process text NOT NULL,
    inherited bigint[] NOT NULL DEFAULT '{}',
    renewals bigint NOT NULL DEFAULT 0,
    taken_at timestamptz NOT NULL DEFAULT now(),
    renewed_at timestamptz NOT NULL DEFAULT now(),
    released_at timestamptz,
    address text,
    matches integer NOT NULL DEFAULT 0,
    load real NOT NULL DEFAULT 0,
    in_use integer NOT NULL DEFAULT 0,
    CONSTRAINT leases_renewals_least CHECK (renewals >= 0)
);

-- Every writer calls it first.
CREATE FUNCTION require_lease(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Names the lease in pg_locks: whoever takes it over ends the transactions under it.
    PERFORM pg_advisory_xact_lock_shared(7236404, wanted::integer);
    PERFORM FROM leases WHERE epoch = wanted FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the lease % was taken over', wanted USING ERRCODE = 'AR001';
    END IF;
END
$$;

CREATE TABLE presence (
    epoch bigint CONSTRAINT presence_epoch_fk REFERENCES leases ON DELETE CASCADE,
    version_id integer CONSTRAINT presence_version_id_fk REFERENCES versions,
    instance text,
    connected boolean NOT NULL,
    places smallint NOT NULL,
    seats smallint NOT NULL,
    games text[] NOT NULL,
    CONSTRAINT presence_pk PRIMARY KEY (epoch, version_id, instance),
    CONSTRAINT presence_counts_least CHECK (places >= 0 AND seats >= 0)
);
CREATE INDEX presence_version_id_ix ON presence (version_id);

CREATE TABLE running_blocks (
    id uuid CONSTRAINT running_blocks_pk PRIMARY KEY,
    epoch bigint NOT NULL CONSTRAINT running_blocks_epoch_fk REFERENCES leases,
    kind text NOT NULL,
    size smallint NOT NULL,
    rated boolean NOT NULL,
    engaged boolean NOT NULL,
    game text NOT NULL,
    options jsonb NOT NULL,
    places jsonb NOT NULL,
    turn_ms integer NOT NULL,
    bank_ms integer NOT NULL,
    CONSTRAINT running_blocks_kind_known CHECK (kind IN ('seat', 'deal')),
    CONSTRAINT running_blocks_size_positive CHECK (size >= 1),
    CONSTRAINT running_blocks_options_object CHECK (jsonb_typeof(options) = 'object'),
    CONSTRAINT running_blocks_places_listed CHECK (jsonb_typeof(places) = 'array'),
    CONSTRAINT running_blocks_time_least CHECK (turn_ms >= 0 AND bank_ms >= 0)
);
CREATE INDEX running_blocks_epoch_ix ON running_blocks (epoch);

CREATE TABLE running_matches (
    id uuid CONSTRAINT running_matches_pk PRIMARY KEY,
    block_id uuid NOT NULL CONSTRAINT running_matches_block_id_fk REFERENCES running_blocks,
    position smallint NOT NULL,
    started_at timestamptz NOT NULL,
    head bytea NOT NULL,
    CONSTRAINT running_matches_position_least CHECK (position >= 0),
    CONSTRAINT running_matches_block_id_position_key UNIQUE (block_id, position)
);

CREATE TABLE running_replies (
    match_id uuid,
    first integer,
    replies bytea NOT NULL,
    notes bytea,
    CONSTRAINT running_replies_pk PRIMARY KEY (match_id, first),
    CONSTRAINT running_replies_first_least CHECK (first >= 0)
);

CREATE TABLE recorded_batches (
    number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT recorded_batches_pk PRIMARY KEY,
    epoch bigint NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    match_ids uuid[] NOT NULL,
    instances jsonb NOT NULL,
    CONSTRAINT recorded_batches_instances_object CHECK (jsonb_typeof(instances) = 'object')
);

CREATE TABLE untold_ends (
    match_id uuid CONSTRAINT untold_ends_match_id_fk REFERENCES matches,
    version_id integer CONSTRAINT untold_ends_version_id_fk REFERENCES versions,
    instance text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT untold_ends_pk PRIMARY KEY (match_id, version_id)
);
CREATE INDEX untold_ends_version_ix ON untold_ends (version_id, instance, since);
