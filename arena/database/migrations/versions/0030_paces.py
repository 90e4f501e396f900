"""The paces of bots, and the policy that the operator sets for all of them."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE policy (
    one boolean DEFAULT true CONSTRAINT policy_pk PRIMARY KEY,
    bot_pace integer,
    CONSTRAINT policy_only_one CHECK (one),
    CONSTRAINT policy_bot_pace_least CHECK (bot_pace >= 1)
);
INSERT INTO policy DEFAULT VALUES;
GRANT SELECT ON policy TO arena_reader;
ALTER TABLE bots ADD pace integer CONSTRAINT bots_pace_least CHECK (pace >= 1);
ALTER TABLE bots ADD most_pace integer CONSTRAINT bots_most_pace_least CHECK (most_pace >= 1);
"""


def upgrade() -> None:
    """Set no pace: bots play as fast as before."""
    op.execute(_TABLES)
