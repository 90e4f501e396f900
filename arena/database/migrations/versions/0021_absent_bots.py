"""How long tournaments wait for absent bots, whose tables became walkovers, and paused bots."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# Referees of the release before neither read nor write these columns.
_ABSENT = """
ALTER TABLE tournaments ADD patience_s integer NOT NULL DEFAULT 600
    CONSTRAINT tournaments_patience_least CHECK (patience_s >= 1);
ALTER TABLE tournament_entries ADD waited_s double precision NOT NULL DEFAULT 0
    CONSTRAINT tournament_entries_waited_least CHECK (waited_s >= 0);
ALTER TABLE tournament_entries ADD absence text NOT NULL DEFAULT '';
ALTER TABLE tournament_pairings ADD absent smallint[] NOT NULL DEFAULT '{}';
ALTER TABLE bots ADD paused_at timestamptz;
"""


def upgrade() -> None:
    """Add the columns."""
    op.execute(_ABSENT)
