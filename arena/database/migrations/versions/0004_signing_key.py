"""The key with which the arena signs transcripts."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE signing_key (
    one boolean NOT NULL DEFAULT true CONSTRAINT signing_key_pk PRIMARY KEY,
    public_key bytea NOT NULL CONSTRAINT signing_key_public_key_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signing_key_only_one CHECK (one),
    CONSTRAINT signing_key_public_key_length CHECK (octet_length(public_key) = 32)
);
CREATE TABLE signing_secret (
    public_key bytea CONSTRAINT signing_secret_pk PRIMARY KEY
        CONSTRAINT signing_secret_public_key_fk REFERENCES signing_key (public_key),
    private_key bytea NOT NULL,
    CONSTRAINT signing_secret_private_key_length CHECK (octet_length(private_key) = 32)
);
"""


def upgrade() -> None:
    """Create empty tables; the key is made on first use. Old transcripts stay unsigned."""
    op.execute(_TABLES)
    # Not on signing_secret: the reader verifies and does not sign.
    op.execute("GRANT SELECT ON signing_key TO arena_reader")
