"""What the archives of released events say of them, signed, so that the pages can give them out."""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE event_archives (
    event_id integer CONSTRAINT event_archives_pk PRIMARY KEY
        CONSTRAINT event_archives_event_id_fk REFERENCES events,
    text bytea NOT NULL,
    signature bytea NOT NULL
);
GRANT SELECT ON event_archives TO arena_reader;
"""


def upgrade() -> None:
    """Create the table."""
    op.execute(_TABLE)
