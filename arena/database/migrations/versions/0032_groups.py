"""The format groups of tournaments and finals: the number of groups, and how many of each go on."""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and admit the format."""
    op.execute(
        """
        ALTER TABLE tournaments
            ADD groups smallint,
            ADD advance smallint,
            ADD CONSTRAINT tournaments_groups_least CHECK (groups >= 1 AND advance >= 1),
            DROP CONSTRAINT tournaments_format_known,
            ADD CONSTRAINT tournaments_format_known CHECK (
                format IN ('round-robin', 'swiss', 'knockout', 'gauntlet', 'groups')
            );
        ALTER TABLE events ADD groups smallint, ADD advance smallint;
        """
    )
