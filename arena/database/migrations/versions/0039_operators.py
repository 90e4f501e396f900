"""The role of operators, and indexes for what they look at."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_TABLES = """
ALTER TABLE owners ADD operator_since timestamptz;
CREATE INDEX builds_sha256_ix ON builds (sha256);
CREATE INDEX audit_sign_up_ix ON audit (subject) WHERE action = 'sign up';
"""


def upgrade() -> None:
    """Make nobody an operator."""
    op.execute(_TABLES)
