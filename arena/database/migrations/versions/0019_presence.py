"""The bots that are connected to each referee, and the referee that conducts each tournament."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

# If a referee of the release before takes over from another, the cascade removes these rows.
_PRESENCE = """
CREATE TABLE presence (
    epoch bigint NOT NULL CONSTRAINT presence_epoch_fk REFERENCES leases (epoch) ON DELETE CASCADE,
    version_id integer NOT NULL CONSTRAINT presence_version_id_fk REFERENCES versions (id),
    instance text NOT NULL,
    connected boolean NOT NULL,
    places smallint NOT NULL,
    seats smallint NOT NULL,
    games text[] NOT NULL,
    CONSTRAINT presence_pk PRIMARY KEY (epoch, version_id, instance),
    CONSTRAINT presence_counts_least CHECK (places >= 0 AND seats >= 0)
);
CREATE INDEX presence_version_id_ix ON presence (version_id);
ALTER TABLE leases ADD COLUMN matches integer NOT NULL DEFAULT 0;
ALTER TABLE tournaments ADD COLUMN conductor bigint;
"""


def upgrade() -> None:
    """Create an empty table: each referee adds its bots, and the senior takes up tournaments."""
    op.execute(_PRESENCE)
