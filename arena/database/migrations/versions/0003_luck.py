"""The luck of matches."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE match_luck (
    match_id uuid CONSTRAINT match_luck_pk PRIMARY KEY
        CONSTRAINT match_luck_match_id_fk REFERENCES matches,
    table_file text NOT NULL,
    table_sha256 bytea NOT NULL,
    luck double precision[] NOT NULL,
    CONSTRAINT match_luck_table_sha256_length CHECK (octet_length(table_sha256) = 32),
    CONSTRAINT match_luck_luck_by_seat CHECK (array_ndims(luck) = 1),
    CONSTRAINT match_luck_luck_finite
        CHECK (('Infinity' > ALL (luck) AND '-Infinity' < ALL (luck)) IS TRUE)
);
"""

# Luck is computed from transcripts: it may be deleted to be computed again, but not altered.
_NEVER_CHANGED = """
CREATE TRIGGER match_luck_never_changed BEFORE UPDATE ON match_luck
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""

# Runs once per statement: one statement records a whole batch, whose matches exist by then.
_ONE_FOR_EACH_SEAT = """
CREATE FUNCTION refuse_luck_of_other_seats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added JOIN matches ON matches.id = added.match_id
        WHERE cardinality(added.luck) <> matches.seat_count
    ) THEN
        RAISE EXCEPTION 'The luck of a match is one number for each of its seats.'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER match_luck_one_for_each_seat AFTER INSERT ON match_luck
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_luck_of_other_seats();
"""


def upgrade() -> None:
    """Create a table next to the results. Existing matches have no luck until it is measured."""
    op.execute(_TABLES)
    op.execute(_NEVER_CHANGED)
    op.execute(_ONE_FOR_EACH_SEAT)
    op.execute("GRANT SELECT ON match_luck TO arena_reader")
