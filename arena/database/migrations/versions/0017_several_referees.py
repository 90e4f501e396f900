"""Several referees on one database: their addresses, and the owners of blocks and batches."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_COLUMNS = """
ALTER TABLE leases ADD COLUMN address text;
ALTER TABLE blocks ADD COLUMN epoch bigint;
ALTER TABLE recorded_batches ADD COLUMN epoch bigint;
"""

# A referee of an earlier release that still runs would write rows that do not name its lease. It
# finds its lease gone, and stops.
_SUCCEED = """
DO $$
DECLARE
    old bigint[];
    heir bigint;
BEGIN
    SELECT array_agg(epoch) INTO old FROM leases;
    IF old IS NOT NULL THEN
        INSERT INTO leases (process, inherited, released_at)
            SELECT max(process),
                (SELECT array_agg(DISTINCT one)
                    FROM leases, unnest(inherited || leases.epoch) AS one),
                CASE WHEN bool_and(released_at IS NOT NULL) THEN now() END
            FROM leases
            RETURNING epoch INTO heir;
        UPDATE running_blocks SET epoch = heir;
        UPDATE blocks SET epoch = heir WHERE id IN (SELECT id FROM running_blocks);
        UPDATE recorded_batches SET epoch = heir;
        DELETE FROM leases WHERE epoch = ANY (old);
    END IF;
    DELETE FROM recorded_batches WHERE epoch IS NULL;
END
$$;
ALTER TABLE recorded_batches ALTER COLUMN epoch SET NOT NULL;
"""

_REQUIRE_LEASE = """
CREATE OR REPLACE FUNCTION require_lease(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Names the lease in pg_locks: whoever takes it over ends the transactions under it.
    PERFORM pg_advisory_xact_lock_shared(7236404, wanted::integer);
    PERFORM FROM leases WHERE epoch = wanted FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the lease % was taken over', wanted USING ERRCODE = 'AR001';
    END IF;
END
$$;
"""


def upgrade() -> None:
    """Add the columns; the first referee of this release takes over what an earlier one left."""
    op.execute(_COLUMNS)
    op.execute(_SUCCEED)
    op.execute(_REQUIRE_LEASE)
