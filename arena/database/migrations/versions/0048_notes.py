"""What bots note beside their answers."""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_TABLES = """
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
ALTER TABLE match_notes ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX match_notes_bot_ix ON match_notes (bot_id, number) WHERE data IS NOT NULL;
CREATE TABLE bot_notes (
    bot_id integer CONSTRAINT bot_notes_pk PRIMARY KEY
        CONSTRAINT bot_notes_bot_id_fk REFERENCES bots,
    bytes bigint NOT NULL,
    CONSTRAINT bot_notes_bytes_least CHECK (bytes >= 0)
);
GRANT SELECT (match_id, seat, bot_id, number, measured, input_tokens, output_tokens,
              cost_microusd, latency_ms)
    ON match_notes TO arena_reader;
ALTER TABLE bots ADD shares_notes boolean NOT NULL DEFAULT false;
ALTER TABLE running_replies ADD notes bytea;
"""


def upgrade() -> None:
    """Create the tables, and let running matches keep notes. At first owners alone see them."""
    op.execute(_TABLES)
