"""The limits of events: people of a team, builds in a day, bots."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns that are NULL where an event sets no limit."""
    op.execute(
        """
        ALTER TABLE events
            ADD COLUMN most_members smallint,
            ADD COLUMN most_builds smallint,
            ADD COLUMN most_bots smallint,
            ADD CONSTRAINT events_limits_least
                CHECK (least(most_members, most_builds, most_bots) >= 1)
        """
    )
