"""Members of an owner's team, who have keys of their own; and the people of a course."""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE owner_members (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT owner_members_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT owner_members_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    folded text COLLATE "C" NOT NULL,
    sha256 bytea NOT NULL CONSTRAINT owner_members_sha256_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owner_members_owner_id_folded_key UNIQUE (owner_id, folded),
    CONSTRAINT owner_members_name_allowed
        CHECK (char_length(name) BETWEEN 1 AND 40 AND name = btrim(name)),
    CONSTRAINT owner_members_sha256_length CHECK (octet_length(sha256) = 32)
);
ALTER TABLE sign_ins ADD member_id integer
    CONSTRAINT sign_ins_member_id_fk REFERENCES owner_members ON DELETE CASCADE;
ALTER TABLE owner_identities DROP CONSTRAINT owner_identities_pk;
ALTER TABLE owner_identities DROP CONSTRAINT owner_identities_issuer_subject_key;
ALTER TABLE owner_identities ADD CONSTRAINT owner_identities_pk PRIMARY KEY (issuer, subject);
ALTER TABLE owner_identities ADD member_id integer
    CONSTRAINT owner_identities_member_id_key UNIQUE
    CONSTRAINT owner_identities_member_id_fk REFERENCES owner_members ON DELETE CASCADE;
CREATE UNIQUE INDEX owner_identities_owner_id_ix ON owner_identities (owner_id)
    WHERE member_id IS NULL;
ALTER TABLE events ADD roster_only boolean NOT NULL DEFAULT false;
CREATE TABLE event_people (
    event_id integer CONSTRAINT event_people_event_id_fk REFERENCES events,
    number integer,
    owner_id integer NOT NULL CONSTRAINT event_people_owner_id_fk REFERENCES owners,
    name text NOT NULL,
    email text NOT NULL DEFAULT '',
    student_number text NOT NULL DEFAULT '',
    CONSTRAINT event_people_pk PRIMARY KEY (event_id, number)
);
CREATE INDEX event_people_owner_ix ON event_people (owner_id);
"""


def upgrade() -> None:
    """Create tables that the reader role cannot read: real names are the organiser's."""
    op.execute(_TABLES)
