"""The luck of matches."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE match_luck (
    match_id uuid CONSTRAINT match_luck_pk PRIMARY KEY
        CONSTRAINT match_luck_match_id_fk REFERENCES matches,
    table_file text NOT NULL,
    table_sha256 bytea NOT NULL,
    luck double precision[] NOT NULL,
    CONSTRAINT match_luck_table_sha256_length CHECK (octet_length(table_sha256) = 32),
    CONSTRAINT match_luck_luck_by_seat CHECK (cardinality(luck) >= 2)
);
"""

# It is computed from transcripts: it may be thrown away to be computed again, but not altered.
_NEVER_CHANGED = """
CREATE TRIGGER match_luck_never_changed BEFORE UPDATE ON match_luck
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""


def upgrade() -> None:
    """A table beside the results. Matches that are there have no luck until it is asked for."""
    op.execute(_TABLES)
    op.execute(_NEVER_CHANGED)
    op.execute("GRANT SELECT ON match_luck TO arena_reader")
