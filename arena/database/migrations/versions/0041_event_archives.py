"""The signed descriptions of released events, which the pages give out in archives."""

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
