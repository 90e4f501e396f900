"""What Postgres holds. The tables state the rules; the one-line comments say which.

    owners ─< bots ─< versions ─ tokens
                         │
    blocks ─< matches ─< match_seats
                 ├── transcripts
                 ├── rating_events
                 └── match_luck

    tournaments ─< tournament_entries
         └──< tournament_pairings ─< tournament_blocks ── blocks

Results (matches, match_seats, transcripts, rating_events) are only ever added: triggers made by
the migrations refuse every UPDATE, DELETE and TRUNCATE. What changes afterwards, that a block is
void or closed, stands in `blocks`. What follows from results and may be computed again, their luck,
stands in `match_luck`.
"""

from sqlalchemy import (
    ARRAY,
    TIMESTAMP,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

READER_ROLE = "arena_reader"
"""The role that sees everything but tokens and writes nothing."""

RESULTS_CHANNEL = "arena_results"
"""NOTIFY goes here after every batch of results."""

TOKENS_CHANNEL = "arena_tokens"
"""Told when a token was replaced or a version retired: streams it opened must end."""

TOURNAMENTS_CHANNEL = "arena_tournaments"
"""NOTIFY goes here whenever a tournament is created, paired, or changes its state."""

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pk",
        "fk": "%(table_name)s_%(column_0_name)s_fk",
        "ck": "%(table_name)s_%(constraint_name)s",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_ix",
    }
)

_NAME = "~ '^[A-Za-z0-9._-]{1,40}$'"
_Time = TIMESTAMP(timezone=True)


def _now(name: str) -> Column[object]:
    return Column(name, _Time, nullable=False, server_default=func.now())


owners = Table(
    "owners",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    _now("created_at"),
    CheckConstraint(f"name {_NAME}", name="name_allowed"),
    # One owner per name, whatever the capitals.
    Index("owners_name_key", func.lower(text("name")), unique=True),
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), nullable=False, index=True),
    Column("name", Text, nullable=False),
    # One of the platform's own sample bots.
    Column("house", Boolean, nullable=False),
    _now("created_at"),
    Column("retired_at", _Time),
    CheckConstraint(f"name {_NAME}", name="name_allowed"),
    # One bot per name over all owners, whatever the capitals: nobody plays under another's name.
    Index("bots_name_key", func.lower(text("name")), unique=True),
)

versions = Table(
    "versions",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("bot_id", ForeignKey(bots.c.id), nullable=False),
    Column("label", Text, nullable=False),
    _now("created_at"),
    Column("retired_at", _Time),
    CheckConstraint(f"label {_NAME}", name="label_allowed"),
    # A release is made once.
    UniqueConstraint("bot_id", "label"),
)

tokens = Table(
    "tokens",
    metadata,
    # One token per version; beside and not in `versions` so that the reader role cannot see it.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    _now("created_at"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("size", SmallInteger, nullable=False),
    _now("created_at"),
    Column("voided_at", _Time),
    Column("closed_at", _Time),
    # Whether its matches count for the ratings once it is closed.
    Column("rated", Boolean, nullable=False, server_default=text("true")),
    CheckConstraint("kind IN ('seat', 'deal')", name="kind_known"),
    CheckConstraint("size >= 1", name="size_positive"),
    # A block counts or it does not.
    CheckConstraint("voided_at IS NULL OR closed_at IS NULL", name="closed_or_void"),
    # What a starting referee voids.
    Index(
        "blocks_unfinished_ix",
        "id",
        postgresql_where=text("closed_at IS NULL AND voided_at IS NULL"),
    ),
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
    Column("started_at", _Time, nullable=False),
    Column("finished_at", _Time, nullable=False),
    CheckConstraint("jsonb_typeof(options) = 'object'", name="options_object"),
    CheckConstraint("seat_count >= 2", name="seat_count_least"),
    CheckConstraint("position >= 0", name="position_least"),
    CheckConstraint("termination IN ('finished', 'forfeit')", name="termination_known"),
    CheckConstraint("finished_at >= started_at", name="times_ordered"),
    # Each rotation of a block is played once.
    UniqueConstraint("block_id", "position"),
    # The newest matches, page by page; and those of one ladder.
    Index("matches_newest_ix", "finished_at", "id"),
    Index("matches_ladder_ix", "game", "options", "seat_count", "finished_at"),
)

match_seats = Table(
    "match_seats",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), nullable=False),
    # A reserved word in SQL: quote it by hand.
    Column("placing", SmallInteger, nullable=False),
    # None when the game did not reach its end.
    Column("score", Integer),
    Column("faults", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    CheckConstraint("seat >= 0", name="seat_least"),
    CheckConstraint('"placing" >= 1', name="placing_least"),
    CheckConstraint("faults >= 0", name="faults_least"),
    # A bot's matches.
    Index("match_seats_version_ix", "version_id", "match_id"),
)

transcripts = Table(
    "transcripts",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # How `data` is to be read, see `arena.storage.transcripts`.
    Column("format", SmallInteger, nullable=False),
    # Of the serialised transcript before compression.
    Column("sha256", LargeBinary, nullable=False),
    # Compressed by us already: the migration sets STORAGE EXTERNAL.
    Column("data", LargeBinary, nullable=False),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

rating_events = Table(
    "rating_events",
    metadata,
    # Recorders take turns, so sequence order is the order of becoming visible: a reader who
    # remembers the last number that it saw misses nothing.
    Column("sequence", BigInteger, Identity(always=True), primary_key=True),
    # A result is told to the ratings once.
    Column("match_id", ForeignKey(matches.c.id), nullable=False, unique=True),
)

match_luck = Table(
    "match_luck",
    metadata,
    # One luck per match: by the newest table that it was measured by.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # Which table of luck; luck of different tables must not be compared.
    Column("table_file", Text, nullable=False),
    Column("table_sha256", LargeBinary, nullable=False),
    # By seat, in expected points.
    Column("luck", ARRAY(Double), nullable=False),
    CheckConstraint("octet_length(table_sha256) = 32", name="table_sha256_length"),
    # One list. A trigger made by the migration keeps it as long as the match has seats.
    CheckConstraint("array_ndims(luck) = 1", name="luck_by_seat"),
    # Nothing but numbers: to Postgres NaN is greater than infinity.
    CheckConstraint(
        "('Infinity' > ALL (luck) AND '-Infinity' < ALL (luck)) IS TRUE", name="luck_finite"
    ),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("game", Text, nullable=False),
    # Only those that differ from the game's defaults, as in `matches`.
    Column("options", JSONB, nullable=False),
    Column("seat_count", SmallInteger, nullable=False),
    # Seat blocks by pairing.
    Column("blocks", SmallInteger, nullable=False),
    # None where it follows from the format and the number of entries.
    Column("rounds", SmallInteger),
    Column("score", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'created'")),
    _now("created_at"),
    Column("started_at", _Time),
    Column("ended_at", _Time),
    CheckConstraint(f"name {_NAME}", name="name_allowed"),
    CheckConstraint(
        "format IN ('round-robin', 'swiss', 'knockout', 'gauntlet')", name="format_known"
    ),
    CheckConstraint("jsonb_typeof(options) = 'object'", name="options_object"),
    CheckConstraint("seat_count >= 2", name="seat_count_least"),
    CheckConstraint("blocks >= 1", name="blocks_least"),
    CheckConstraint("rounds >= 1", name="rounds_least"),
    CheckConstraint("score IN ('placement', 'winner')", name="score_known"),
    CheckConstraint(
        "state IN ('created', 'running', 'paused', 'finished', 'cancelled')", name="state_known"
    ),
    # What is over has an end, and nothing else has.
    CheckConstraint(
        "(state IN ('finished', 'cancelled')) = (ended_at IS NOT NULL)", name="ended_when_over"
    ),
    # One tournament per name, whatever the capitals.
    Index("tournaments_name_key", func.lower(text("name")), unique=True),
)

tournament_entries = Table(
    "tournament_entries",
    metadata,
    Column("tournament_id", ForeignKey(tournaments.c.id), primary_key=True),
    # The seeding, from 1.
    Column("number", SmallInteger, primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), nullable=False),
    # Its Elo when it was seeded; None if it had none.
    Column("elo", Double),
    Column("withdrawn_at", _Time),
    CheckConstraint("number >= 1", name="number_least"),
    # A version enters once.
    UniqueConstraint("tournament_id", "version_id"),
)

tournament_pairings = Table(
    "tournament_pairings",
    metadata,
    Column("tournament_id", ForeignKey(tournaments.c.id), primary_key=True),
    Column("round", SmallInteger, primary_key=True),
    # A reserved word in SQL: quote it by hand.
    Column("table", SmallInteger, primary_key=True),
    # Numbers of entries, in the order of the first match's seats; a single one has a bye.
    Column("entries", ARRAY(SmallInteger), nullable=False),
    CheckConstraint('"round" >= 1 AND "table" >= 1', name="counted_from_one"),
    CheckConstraint("cardinality(entries) >= 1", name="entries_least"),
)

tournament_blocks = Table(
    "tournament_blocks",
    metadata,
    # A block is played for one pairing. Of several that were begun, those that are closed count.
    Column("block_id", ForeignKey(blocks.c.id), primary_key=True),
    Column("tournament_id", Integer, nullable=False),
    Column("round", SmallInteger, nullable=False),
    Column("table", SmallInteger, nullable=False),
    ForeignKeyConstraint(
        ["tournament_id", "round", "table"],
        [
            tournament_pairings.c.tournament_id,
            tournament_pairings.c.round,
            tournament_pairings.c.table,
        ],
        name="tournament_blocks_pairing_fk",
    ),
    Index("tournament_blocks_pairing_ix", "tournament_id", "round", "table"),
)

append_only = (matches, match_seats, transcripts, rating_events)
"""What triggers keep from being changed."""

readable = (
    *(owners, bots, versions, blocks, *append_only, match_luck),
    *(tournaments, tournament_entries, tournament_pairings, tournament_blocks),
)
"""What the reader role may see: everything but tokens."""
