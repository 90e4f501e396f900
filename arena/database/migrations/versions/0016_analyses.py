"""Tables of analyses of matches, and of what decisions cost by version."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE match_analyses (
    match_id uuid CONSTRAINT match_analyses_pk PRIMARY KEY
        CONSTRAINT match_analyses_match_id_fk REFERENCES matches,
    edition text NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE match_analyses ALTER COLUMN data SET STORAGE EXTERNAL;
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
    CONSTRAINT version_losses_pk PRIMARY KEY
        (version_id, game, options, seat_count, turn_ms, bank_ms, edition),
    CONSTRAINT version_losses_matches_least CHECK (matches >= 1),
    CONSTRAINT version_losses_decisions_least CHECK (decisions >= matches),
    CONSTRAINT version_losses_loss_least CHECK (loss >= 0)
) WITH (fillfactor = 50);
CREATE INDEX version_losses_ladder_ix ON version_losses (game, options, seat_count);
GRANT SELECT ON match_analyses, version_losses TO arena_reader;
"""


def upgrade() -> None:
    """Create two tables, which stay empty until `arena analyse --missing` fills them."""
    op.execute(_TABLES)
