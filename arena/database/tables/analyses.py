"""The tables of analyses, which are derived from transcripts and may be deleted at any time.

match_analyses          version_losses          version_benchmarks
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from arena.database.columns import metadata, now
from arena.database.tables.bots import versions
from arena.database.tables.matches import matches

match_analyses = Table(
    "match_analyses",
    metadata,
    # One analysis per match: the newest.
    Column("match_id", ForeignKey(matches.c.id), primary_key=True),
    # Names the format of `data` and the values used; losses with different values are not
    # comparable.
    Column("edition", Text, nullable=False),
    # See `arena.lab.analysis.kept_form`. Already compressed: the migration sets STORAGE EXTERNAL.
    Column("data", LargeBinary, nullable=False),
)

version_losses = Table(
    "version_losses",
    metadata,
    # The cost of a version's decisions in analysed matches, by version and table type: the sums
    # for a mean and its error. The transaction that stores an analysis adds to these sums.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("options", JSONB, primary_key=True),
    Column("seat_count", SmallInteger, primary_key=True),
    Column("turn_ms", Integer, primary_key=True),
    Column("bank_ms", Integer, primary_key=True),
    # The edition of the analyses; rows of another edition do not count.
    Column("edition", Text, primary_key=True),
    Column("matches", BigInteger, nullable=False),
    Column("decisions", BigInteger, nullable=False),
    Column("loss", Double, nullable=False),
    Column("decisions_squares", BigInteger, nullable=False),
    Column("loss_squares", Double, nullable=False),
    Column("products", Double, nullable=False),
    CheckConstraint("matches >= 1", name="matches_least"),
    CheckConstraint("decisions >= matches", name="decisions_least"),
    CheckConstraint("loss >= 0", name="loss_least"),
    # For a board, which reads all versions of its ladder.
    Index("version_losses_ladder_ix", "game", "options", "seat_count"),
)

version_benchmarks = Table(
    "version_benchmarks",
    metadata,
    # The latest measurement of the share of two-seat matches that a version wins against the
    # certified house bot, from 0 to 1, with most luck removed, and its 95 % interval.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("share", Double, nullable=False),
    Column("low", Double, nullable=False),
    Column("high", Double, nullable=False),
    now("measured_at"),
    CheckConstraint("matches >= 1", name="matches_least"),
    CheckConstraint("0 <= low AND low <= share AND share <= high AND high <= 1", name="in_order"),
)
