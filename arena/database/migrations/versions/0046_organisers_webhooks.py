"""Webhooks that organisers add from other machines, which reach the public internet alone."""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the webhooks of events so far are the operator's."""
    op.execute("ALTER TABLE webhooks ADD COLUMN public_only boolean NOT NULL DEFAULT false")
