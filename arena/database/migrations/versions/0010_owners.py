"""Owners with keys, invites, the audit, profiles of bots, and names in any script."""

from alembic import op
from sqlalchemy import text

from arena.database.names import folded, skeleton

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_NAMED = ("owners", "bots")

_NAMES = """
ALTER TABLE {table} DROP CONSTRAINT {table}_name_allowed;
ALTER TABLE {table} ADD CONSTRAINT {table}_name_allowed
    CHECK (char_length(name) BETWEEN 1 AND 40 AND name = btrim(name));
ALTER TABLE {table} ADD folded text;
ALTER TABLE {table} ADD skeleton text;
"""

_UNIQUE = """
ALTER TABLE {table} ALTER folded SET NOT NULL;
ALTER TABLE {table} ALTER skeleton SET NOT NULL;
DROP INDEX {table}_name_key;
ALTER TABLE {table} ADD CONSTRAINT {table}_folded_key UNIQUE (folded);
ALTER TABLE {table} ADD CONSTRAINT {table}_skeleton_key UNIQUE (skeleton);
"""

_TABLES = """
ALTER TABLE owners ADD banned_at timestamptz;
ALTER TABLE bots ADD frozen_at timestamptz;
ALTER TABLE bots ADD text text NOT NULL DEFAULT '';
ALTER TABLE bots ADD language text NOT NULL DEFAULT '';
ALTER TABLE bots ADD link text NOT NULL DEFAULT '';
ALTER TABLE bots ADD CONSTRAINT bots_text_length CHECK (char_length(text) <= 1000);
ALTER TABLE bots ADD CONSTRAINT bots_language_length CHECK (char_length(language) <= 40);
ALTER TABLE bots ADD CONSTRAINT bots_link_allowed
    CHECK (link = '' OR (link ~ '^https?://' AND char_length(link) <= 200));
CREATE TABLE owner_keys (
    owner_id integer CONSTRAINT owner_keys_pk PRIMARY KEY
        CONSTRAINT owner_keys_owner_id_fk REFERENCES owners,
    sha256 bytea NOT NULL CONSTRAINT owner_keys_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_keys_sha256_length CHECK (octet_length(sha256) = 32)
);
CREATE TABLE invites (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT invites_pk PRIMARY KEY,
    sha256 bytea NOT NULL CONSTRAINT invites_sha256_key UNIQUE,
    uses_left integer NOT NULL,
    made_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    CONSTRAINT invites_sha256_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT invites_uses_least CHECK (uses_left >= 0)
);
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_pk PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}'::jsonb,
    CONSTRAINT audit_details_object CHECK (jsonb_typeof(details) = 'object')
);
CREATE TABLE voidings (
    block_id uuid CONSTRAINT voidings_pk PRIMARY KEY
        CONSTRAINT voidings_block_id_fk REFERENCES blocks,
    at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON voidings TO arena_reader;
CREATE TRIGGER voidings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON voidings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    """Change names and create tables; the reader role may read voidings alone.

    The other tables are secret, and new columns follow the grant of their table.
    """
    connection = op.get_bind()
    for table in _NAMED:
        op.execute(_NAMES.format(table=table))
        taken: set[str] = set()
        for row in connection.execute(text(f"SELECT id, name FROM {table} ORDER BY id")):  # noqa: S608  our names
            key = skeleton(row.name)
            # Names that looked alike before this rule are kept; no name has a #.
            key = f"{key}#{row.id}" if key in taken else key
            taken.add(key)
            connection.execute(
                text(f"UPDATE {table} SET folded = :folded, skeleton = :key WHERE id = :id"),  # noqa: S608
                {"folded": folded(row.name), "key": key, "id": row.id},
            )
        op.execute(_UNIQUE.format(table=table))
    op.execute(_TABLES)
