"""What the referee recorded last, so that after a crash each copy of a bot is told its own ends."""

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
    """Add an empty table that the reader role cannot see.

    Ends of any copy are the unnamed's.
    """
    op.execute(_TABLE)
    op.execute("UPDATE untold_ends SET instance = '' WHERE instance IS NULL")
    op.execute("ALTER TABLE untold_ends ALTER COLUMN instance SET NOT NULL")
