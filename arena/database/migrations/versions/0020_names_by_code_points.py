"""The comparison of bots' and owners' names by code points, whatever the database's collation."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

# With the database's collation an index on names cannot find those that begin with a word. Only
# the indexes are built anew, not the tables. An owner's bots are listed by name.
_COLLATIONS = """
ALTER TABLE bots ALTER COLUMN folded TYPE text COLLATE "C";
ALTER TABLE owners ALTER COLUMN folded TYPE text COLLATE "C";
DROP INDEX bots_owner_id_ix;
CREATE INDEX bots_owner_ix ON bots (owner_id, folded);
"""


def upgrade() -> None:
    """Change the collation; queries of referees of the release before find the same names."""
    op.execute(_COLLATIONS)
