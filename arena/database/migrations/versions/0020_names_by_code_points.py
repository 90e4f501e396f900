"""Names of bots and owners are compared by code points, whatever the database's collation."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

# By the database's collation an index on names does not lead to those that begin with a word. Only
# the indexes are built anew, not the tables. An owner's bots are listed by name.
_COLLATIONS = """
ALTER TABLE bots ALTER COLUMN folded TYPE text COLLATE "C";
ALTER TABLE owners ALTER COLUMN folded TYPE text COLLATE "C";
DROP INDEX bots_owner_id_ix;
CREATE INDEX bots_owner_ix ON bots (owner_id, folded);
"""


def upgrade() -> None:
    """Compare names by their code points.

    What referees of the release before ask for, they find by the same names.
    """
    op.execute(_COLLATIONS)
