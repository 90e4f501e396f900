"""The time control of matches, running blocks and tournaments, part of a ladder's identity."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# All earlier matches were played with these. The default is dropped again: each INSERT names them.
_COLUMNS = """
ALTER TABLE {table}
    ADD COLUMN turn_ms integer NOT NULL DEFAULT 2000,
    ADD COLUMN bank_ms integer NOT NULL DEFAULT 30000,
    ADD CONSTRAINT {table}_time_least CHECK (turn_ms >= 0 AND bank_ms >= 0);
ALTER TABLE {table} ALTER COLUMN turn_ms DROP DEFAULT, ALTER COLUMN bank_ms DROP DEFAULT;
"""


def upgrade() -> None:
    """Add the columns without rewriting rows: Postgres keeps the default for old rows."""
    for table in ("matches", "running_blocks", "tournaments"):
        op.execute(_COLUMNS.format(table=table))
