"""A table of the fault messages that bots were sent."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE match_faults (
    match_id uuid CONSTRAINT match_faults_match_id_fk REFERENCES matches,
    turn integer,
    reason text NOT NULL,
    sent jsonb,
    CONSTRAINT match_faults_pk PRIMARY KEY (match_id, turn),
    CONSTRAINT match_faults_turn_least CHECK (turn >= 1)
);
CREATE TRIGGER match_faults_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON match_faults
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON match_faults TO arena_reader;
"""


def upgrade() -> None:
    """Create an empty table: of earlier faults only the kinds are known."""
    op.execute(_TABLE)
