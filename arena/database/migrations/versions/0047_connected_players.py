"""Connected bots on the ladders of events: players whose versions have no build."""

from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let any version be a player."""
    op.execute(
        "ALTER TABLE event_players DROP CONSTRAINT event_players_version_id_fk,"
        " ADD CONSTRAINT event_players_version_id_fk FOREIGN KEY (version_id) REFERENCES versions"
    )
