"""Tables of the referee's lease, the matches that it plays, and the ends that bots have missed."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE leases (
    epoch bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT leases_pk PRIMARY KEY,
    process text NOT NULL,
    inherited bigint[] NOT NULL DEFAULT '{}',
    renewals bigint NOT NULL DEFAULT 0,
    taken_at timestamptz NOT NULL DEFAULT now(),
    renewed_at timestamptz NOT NULL DEFAULT now(),
    released_at timestamptz,
    CONSTRAINT leases_renewals_least CHECK (renewals >= 0)
);

CREATE TABLE running_blocks (
    id uuid CONSTRAINT running_blocks_pk PRIMARY KEY,
    epoch bigint NOT NULL CONSTRAINT running_blocks_epoch_fk REFERENCES leases,
    kind text NOT NULL,
    size smallint NOT NULL,
    rated boolean NOT NULL,
    engaged boolean NOT NULL,
    game text NOT NULL,
    options jsonb NOT NULL,
    places jsonb NOT NULL,
    CONSTRAINT running_blocks_kind_known CHECK (kind IN ('seat', 'deal')),
    CONSTRAINT running_blocks_size_positive CHECK (size >= 1),
    CONSTRAINT running_blocks_options_object CHECK (jsonb_typeof(options) = 'object'),
    CONSTRAINT running_blocks_places_listed CHECK (jsonb_typeof(places) = 'array')
);
CREATE INDEX running_blocks_epoch_ix ON running_blocks (epoch);

CREATE TABLE running_matches (
    id uuid CONSTRAINT running_matches_pk PRIMARY KEY,
    block_id uuid NOT NULL CONSTRAINT running_matches_block_id_fk REFERENCES running_blocks,
    position smallint NOT NULL,
    started_at timestamptz NOT NULL,
    head bytea NOT NULL,
    CONSTRAINT running_matches_position_least CHECK (position >= 0),
    CONSTRAINT running_matches_block_id_position_key UNIQUE (block_id, position)
);

CREATE TABLE running_replies (
    match_id uuid,
    first integer,
    replies bytea NOT NULL,
    CONSTRAINT running_replies_pk PRIMARY KEY (match_id, first),
    CONSTRAINT running_replies_first_least CHECK (first >= 0)
);

CREATE TABLE untold_ends (
    match_id uuid CONSTRAINT untold_ends_match_id_fk REFERENCES matches,
    version_id integer CONSTRAINT untold_ends_version_id_fk REFERENCES versions,
    instance text,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT untold_ends_pk PRIMARY KEY (match_id, version_id)
);
CREATE INDEX untold_ends_version_ix ON untold_ends (version_id, instance, since);
"""

_REQUIRE_LEASE = """
CREATE FUNCTION require_lease(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM leases WHERE epoch = wanted FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the lease % was taken over', wanted USING ERRCODE = 'AR001';
    END IF;
END
$$;
"""


def upgrade() -> None:
    """Create empty tables that the reader role cannot read, and the check of every writer."""
    op.execute(_TABLES)
    op.execute(_REQUIRE_LEASE)
