"""How busy each referee is, and at how many of them the bots play."""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let referees tell each other."""
    op.execute("ALTER TABLE leases ADD load real NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE leases ADD in_use integer NOT NULL DEFAULT 0")
