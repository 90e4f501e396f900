"""Archives of private events, which their members alone see."""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Hide what the archive of a private event says from the reader role."""
    op.execute("ALTER TABLE event_archives ENABLE ROW LEVEL SECURITY")
    op.execute(
        "CREATE POLICY event_archives_seen ON event_archives FOR SELECT TO arena_reader"
        " USING (EXISTS (SELECT FROM events WHERE events.id = event_id))"
    )
    # It runs with the rights of its maker: no table of a session may take the place of ours.
    op.execute("ALTER FUNCTION is_event_member(integer) SET search_path = public, pg_temp")
