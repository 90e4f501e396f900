CREATE TABLE match_notes (
    match_id uuid CONSTRAINT match_notes_match_id_fk REFERENCES matches,
    seat smallint,
    bot_id integer NOT NULL CONSTRAINT match_notes_bot_id_fk REFERENCES bots,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    measured integer NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_microusd bigint NOT NULL,
    latency_ms bigint NOT NULL,
    data bytea,
    CONSTRAINT match_notes_pk PRIMARY KEY (match_id, seat),
    CONSTRAINT match_notes_measured_least CHECK (measured >= 0)
);
ALTER TABLE match_notes ALTER data SET STORAGE EXTERNAL;
CREATE INDEX match_notes_bot_ix ON match_notes (bot_id, number) WHERE data IS NOT NULL;
-- Not `data`: by default owners alone see notes.
GRANT SELECT (match_id, seat, bot_id, number, measured, input_tokens, output_tokens,
              cost_microusd, latency_ms)
    ON match_notes TO arena_reader;

CREATE TABLE bot_notes (
    bot_id integer CONSTRAINT bot_notes_pk PRIMARY KEY
        CONSTRAINT bot_notes_bot_id_fk REFERENCES bots,
    bytes bigint NOT NULL,
    CONSTRAINT bot_notes_bytes_least CHECK (bytes >= 0)
);
