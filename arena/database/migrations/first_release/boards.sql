CREATE TABLE board_checkpoints (
    edition text,
    game text,
    options jsonb,
    seats smallint[],
    score text,
    turn_ms integer,
    bank_ms integer,
    sequence bigint NOT NULL,
    revision bigint NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now(),
    data bytea NOT NULL,
    CONSTRAINT board_checkpoints_pk
        PRIMARY KEY (edition, game, options, seats, score, turn_ms, bank_ms),
    CONSTRAINT board_checkpoints_sequence_least CHECK (sequence >= 1)
);
ALTER TABLE board_checkpoints ALTER data SET STORAGE EXTERNAL;

CREATE TABLE log_revision (
    one boolean DEFAULT true CONSTRAINT log_revision_pk PRIMARY KEY,
    number bigint NOT NULL,
    CONSTRAINT log_revision_only_one CHECK (one)
);
INSERT INTO log_revision (number) VALUES (1);

-- `arena.server.results.luck` calls it, too, for luck that is measured after its match counted.
CREATE FUNCTION advance_log_revision() RETURNS void LANGUAGE sql AS $$
    UPDATE log_revision SET number = number + 1
$$;
CREATE FUNCTION note_log_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM advance_log_revision();
    RETURN NULL;
END
$$;
CREATE TRIGGER voidings_change_the_log AFTER INSERT ON voidings
    FOR EACH STATEMENT EXECUTE FUNCTION note_log_changed();
CREATE TRIGGER match_luck_changes_the_log AFTER DELETE OR TRUNCATE ON match_luck
    FOR EACH STATEMENT EXECUTE FUNCTION note_log_changed();

CREATE TABLE played_ladders (
    game text,
    options jsonb,
    seat_count smallint,
    turn_ms integer,
    bank_ms integer,
    CONSTRAINT played_ladders_pk PRIMARY KEY (game, options, seat_count, turn_ms, bank_ms)
);
CREATE FUNCTION note_ladders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO played_ladders
    SELECT DISTINCT added.game, added.options, added.seat_count, added.turn_ms, added.bank_ms
    FROM added JOIN blocks ON blocks.id = added.block_id
    WHERE blocks.rated
        OR EXISTS (SELECT FROM tournament_blocks of WHERE of.block_id = added.block_id)
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER matches_name_ladders AFTER INSERT ON matches
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_ladders();

GRANT SELECT ON board_checkpoints, log_revision, played_ladders TO arena_reader;
