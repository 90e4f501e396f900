"""Whether the decisions of a bot are in the data sets that the operator exports."""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let the decisions of all bots be in, as all transcripts are public."""
    op.execute("ALTER TABLE bots ADD shares_decisions boolean NOT NULL DEFAULT true")
