"""Messages of organisers and the operator to owners."""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE owner_messages (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT owner_messages_pk PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT owner_messages_owner_id_fk REFERENCES owners,
    sender text NOT NULL,
    text text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now(),
    read_at timestamptz,
    CONSTRAINT owner_messages_text_length CHECK (char_length(text) BETWEEN 1 AND 2000)
);
CREATE INDEX owner_messages_owner_ix ON owner_messages (owner_id, id);
"""


def upgrade() -> None:
    """Create the table, which the reader role does not see."""
    op.execute(_TABLES)
