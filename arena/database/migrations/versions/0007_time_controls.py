"""The time control of matches, running blocks and tournaments, part of what a ladder is."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Everything so far was played with these. The default goes again: whoever writes a row says it.
_COLUMNS = """
ALTER TABLE {table}
    ADD COLUMN turn_ms integer NOT NULL DEFAULT 2000,
    ADD COLUMN bank_ms integer NOT NULL DEFAULT 30000,
    ADD CONSTRAINT {table}_time_least CHECK (turn_ms >= 0 AND bank_ms >= 0);
ALTER TABLE {table} ALTER COLUMN turn_ms DROP DEFAULT, ALTER COLUMN bank_ms DROP DEFAULT;
"""


def upgrade() -> None:
    """No row is rewritten: Postgres keeps the default of the old rows with the table."""
    for table in ("matches", "running_blocks", "tournaments"):
        op.execute(_COLUMNS.format(table=table))
