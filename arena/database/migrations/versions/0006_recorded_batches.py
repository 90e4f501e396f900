"""A table of the last recorded batches: after a crash each copy of a bot gets its own ends."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE recorded_batches (
    number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT recorded_batches_pk PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    match_ids uuid[] NOT NULL,
    instances jsonb NOT NULL,
    CONSTRAINT recorded_batches_instances_object CHECK (jsonb_typeof(instances) = 'object')
);
"""


def upgrade() -> None:
    """Create an empty table that the reader role cannot read.

    Ends of any copy become the unnamed copy's.
    """
    op.execute(_TABLE)
    op.execute("UPDATE untold_ends SET instance = '' WHERE instance IS NULL")
    op.execute("ALTER TABLE untold_ends ALTER COLUMN instance SET NOT NULL")
