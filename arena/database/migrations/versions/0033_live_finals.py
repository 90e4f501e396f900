"""Live finals: matches of a final that are public as they are handed in."""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_CHANGES = """
ALTER TABLE events ADD live boolean NOT NULL DEFAULT false, ADD published_at timestamptz;
ALTER TABLE events
    DROP CONSTRAINT events_released_as_a_whole,
    ADD CONSTRAINT events_released_as_a_whole CHECK (
        (released_at IS NOT NULL) = (seed IS NOT NULL)
        AND (released_at IS NULL OR tournament_id IS NOT NULL)
        AND (released_at IS NULL OR released_at >= results_at)
    ),
    ADD CONSTRAINT events_blind_until_results CHECK (
        tournament_id IS NULL OR live
        OR coalesce(published_at, released_at, '-infinity') >= results_at
    ),
    ADD CONSTRAINT events_published_begun
        CHECK (tournament_id IS NULL OR began_at IS NOT NULL);
ALTER TABLE event_blocks ADD published_at timestamptz;
CREATE INDEX event_blocks_unpublished_ix ON event_blocks (event_id) WHERE published_at IS NULL;
ALTER TABLE tournaments ADD conducted boolean NOT NULL DEFAULT true;
UPDATE tournaments SET conducted = false WHERE id IN (SELECT tournament_id FROM events);
"""


def upgrade() -> None:
    """Add the columns; finals that are not live stay blind until their date, in the database."""
    op.execute(_CHANGES)
