"""The removal of transcripts of old matches, as far as the policy tells."""

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_TABLES = """
ALTER TABLE policy ADD transcript_days integer
    CONSTRAINT policy_transcript_days_least CHECK (transcript_days >= 1);
CREATE TABLE transcript_removals (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT transcript_removals_pk PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    until timestamptz NOT NULL,
    matches bigint NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT transcript_removals_matches_least CHECK (matches >= 0)
);
CREATE INDEX transcript_removals_until_ix ON transcript_removals (until);
GRANT SELECT ON transcript_removals TO arena_reader;
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM policy, matches
        WHERE matches.id = OLD.match_id
            AND matches.finished_at < now() - make_interval(days => policy.transcript_days)
            AND NOT EXISTS (
                SELECT FROM tournament_blocks WHERE tournament_blocks.block_id = matches.block_id
            )
    ) THEN
        RAISE EXCEPTION 'Results are only ever added: % of % refused.', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
"""


def upgrade() -> None:
    """Keep all transcripts, as before; but let those be removed that the policy does not keep."""
    op.execute(_TABLES)
    for table in ("transcripts", "match_faults"):
        op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_removal()"
        )
