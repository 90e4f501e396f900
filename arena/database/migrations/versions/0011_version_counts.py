"""The numbers of matches and faults by version, updated with every result."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE version_counts (
    version_id integer CONSTRAINT version_counts_pk PRIMARY KEY
        CONSTRAINT version_counts_version_id_fk REFERENCES versions,
    matches bigint NOT NULL,
    faults bigint NOT NULL,
    CONSTRAINT version_counts_matches_least CHECK (matches >= 1),
    CONSTRAINT version_counts_faults_least CHECK (faults >= 0)
) WITH (fillfactor = 50);
GRANT SELECT ON version_counts TO arena_reader;
"""

# Runs once per statement: one statement records a whole batch. A version may have several seats of
# a match. In the order of the versions, as rows are locked.
_COUNTED = """
CREATE FUNCTION count_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO version_counts AS counts (version_id, matches, faults)
    SELECT version_id, count(DISTINCT match_id), sum(faults) FROM added
    GROUP BY version_id ORDER BY version_id
    ON CONFLICT (version_id) DO UPDATE
    SET matches = counts.matches + EXCLUDED.matches, faults = counts.faults + EXCLUDED.faults;
    RETURN NULL;
END
$$;
CREATE TRIGGER match_seats_counted AFTER INSERT ON match_seats
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_seats();
"""

_BACKFILL = """
INSERT INTO version_counts (version_id, matches, faults)
SELECT version_id, count(DISTINCT match_id), sum(faults) FROM match_seats GROUP BY version_id
"""


def upgrade() -> None:
    """Create the table and its trigger, then count the results so far.

    The trigger comes first: its lock keeps out a referee that still records, until the commit, so
    that no match is counted twice or never.
    """
    op.execute(_TABLE)
    op.execute(_COUNTED)
    op.execute(_BACKFILL)
