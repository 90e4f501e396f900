"""Shifts in which a hosted bot plays the version that it entered in a tournament, and slots."""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; workers of the release before tell no slots."""
    op.execute(
        """
        ALTER TABLE shifts ADD tournament boolean NOT NULL DEFAULT false;
        ALTER TABLE workers ADD slots smallint NOT NULL DEFAULT 0,
            ADD CONSTRAINT workers_slots_least CHECK (slots >= 0);
        """
    )
