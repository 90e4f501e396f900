"""The tables of running matches and of the referees that play them. Only referees use them.

    leases ─< running_blocks ─< running_matches ─< running_replies
       └────< presence >─ versions

    versions ─< untold_ends >─ matches

    recorded_batches

Unlike results these rows are removed: a match's rows in the transaction that records it. The reader
role sees none of them, because they hold secrets and actions that no bot has seen yet.
"""

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import Time, metadata, now
from arena.database.tables.bots import versions
from arena.database.tables.matches import matches

leases = Table(
    "leases",
    metadata,
    # A row for each running referee. A referee that takes over removes it; its number is never used
    # again. The referee with the lowest number is the senior.
    Column("epoch", BigInteger, Identity(always=True), primary_key=True),
    # The process that holds it, so that its end can be detected on the same machine.
    Column("process", Text, nullable=False),
    # The leases whose spooled results this referee must still record before it plays.
    Column("inherited", ARRAY(BigInteger), nullable=False, server_default=text("'{}'")),
    # Incremented while its holder lives. Not a time, because clocks may be changed.
    Column("renewals", BigInteger, nullable=False, server_default=text("0")),
    now("taken_at"),
    now("renewed_at"),
    # Set when its holder stopped gracefully and left its matches to the next referee.
    Column("released_at", Time),
    # The address where bots reach it, once it listens; empty if it has none of its own.
    Column("address", Text),
    # The number of matches that it plays, updated with each renewal.
    Column("matches", Integer, nullable=False, server_default=text("0")),
    # The share of the last seconds in which it was busy, updated with each renewal.
    Column("load", REAL, nullable=False, server_default=text("0")),
    # The number of the oldest referees at which bots play, which the senior decides; 0 means all,
    # also for a referee of an earlier release.
    Column("in_use", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("renewals >= 0", name="renewals_least"),
)

presence = Table(
    "presence",
    metadata,
    # A row for each copy of a bot that is connected to a referee, or plays a match there. It is
    # removed with the lease, so that a dead referee's rows do not count.
    Column("epoch", ForeignKey(leases.c.epoch, ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), primary_key=True, index=True),
    Column("instance", Text, primary_key=True),
    Column("connected", Boolean, nullable=False),
    # The number of rated matches that it plays there at once; 0 also for a bot that is leaving.
    Column("places", SmallInteger, nullable=False),
    # The number of matches in which it has a seat, a few seconds old; 0 while only one referee
    # runs.
    Column("seats", SmallInteger, nullable=False),
    Column("games", ARRAY(Text), nullable=False),
    CheckConstraint("places >= 0 AND seats >= 0", name="counts_least"),
)

running_blocks = Table(
    "running_blocks",
    metadata,
    # Not a foreign key: a block of the ladder is in `blocks` only from its first result on.
    Column("id", Uuid(as_uuid=False), primary_key=True),
    # The lease of the referee that plays it.
    Column("epoch", ForeignKey(leases.c.epoch), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("size", SmallInteger, nullable=False),
    Column("rated", Boolean, nullable=False),
    # Whether it is a block of a tournament.
    Column("engaged", Boolean, nullable=False),
    Column("game", Text, nullable=False),
    Column("options", JSONB, nullable=False),
    # [version, instance] of each bot, in the order of the first match's seats.
    Column("places", JSONB, nullable=False),
    # The time control.
    Column("turn_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    CheckConstraint("kind IN ('seat', 'deal')", name="kind_known"),
    CheckConstraint("size >= 1", name="size_positive"),
    CheckConstraint("jsonb_typeof(options) = 'object'", name="options_object"),
    CheckConstraint("jsonb_typeof(places) = 'array'", name="places_listed"),
    CheckConstraint("turn_ms >= 0 AND bank_ms >= 0", name="time_least"),
)

running_matches = Table(
    "running_matches",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("block_id", ForeignKey(running_blocks.c.id), nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("started_at", Time, nullable=False),
    # Setup, secret and entropies: see `arena.codec.kept`.
    Column("head", LargeBinary, nullable=False),
    CheckConstraint("position >= 0", name="position_least"),
    # Each rotation of a block is played once.
    UniqueConstraint("block_id", "position"),
)

running_replies = Table(
    "running_replies",
    metadata,
    # An id in `running_matches`, but not a foreign key, as its check would cost more than the row.
    # One writer removes both together; a referee that takes over removes what an error left.
    Column("match_id", Uuid(as_uuid=False), primary_key=True),
    # The number of earlier replies of the match.
    Column("first", Integer, primary_key=True, autoincrement=False),
    Column("replies", LargeBinary, nullable=False),
    # The bots' notes with these replies, see `arena.codec.notes`; None if there are none.
    Column("notes", LargeBinary),
    CheckConstraint("first >= 0", name="first_least"),
)

recorded_batches = Table(
    "recorded_batches",
    metadata,
    # The latest matches that a referee recorded: if it is killed, bots may not know of their end.
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    # The lease; not a foreign key, because a referee that takes it over removes both together.
    Column("epoch", BigInteger, nullable=False),
    now("recorded_at"),
    Column("match_ids", ARRAY(Uuid(as_uuid=False)), nullable=False),
    # The bots' copies by match and seat, without matches in which no copy has a name.
    Column("instances", JSONB, nullable=False),
    CheckConstraint("jsonb_typeof(instances) = 'object'", name="instances_object"),
)

untold_ends = Table(
    "untold_ends",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    # The copy of the bot that had the seat.
    Column("instance", Text, nullable=False),
    now("since"),
    # For the ends to send to a copy that reconnects.
    Index("untold_ends_version_ix", "version_id", "instance", "since"),
)
