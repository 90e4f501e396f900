"""Tables of bots and their versions.

    owners ─< bots ─< versions ─ tokens
                         ├─< conformance_checks
                         └── version_counts

The reader role sees everything but tokens. `version_counts` can be computed again from results.
"""

from sqlalchemy import (
    ARRAY,
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
    text,
)

from arena.database.columns import ANY_NAME, FOLDED, NAME, Time, metadata, now
from arena.database.tables.owners import owners

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    Column("name", Text, nullable=False),
    # One of the platform's own sample bots.
    Column("house", Boolean, nullable=False),
    now("created_at"),
    Column("retired_at", Time),
    # Names are unique among all owners, ignoring case, and no two look alike: no bot can be taken
    # for another.
    Column("folded", FOLDED, nullable=False, unique=True),
    Column("skeleton", Text, nullable=False, unique=True),
    # Set while the operator does not let the bot play.
    Column("frozen_at", Time),
    # Set while its owner does not let the bot play.
    Column("paused_at", Time),
    # The owner's description of the bot.
    Column("text", Text, nullable=False, server_default=text("''")),
    Column("language", Text, nullable=False, server_default=text("''")),
    Column("link", Text, nullable=False, server_default=text("''")),
    # The rated matches an hour that it may begin: the owner's choice, and the operator's limit for
    # this bot, which replaces the policy's.
    Column("pace", Integer),
    Column("most_pace", Integer),
    # The owner's choice whether its decisions are in the data sets that the operator exports.
    Column("shares_decisions", Boolean, nullable=False, server_default=text("true")),
    # The owner's choice whether everybody can read its notes.
    Column("shares_notes", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint(ANY_NAME, name="name_allowed"),
    CheckConstraint("char_length(text) <= 1000", name="text_length"),
    CheckConstraint("char_length(language) <= 40", name="language_length"),
    CheckConstraint("pace >= 1", name="pace_least"),
    CheckConstraint("most_pace >= 1", name="most_pace_least"),
    # A page shows the link, so only these schemes are safe.
    CheckConstraint(
        "link = '' OR (link ~ '^https?://' AND char_length(link) <= 200)", name="link_allowed"
    ),
    # An owner's bots by name.
    Index("bots_owner_ix", "owner_id", "folded"),
)

versions = Table(
    "versions",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("bot_id", ForeignKey(bots.c.id), nullable=False),
    Column("label", Text, nullable=False),
    now("created_at"),
    Column("retired_at", Time),
    CheckConstraint(f"label {NAME}", name="label_allowed"),
    # A bot has each version label once.
    UniqueConstraint("bot_id", "label"),
)

tokens = Table(
    "tokens",
    metadata,
    # One token per version; not in `versions`, so that the reader role cannot see it.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    now("created_at"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

conformance_checks = Table(
    "conformance_checks",
    metadata,
    # The last check of each origin: by the version's author, and by the arena.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("origin", Text, primary_key=True),
    # The edition of the scenarios.
    Column("edition", Integer, nullable=False),
    Column("met", SmallInteger, nullable=False),
    # Scenarios by name.
    Column("failed", ARRAY(Text), nullable=False),
    Column("skipped", ARRAY(Text), nullable=False),
    now("recorded_at"),
    CheckConstraint("origin IN ('author', 'arena')", name="origin_known"),
    CheckConstraint("edition >= 1", name="edition_least"),
    CheckConstraint("met >= 0 AND met + cardinality(failed) >= 1", name="something_tried"),
)

version_counts = Table(
    "version_counts",
    metadata,
    # For each version with results, the number of its matches and of its faults in them. A trigger
    # made by the migration updates them at each INSERT into match_seats, in the same transaction.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("matches", BigInteger, nullable=False),
    Column("faults", BigInteger, nullable=False),
    CheckConstraint("matches >= 1", name="matches_least"),
    CheckConstraint("faults >= 0", name="faults_least"),
)
