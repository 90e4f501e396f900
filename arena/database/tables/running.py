"""The tables of running matches and of the referees that play them. For referees alone.

    leases ─< running_blocks ─< running_matches ─< running_replies
       └────< presence >─ versions

    versions ─< untold_ends >─ matches

    recorded_batches

Unlike results these rows are removed: a match's in the transaction that records it. The reader
role sees none of them, because they hold secrets and actions that were shown to no bot.
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
    # A row for each referee that runs. A referee that takes over removes it; its number never comes
    # again. The lowest is that of the senior referee.
    Column("epoch", BigInteger, Identity(always=True), primary_key=True),
    # Which process holds it, so that its death can be seen on the same machine.
    Column("process", Text, nullable=False),
    # The leases whose spooled results this referee still records; it plays nothing before.
    Column("inherited", ARRAY(BigInteger), nullable=False, server_default=text("'{}'")),
    # Incremented while its holder lives; a time would not do, as clocks may be moved.
    Column("renewals", BigInteger, nullable=False, server_default=text("0")),
    now("taken_at"),
    now("renewed_at"),
    # Set when its holder stopped in order, and left its matches to the next.
    Column("released_at", Time),
    # The address where bots reach it, once it listens; empty if it has none of its own.
    Column("address", Text),
    # The number of matches that it plays, updated with each renewal.
    Column("matches", Integer, nullable=False, server_default=text("0")),
    # The share of the last seconds in which it was busy, updated with each renewal.
    Column("load", REAL, nullable=False, server_default=text("0")),
    # At how many of the oldest referees the bots play, as it decides while it is the senior; 0 for
    # all, as also a referee of an earlier release means.
    Column("in_use", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("renewals >= 0", name="renewals_least"),
)

presence = Table(
    "presence",
    metadata,
    # A row for each copy of a bot that is connected to a referee, or sits in a match there. It is
    # removed with the lease, so that a dead referee's rows do not count.
    Column("epoch", ForeignKey(leases.c.epoch, ondelete="CASCADE"), primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), primary_key=True, index=True),
    Column("instance", Text, primary_key=True),
    Column("connected", Boolean, nullable=False),
    # The number of rated matches that it plays there at once; 0 also for a bot that leaves.
    Column("places", SmallInteger, nullable=False),
    # The number of matches in which it has a seat; some seconds old, and 0 while one referee runs
    # alone.
    Column("seats", SmallInteger, nullable=False),
    Column("games", ARRAY(Text), nullable=False),
    CheckConstraint("places >= 0 AND seats >= 0", name="counts_least"),
)

running_blocks = Table(
    "running_blocks",
    metadata,
    # Not a reference: a block of the ladder is in `blocks` from its first result on.
    Column("id", Uuid(as_uuid=False), primary_key=True),
    # The lease of the referee that plays it.
    Column("epoch", ForeignKey(leases.c.epoch), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("size", SmallInteger, nullable=False),
    Column("rated", Boolean, nullable=False),
    # A tournament asked for it.
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
    # Of `running_matches`, but no reference: checking it would cost more than the row. There is one
    # writer, which removes them together; a referee that takes over removes what an error left.
    Column("match_id", Uuid(as_uuid=False), primary_key=True),
    # The number of earlier replies of the match.
    Column("first", Integer, primary_key=True, autoincrement=False),
    Column("replies", LargeBinary, nullable=False),
    # What bots noted beside them, see `arena.codec.notes`; None if nothing.
    Column("notes", LargeBinary),
    CheckConstraint("first >= 0", name="first_least"),
)

recorded_batches = Table(
    "recorded_batches",
    metadata,
    # The matches that a referee recorded last: if it is killed, it may not have sent their ends.
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    # The lease; no reference, because a referee that takes it over removes both together.
    Column("epoch", BigInteger, nullable=False),
    now("recorded_at"),
    Column("match_ids", ARRAY(Uuid(as_uuid=False)), nullable=False),
    # The copies of the bots by match and seat, without matches in which no copy has a name.
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
    # For the ends that a copy gets when it comes back.
    Index("untold_ends_version_ix", "version_id", "instance", "since"),
)
