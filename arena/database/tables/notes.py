"""Tables of the notes that bots sent with their answers.

    matches ─< match_notes >─ bots ── bot_notes

Notes are not results: they may be deleted at any time. The reader role sees the sums of usage, but
no note.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    text,
)

from arena.database.columns import metadata
from arena.database.tables.bots import bots
from arena.database.tables.matches import matches

match_notes = Table(
    "match_notes",
    metadata,
    # A row for each seat with notes.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("bot_id", ForeignKey(bots.c.id), nullable=False),
    # Increasing: a bot's oldest notes have the lowest numbers.
    Column("number", BigInteger, Identity(always=True), nullable=False),
    # The number of answers whose usage the bot reported, and the sums over them.
    Column("measured", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_microusd", BigInteger, nullable=False),
    Column("latency_ms", BigInteger, nullable=False),
    # See `arena.server.results.notes`. Already compressed: the migration sets STORAGE EXTERNAL.
    # None after newer notes of the bot have displaced it.
    Column("data", LargeBinary),
    CheckConstraint("measured >= 0", name="measured_least"),
    # For the oldest notes of a bot.
    Index("match_notes_bot_ix", "bot_id", "number", postgresql_where=text("data IS NOT NULL")),
)

bot_notes = Table(
    "bot_notes",
    metadata,
    # The total size of a bot's notes in `match_notes`.
    Column("bot_id", ForeignKey(bots.c.id), primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    CheckConstraint("bytes >= 0", name="bytes_least"),
)
