"""The tables of tournaments, in addition to `arena.database.tables.matches`.

tournaments ─< tournament_entries ── versions
     └──< tournament_pairings ─< tournament_blocks ── blocks
"""

from sqlalchemy import (
    ARRAY,
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
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import NAME, Time, metadata, now
from arena.database.tables.bots import versions
from arena.database.tables.matches import blocks

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("game", Text, nullable=False),
    # Only the options that differ from the game's defaults, as in `matches`.
    Column("options", JSONB, nullable=False),
    Column("seat_count", SmallInteger, nullable=False),
    # Seat blocks per pairing.
    Column("blocks", SmallInteger, nullable=False),
    # None if the format and the number of entries determine it.
    Column("rounds", SmallInteger),
    # The number of groups, and how many entries of each advance; None like `rounds`.
    Column("groups", SmallInteger),
    Column("advance", SmallInteger),
    Column("score", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'created'")),
    now("created_at"),
    Column("started_at", Time),
    Column("ended_at", Time),
    # The time control.
    Column("turn_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    # The lease of the referee that conducts it; NULL before it begins. After that referee has
    # ended, it names a removed lease until the senior referee takes over the tournament.
    Column("conductor", BigInteger),
    # Whether a referee conducts it. The final of an event is played by workers instead.
    Column("conducted", Boolean, nullable=False, server_default=text("true")),
    # The seconds that the tables of an absent bot wait before they are walkovers.
    Column("patience_s", Integer, nullable=False, server_default=text("600")),
    CheckConstraint("patience_s >= 1", name="patience_least"),
    CheckConstraint(f"name {NAME}", name="name_allowed"),
    CheckConstraint(
        "format IN ('round-robin', 'swiss', 'knockout', 'gauntlet', 'groups')",
        name="format_known",
    ),
    CheckConstraint("jsonb_typeof(options) = 'object'", name="options_object"),
    CheckConstraint("seat_count >= 2", name="seat_count_least"),
    CheckConstraint("turn_ms >= 0 AND bank_ms >= 0", name="time_least"),
    CheckConstraint("blocks >= 1", name="blocks_least"),
    CheckConstraint("rounds >= 1", name="rounds_least"),
    CheckConstraint("groups >= 1 AND advance >= 1", name="groups_least"),
    CheckConstraint("score IN ('placement', 'winner')", name="score_known"),
    CheckConstraint(
        "state IN ('created', 'running', 'paused', 'finished', 'cancelled')", name="state_known"
    ),
    # A tournament has an end time exactly if it is over.
    CheckConstraint(
        "(state IN ('finished', 'cancelled')) = (ended_at IS NOT NULL)", name="ended_when_over"
    ),
    # One tournament per name, ignoring case.
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
    Column("withdrawn_at", Time),
    # The seconds that tables have waited for it since it was last present; only time in which a
    # referee ran counts.
    Column("waited_s", Double, nullable=False, server_default=text("0")),
    # Why it was absent at the last check.
    Column("absence", Text, nullable=False, server_default=text("''")),
    CheckConstraint("waited_s >= 0", name="waited_least"),
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
    # The entries whose absence made its unplayed blocks walkovers.
    Column("absent", ARRAY(SmallInteger), nullable=False, server_default=text("'{}'")),
    CheckConstraint('"round" >= 1 AND "table" >= 1', name="counted_from_one"),
    CheckConstraint("cardinality(entries) >= 1", name="entries_least"),
)

tournament_blocks = Table(
    "tournament_blocks",
    metadata,
    # A block belongs to one pairing. Only closed blocks count.
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
