"""The share that each version wins against the certified house bot, luck removed."""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_BENCHMARKS = """
CREATE TABLE version_benchmarks (
    version_id integer NOT NULL
        CONSTRAINT version_benchmarks_version_id_fk REFERENCES versions (id),
    game text NOT NULL,
    matches integer NOT NULL CONSTRAINT version_benchmarks_matches_least CHECK (matches >= 1),
    share double precision NOT NULL,
    low double precision NOT NULL,
    high double precision NOT NULL,
    measured_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT version_benchmarks_pk PRIMARY KEY (version_id, game),
    CONSTRAINT version_benchmarks_in_order
        CHECK (0 <= low AND low <= share AND share <= high AND high <= 1)
);
GRANT SELECT ON version_benchmarks TO arena_reader;
"""


def upgrade() -> None:
    """Create an empty table, which the reader role may read."""
    op.execute(_BENCHMARKS)
