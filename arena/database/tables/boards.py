"""The tables of boards, which are derived from results and may be deleted at any time.

board_checkpoints       log_revision
"""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import metadata, now

board_checkpoints = Table(
    "board_checkpoints",
    metadata,
    # Names the format of `data` and the table of luck; releases that differ in either keep
    # separate checkpoints.
    Column("edition", Text, primary_key=True),
    # The ladder.
    Column("game", Text, primary_key=True),
    Column("options", JSONB, primary_key=True),
    Column("seats", ARRAY(SmallInteger), primary_key=True),
    Column("score", Text, primary_key=True),
    Column("turn_ms", Integer, primary_key=True),
    Column("bank_ms", Integer, primary_key=True),
    # The last rating event, of any ladder, that the checkpoint includes.
    Column("sequence", BigInteger, nullable=False),
    # The revision of the log when it was read; a checkpoint of an older revision is not used.
    Column("revision", BigInteger, nullable=False),
    now("written_at"),
    # See `arena.server.boards.checkpoint`. Already compressed: the migration sets STORAGE EXTERNAL.
    Column("data", LargeBinary, nullable=False),
    CheckConstraint("sequence >= 1", name="sequence_least"),
)

log_revision = Table(
    "log_revision",
    metadata,
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    # Incremented when data that boards have read changes: a block that counted is voided, or luck
    # of recorded matches is deleted or measured. Boards then start again from the first event.
    Column("number", BigInteger, nullable=False),
    CheckConstraint("one", name="only_one"),
)

played_ladders = Table(
    "played_ladders",
    metadata,
    # The ladders with a match outside challenges. A trigger made by the migration adds a ladder
    # with its first match, because finding all ladders otherwise would read all matches.
    Column("game", Text, primary_key=True),
    Column("options", JSONB, primary_key=True),
    Column("seat_count", SmallInteger, primary_key=True),
    Column("turn_ms", Integer, primary_key=True),
    Column("bank_ms", Integer, primary_key=True),
)
