"""Sign-ins that last as long as they are used, for pages that remember their visitor."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_COLUMNS = """
ALTER TABLE sign_ins
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN idle_for interval,
    ADD CONSTRAINT sign_ins_idle_for_least CHECK (idle_for > interval '0');
"""


def upgrade() -> None:
    """Add the columns, which the reader role still cannot read."""
    op.execute(_COLUMNS)
