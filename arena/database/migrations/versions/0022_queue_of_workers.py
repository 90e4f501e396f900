"""The right of the workers' role to use the queue of shifts. `arena roles` makes the role."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

# No TRIGGER: its function would run with the rights of the writer, the referee.
_QUEUE = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'arena_worker') THEN
        GRANT USAGE ON SCHEMA procrastinate TO arena_worker;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA procrastinate TO arena_worker;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA procrastinate TO arena_worker;
    END IF;
END
$$;
"""


def upgrade() -> None:
    """Grant the right. Where the role is missing, the SQL that makes it grants the same."""
    op.execute(_QUEUE)
