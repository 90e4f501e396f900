"""How often workers have begun each block of a final; the notices of events as a view to write to.

Referees of the release before add notices by `event_notices`.
"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, which the reader role does not see, and the view."""
    op.execute(
        """
        CREATE TABLE event_block_tries (
            event_id integer,
            round smallint,
            "table" smallint,
            number smallint,
            tries smallint NOT NULL DEFAULT 1,
            first_at timestamptz NOT NULL DEFAULT now(),
            CONSTRAINT event_block_tries_pk PRIMARY KEY (event_id, round, "table", number),
            CONSTRAINT event_block_tries_pairing_fk FOREIGN KEY (event_id, round, "table")
                REFERENCES event_pairings ON DELETE CASCADE
        );
        CREATE OR REPLACE VIEW event_notices AS
            SELECT id, event_id, kind, at FROM notices
            WHERE event_id IN (SELECT id FROM events WHERE NOT private);
        """
    )
