"""Tables of results, with the constraints that enforce the rules; comments name the rules.

    blocks ─< matches ─< match_seats >─ versions
       └─ voidings ├── transcripts
                   ├── rating_events
                   ├─< match_faults
                   └── match_luck

Results (matches, match_seats, transcripts, rating_events) are only ever added: triggers made by
the migrations refuse every UPDATE, DELETE and TRUNCATE, but the deletion of transcripts and faults
that the policy does not keep, of which `transcript_removals` tells. What changes afterwards,
whether a block is void or closed, is in `blocks`. What can be computed again from results is in
`match_luck`.
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
    # The lease of the referee that plays it; no reference, because leases go.
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
    # The few blocks that counted for the ratings until the operator voided them. Boards that have
    # read their results start again when one is added.
    Column("block_id", ForeignKey(blocks.c.id), primary_key=True),
    now("at"),
)

matches = Table(
    "matches",
    metadata,
    # A match is recorded once, by its id.
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("game", Text, nullable=False),
    # Only the options that differ from the game's defaults: a variant's identity.
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
    # For the newest matches, page by page: of all, of a game, of a table size. The first is unique
    # so that `match_seats` can refer to it.
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
    # That of the match, repeated to find a bot's newest matches without reading all of them.
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
    # How `data` is to be read, see `arena.database.transcripts`.
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
    # The runs that removed transcripts, with what bots were told of faults, and kept analyses. What
    # is not of a tournament, ended until then and has no transcript was removed by the first such.
    Column("id", Integer, Identity(always=True), primary_key=True),
    now("at"),
    # The end of the last match that the run looked at.
    Column("until", Time, nullable=False, index=True),
    Column("matches", BigInteger, nullable=False),
    # The size of what was removed, as it was stored.
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
    # The action that the rules did not allow; None if no action was understood.
    Column("sent", JSONB),
    CheckConstraint("turn >= 1", name="turn_least"),
)

rating_events = Table(
    "rating_events",
    metadata,
    # Recorders take turns, so rows become visible in the order of `sequence`: a reader that
    # remembers the last number it saw misses nothing.
    Column("sequence", BigInteger, Identity(always=True), primary_key=True),
    # A match is rated once.
    Column("match_id", ForeignKey(matches.c.id), nullable=False, unique=True),
)

match_luck = Table(
    "match_luck",
    metadata,
    # One luck per match: by the newest table that it was measured with.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # The table of luck used; luck by different tables is not comparable.
    Column("table_file", Text, nullable=False),
    Column("table_sha256", LargeBinary, nullable=False),
    # By seat, in expected points.
    Column("luck", ARRAY(Double), nullable=False),
    CheckConstraint("octet_length(table_sha256) = 32", name="table_sha256_length"),
    # One list. A trigger made by the migration ensures one number per seat.
    CheckConstraint("array_ndims(luck) = 1", name="luck_by_seat"),
    # Finite numbers only: to Postgres NaN is greater than infinity.
    CheckConstraint(
        "('Infinity' > ALL (luck) AND '-Infinity' < ALL (luck)) IS TRUE", name="luck_finite"
    ),
)


def unfinished() -> ColumnElement[bool]:
    """Return the condition that a block is neither closed nor void."""
    return and_(blocks.c.closed_at.is_(None), blocks.c.voided_at.is_(None))
