"""An index of the audit by which an earlier entry of a bot in an event is found."""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index; the audit, which grows for ever, is not gone through any more."""
    op.execute(
        "CREATE INDEX audit_entered_ix ON audit (subject, (details ->> 'bot'), at)"
        " WHERE action = 'enter event'"
    )
