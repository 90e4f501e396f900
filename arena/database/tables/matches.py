"""Tables of results, with the constraints that enforce the rules; comments name the rules.

    blocks ─< matches ─< match_seats >─ versions
       └─ voidings ├── transcripts
                   ├── rating_events
                   ├─< match_faults
                   └── match_luck

Results (matches, match_seats, transcripts, rating_events) are append-only: triggers made by the
migrations refuse every UPDATE, DELETE and TRUNCATE, except the deletion of transcripts and faults
that the policy no longer keeps, which `transcript_removals` records. Data that changes afterwards,
whether a block is void or closed, is in `blocks`. Data that can be computed again from results is
in `match_luck`.
"""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    and_,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import Time, metadata, now
from arena.database.tables.bots import versions

blocks = Table(
    "blocks",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("size", SmallInteger, nullable=False),
    now("created_at"),
    Column("voided_at", Time),
    Column("closed_at", Time),
    # Whether its matches count for the ratings once it is closed.
    Column("rated", Boolean, nullable=False, server_default=text("true")),
    # The lease of the referee that plays it; not a foreign key, because leases are deleted.
    Column("epoch", BigInteger),
    CheckConstraint("kind IN ('seat', 'deal')", name="kind_known"),
    CheckConstraint("size >= 1", name="size_positive"),
    # A block cannot be both closed and void.
    CheckConstraint("voided_at IS NULL OR closed_at IS NULL", name="closed_or_void"),
    # The blocks that a referee ends when it takes over.
    Index(
        "blocks_unfinished_ix",
        "id",
        postgresql_where=text("closed_at IS NULL AND voided_at IS NULL"),
    ),
)

voidings = Table(
    "voidings",
    metadata,
    # The few blocks that counted for the ratings until the operator voided them. When a row is
    # added, boards that have read the block's results start again.
    Column("block_id", ForeignKey(blocks.c.id), primary_key=True),
    now("at"),
)

matches = Table(
    "matches",
    metadata,
    # The primary key ensures that a match is recorded once.
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("game", Text, nullable=False),
    # Only the options that differ from the game's defaults; they identify the variant.
    Column("options", JSONB, nullable=False),
    Column("seat_count", SmallInteger, nullable=False),
    Column("block_id", ForeignKey(blocks.c.id), nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("termination", Text, nullable=False),
    Column("decided_by_faults", Boolean, nullable=False),
    Column("started_at", Time, nullable=False),
    Column("finished_at", Time, nullable=False),
    # The time control, which is part of a ladder's identity.
    Column("turn_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    CheckConstraint("jsonb_typeof(options) = 'object'", name="options_object"),
    CheckConstraint("seat_count >= 2", name="seat_count_least"),
    CheckConstraint("turn_ms >= 0 AND bank_ms >= 0", name="time_least"),
    CheckConstraint("position >= 0", name="position_least"),
    CheckConstraint("termination IN ('finished', 'forfeit')", name="termination_known"),
    CheckConstraint("finished_at >= started_at", name="times_ordered"),
    # Each rotation of a block is played once.
    UniqueConstraint("block_id", "position"),
    # For pages of the newest matches: of all, of a game, of a table size. The first index is unique
    # so that a foreign key of `match_seats` can refer to it.
    Index("matches_newest_ix", "finished_at", "id", unique=True),
    Index("matches_game_ix", "game", "finished_at", "id"),
    Index("matches_seats_ix", "seat_count", "finished_at", "id"),
)

match_seats = Table(
    "match_seats",
    metadata,
    Column("match_id", Uuid(as_uuid=False), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), nullable=False),
    # A reserved word in SQL: quote it by hand.
    Column("placing", SmallInteger, nullable=False),
    # None if the game did not reach its end.
    Column("score", Integer),
    Column("faults", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    # Copied from `matches`, to find a bot's newest matches without reading all of them.
    Column("finished_at", Time, nullable=False),
    ForeignKeyConstraint(["match_id", "finished_at"], [matches.c.id, matches.c.finished_at]),
    CheckConstraint("seat >= 0", name="seat_least"),
    CheckConstraint('"placing" >= 1', name="placing_least"),
    CheckConstraint("faults >= 0", name="faults_least"),
    # For a bot's matches, and for matches with faults, of a bot or of all bots.
    Index("match_seats_version_ix", "version_id", "finished_at", "match_id"),
    Index(
        "match_seats_faulty_version_ix",
        "version_id",
        "finished_at",
        "match_id",
        postgresql_where=text("faults > 0"),
    ),
    Index("match_seats_faulty_ix", "finished_at", "match_id", postgresql_where=text("faults > 0")),
)

transcripts = Table(
    "transcripts",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # The format of `data`, see `arena.database.transcripts`.
    Column("format", SmallInteger, nullable=False),
    # The hash of the serialised transcript before compression.
    Column("sha256", LargeBinary, nullable=False),
    # Already compressed by us: the migration sets STORAGE EXTERNAL.
    Column("data", LargeBinary, nullable=False),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

transcript_removals = Table(
    "transcript_removals",
    metadata,
    # The runs that removed transcripts, fault messages and stored analyses. The transcript of a
    # match outside tournaments was removed by the first run whose `until` is not before its end.
    Column("id", Integer, Identity(always=True), primary_key=True),
    now("at"),
    # The run covers matches that ended by this time.
    Column("until", Time, nullable=False, index=True),
    Column("matches", BigInteger, nullable=False),
    # The stored size of the removed data.
    Column("bytes", BigInteger, nullable=False),
    CheckConstraint("matches >= 0", name="matches_least"),
)

match_faults = Table(
    "match_faults",
    metadata,
    # The part of the fault messages sent to a bot that the transcript does not hold.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # The number of the turn in the match.
    Column("turn", Integer, primary_key=True),
    Column("reason", Text, nullable=False),
    # The illegal action; None if no action could be parsed, or if it was too long to keep.
    Column("sent", JSONB),
    CheckConstraint("turn >= 1", name="turn_least"),
)

rating_events = Table(
    "rating_events",
    metadata,
    # Recording transactions are serialised, so rows become visible in the order of `sequence`: a
    # reader that remembers the last number it saw misses nothing.
    Column("sequence", BigInteger, Identity(always=True), primary_key=True),
    # A match is rated once.
    Column("match_id", ForeignKey(matches.c.id), nullable=False, unique=True),
)

match_luck = Table(
    "match_luck",
    metadata,
    # One row per match, measured with the newest table of luck.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # The table of luck used; luck measured with different tables is not comparable.
    Column("table_file", Text, nullable=False),
    Column("table_sha256", LargeBinary, nullable=False),
    # By seat, in expected points.
    Column("luck", ARRAY(Double), nullable=False),
    CheckConstraint("octet_length(table_sha256) = 32", name="table_sha256_length"),
    # A one-dimensional array. A trigger made by the migration ensures one number per seat.
    CheckConstraint("array_ndims(luck) = 1", name="luck_by_seat"),
    # Finite numbers only: to Postgres NaN is greater than infinity.
    CheckConstraint(
        "('Infinity' > ALL (luck) AND '-Infinity' < ALL (luck)) IS TRUE", name="luck_finite"
    ),
)


def unfinished() -> ColumnElement[bool]:
    """Return the condition that a block is neither closed nor void."""
    return and_(blocks.c.closed_at.is_(None), blocks.c.voided_at.is_(None))
