"""A mark of shifts that their programs cut short."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; earlier shifts count as played."""
    op.execute("ALTER TABLE shifts ADD COLUMN cut_short boolean NOT NULL DEFAULT false")
