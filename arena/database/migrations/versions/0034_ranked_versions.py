"""The rule by which old versions leave the ranking."""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_COLUMNS = """
ALTER TABLE policy ADD ranked_versions integer
    CONSTRAINT policy_ranked_versions_least CHECK (ranked_versions >= 1);
ALTER TABLE policy ADD ranked_days integer
    CONSTRAINT policy_ranked_days_least CHECK (ranked_days >= 1);
"""


def upgrade() -> None:
    """Set no rule: all versions are ranked, as before."""
    op.execute(_COLUMNS)
