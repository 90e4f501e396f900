"""A table of the results of checking bots' programs against the protocol."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE conformance_checks (
    version_id integer CONSTRAINT conformance_checks_version_id_fk REFERENCES versions,
    origin text,
    edition integer NOT NULL,
    met smallint NOT NULL,
    failed text[] NOT NULL,
    skipped text[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT conformance_checks_pk PRIMARY KEY (version_id, origin),
    CONSTRAINT conformance_checks_origin_known CHECK (origin IN ('author', 'arena')),
    CONSTRAINT conformance_checks_edition_least CHECK (edition >= 1),
    CONSTRAINT conformance_checks_something_tried
        CHECK (met >= 0 AND met + cardinality(failed) >= 1)
);
GRANT SELECT ON conformance_checks TO arena_reader;
"""


def upgrade() -> None:
    """Create an empty table."""
    op.execute(_TABLE)
