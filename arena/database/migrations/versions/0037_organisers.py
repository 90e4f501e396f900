"""Organisers of events; the keys of people of a roster, and who is excused."""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE event_makers (
    owner_id integer CONSTRAINT event_makers_pk PRIMARY KEY
        CONSTRAINT event_makers_owner_id_fk REFERENCES owners
);
CREATE TABLE event_organisers (
    event_id integer CONSTRAINT event_organisers_event_id_fk REFERENCES events,
    owner_id integer CONSTRAINT event_organisers_owner_id_fk REFERENCES owners,
    CONSTRAINT event_organisers_pk PRIMARY KEY (event_id, owner_id)
);
CREATE INDEX event_organisers_owner_ix ON event_organisers (owner_id);
ALTER TABLE event_people
    ADD COLUMN member_id integer CONSTRAINT event_people_member_id_key UNIQUE
        CONSTRAINT event_people_member_id_fk REFERENCES owner_members ON DELETE SET NULL,
    ADD COLUMN captain boolean NOT NULL DEFAULT false,
    ADD COLUMN excused boolean NOT NULL DEFAULT false;
UPDATE event_people SET captain = true WHERE (event_id, owner_id, number) IN (
    SELECT event_id, owner_id, min(number) FROM event_people GROUP BY event_id, owner_id
);
-- Members were named by the first 40 characters of the person's name.
UPDATE event_people AS person SET member_id = (
    SELECT min(one.id) FROM owner_members AS one
    WHERE one.owner_id = person.owner_id AND one.name = trim(left(person.name, 40))
) WHERE NOT captain AND NOT EXISTS (
    SELECT FROM event_people AS other WHERE other.owner_id = person.owner_id
        AND trim(left(other.name, 40)) = trim(left(person.name, 40))
        AND (other.event_id, other.number) <> (person.event_id, person.number)
);
"""
# Organisers see their private events, too.
_MEMBERS = """
CREATE OR REPLACE FUNCTION is_event_member(event integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
    SELECT EXISTS (
        SELECT FROM event_entries AS entry
        WHERE entry.event_id = event
            AND entry.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    ) OR EXISTS (
        SELECT FROM event_people AS person
        WHERE person.event_id = event
            AND person.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    ) OR EXISTS (
        SELECT FROM event_organisers AS organiser
        WHERE organiser.event_id = event
            AND organiser.owner_id = nullif(current_setting('arena.viewer', true), '')::integer
    )
$$;
"""


def upgrade() -> None:
    """Create the tables, which the reader role does not see, and find the keys of people."""
    op.execute(_TABLES)
    op.execute(_MEMBERS)
