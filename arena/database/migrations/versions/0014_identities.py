"""Owners' identities at an identity provider, and the keys of their sign-ins."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE owner_identities (
    owner_id integer CONSTRAINT owner_identities_pk PRIMARY KEY
        CONSTRAINT owner_identities_owner_id_fk REFERENCES owners,
    issuer text NOT NULL,
    subject text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_identities_issuer_subject_key UNIQUE (issuer, subject)
);
CREATE TABLE sign_ins (
    sha256 bytea CONSTRAINT sign_ins_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT sign_ins_owner_id_fk REFERENCES owners,
    expires_at timestamptz NOT NULL,
    CONSTRAINT sign_ins_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE INDEX sign_ins_owner_id_ix ON sign_ins (owner_id);
CREATE INDEX sign_ins_expires_at_ix ON sign_ins (expires_at);
CREATE TABLE used_id_tokens (
    sha256 bytea CONSTRAINT used_id_tokens_pk PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    CONSTRAINT used_id_tokens_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE INDEX used_id_tokens_expires_at_ix ON used_id_tokens (expires_at);
"""


def upgrade() -> None:
    """Create tables that the reader role cannot read."""
    op.execute(_TABLES)
