"""The tables of the key that signs transcripts. The reader role does not see its private half."""

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, LargeBinary, Table, text

from arena.database.columns import metadata, now

signing_key = Table(
    "signing_key",
    metadata,
    # One key for all referees of this database.
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    # The public key of Ed25519.
    Column("public_key", LargeBinary, nullable=False, unique=True),
    now("created_at"),
    CheckConstraint("one", name="only_one"),
    CheckConstraint("octet_length(public_key) = 32", name="public_key_length"),
)

signing_secret = Table(
    "signing_secret",
    metadata,
    # Not in `signing_key`, so that the reader role cannot see it.
    Column("public_key", ForeignKey(signing_key.c.public_key), primary_key=True),
    Column("private_key", LargeBinary, nullable=False),
    CheckConstraint("octet_length(private_key) = 32", name="private_key_length"),
)
