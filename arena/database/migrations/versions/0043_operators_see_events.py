"""Operators see private events, which they organise like all others."""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_MEMBERS = """
CREATE OR REPLACE FUNCTION is_event_member(event integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM (VALUES (nullif(current_setting('arena.viewer', true), '')::integer))
            AS viewer (id)
        WHERE EXISTS (
            SELECT FROM event_entries AS entry
            WHERE entry.event_id = event AND entry.owner_id = viewer.id
        ) OR EXISTS (
            SELECT FROM event_people AS person
            WHERE person.event_id = event AND person.owner_id = viewer.id
        ) OR EXISTS (
            SELECT FROM event_organisers AS organiser
            WHERE organiser.event_id = event AND organiser.owner_id = viewer.id
        ) OR EXISTS (
            SELECT FROM owners
            WHERE owners.id = viewer.id AND owners.operator_since IS NOT NULL
        )
    )
$$;
"""


def upgrade() -> None:
    """Make operators members of every event."""
    op.execute(_MEMBERS)
