"""The end of its match in each seat, and indexes for every filter of the lists of matches."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_COLUMN = """
ALTER TABLE match_seats ADD finished_at timestamptz;
ALTER TABLE match_seats DISABLE TRIGGER match_seats_append_only;
UPDATE match_seats SET finished_at = matches.finished_at
    FROM matches WHERE matches.id = match_seats.match_id;
ALTER TABLE match_seats ENABLE TRIGGER match_seats_append_only;
ALTER TABLE match_seats ALTER finished_at SET NOT NULL;
"""

# Without the old index while rows are changed, and before the new ones are made.
_DROPPED = """
DROP INDEX matches_newest_ix;
DROP INDEX matches_ladder_ix;
DROP INDEX match_seats_version_ix;
ALTER TABLE match_seats DROP CONSTRAINT match_seats_match_id_fk;
"""

_INDEXES = """
CREATE UNIQUE INDEX matches_newest_ix ON matches (finished_at, id);
CREATE INDEX matches_game_ix ON matches (game, finished_at, id);
CREATE INDEX matches_seats_ix ON matches (seat_count, finished_at, id);
CREATE INDEX match_seats_version_ix ON match_seats (version_id, finished_at, match_id);
CREATE INDEX match_seats_faulty_version_ix ON match_seats (version_id, finished_at, match_id)
    WHERE faults > 0;
CREATE INDEX match_seats_faulty_ix ON match_seats (finished_at, match_id) WHERE faults > 0;
ALTER TABLE match_seats ADD CONSTRAINT match_seats_match_id_fk
    FOREIGN KEY (match_id, finished_at) REFERENCES matches (id, finished_at);
"""


def upgrade() -> None:
    """Add the column. Results are never changed; the value added here is in them already."""
    op.execute(_DROPPED)
    op.execute(_COLUMN)
    op.execute(_INDEXES)
