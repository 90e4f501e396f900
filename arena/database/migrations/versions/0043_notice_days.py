"""For how long notices are kept; no page reads why a block of a ladder was not played."""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Keep notices for 90 days, and hide failures of blocks from the reader role."""
    op.execute(
        "ALTER TABLE policy ADD notice_days integer DEFAULT 90"
        " CONSTRAINT policy_notice_days_least CHECK (notice_days >= 1)"
    )
    op.execute("REVOKE SELECT ON event_ladder_blocks FROM arena_reader")
    op.execute(
        "GRANT SELECT (event_id, number, players, began_at, ended_at, match_ids, placings)"
        " ON event_ladder_blocks TO arena_reader"
    )
