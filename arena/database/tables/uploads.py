"""The tables of hosted bots, in addition to `arena.database.tables.matches`.

    owners ─< builds ── build_files
                └──< hosted_versions ── versions          workers
                        ├──< shifts >───────────────────────┘
                        └── hosted_bots ── bots

The queue of shifts is in the schema `procrastinate`, which that library's own SQL creates. The
reader role sees none of these tables: programs are their owners' secrets.
"""

from typing import Final

from sqlalchemy import (
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

from arena.database.columns import NAME, Time, metadata, now
from arena.database.tables.bots import bots, versions
from arena.database.tables.owners import owners

QUEUE_SCHEMA: Final = "procrastinate"
"""The schema that holds the queue's tables and functions."""

builds = Table(
    "builds",
    metadata,
    # Rows never change: a trigger made by the migration refuses it.
    Column("id", Integer, Identity(always=True), primary_key=True),
    # An owner has a build once. If two owners upload the same build, it is stored twice, so that
    # neither learns about the other's.
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    # Indexed, to find other owners of the same build.
    Column("sha256", LargeBinary, nullable=False, index=True),
    Column("file_name", Text, nullable=False),
    Column("size", Integer, nullable=False),
    now("created_at"),
    UniqueConstraint("owner_id", "sha256"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
    CheckConstraint("file_name IN ('bot.py', 'bot.zip')", name="file_name_known"),
    CheckConstraint("size > 0", name="size_positive"),
)

build_files = Table(
    "build_files",
    metadata,
    # A build that is no longer kept has no row.
    Column("build_id", ForeignKey(builds.c.id), primary_key=True),
    # The file as uploaded; a .zip is compressed already: the migration sets STORAGE EXTERNAL.
    Column("data", LargeBinary, nullable=False),
)

hosted_versions = Table(
    "hosted_versions",
    metadata,
    # The uploaded versions.
    Column("version_id", ForeignKey(versions.c.id), primary_key=True),
    Column("build_id", ForeignKey(builds.c.id), nullable=False, index=True),
    Column("state", Text, nullable=False, server_default=text("'checking'")),
    # Why it was refused; during its check, the current step.
    Column("reason", Text, nullable=False, server_default=text("''")),
    # How often its check was started, so that a build that crashes its worker is not retried for
    # ever.
    Column("checks", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("state IN ('checking', 'accepted', 'refused')", name="state_known"),
    Index("hosted_versions_checking_ix", "version_id", postgresql_where=text("state = 'checking'")),
)

hosted_bots = Table(
    "hosted_bots",
    metadata,
    # The uploaded version with which a bot plays.
    Column("bot_id", ForeignKey(bots.c.id), primary_key=True),
    Column("version_id", ForeignKey(hosted_versions.c.version_id), nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    # The hash of its token; None once the operator has removed the worker.
    Column("sha256", LargeBinary, unique=True),
    now("created_at"),
    # When the worker last began a shift, or was started.
    Column("seen_at", Time),
    # The number of shifts at once that it reported then; 0 if it reported none.
    Column("slots", SmallInteger, nullable=False, server_default=text("0")),
    CheckConstraint("slots >= 0", name="slots_least"),
    CheckConstraint(f"name {NAME}", name="name_allowed"),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
)

shifts = Table(
    "shifts",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("version_id", ForeignKey(hosted_versions.c.version_id), nullable=False),
    Column("worker_id", ForeignKey(workers.c.id), nullable=False),
    # Whether the shift checks the build instead of playing.
    Column("check", Boolean, nullable=False),
    # Whether it plays only in the tournaments that the version has entered.
    Column("tournament", Boolean, nullable=False, server_default=text("false")),
    # The hash of a token that is valid only for playing, and only while the shift runs.
    Column("token_sha256", LargeBinary, unique=True),
    now("began_at"),
    Column("expires_at", Time, nullable=False),
    Column("ended_at", Time),
    Column("outcome", Text, nullable=False, server_default=text("''")),
    # Whether the program ended by itself, did not connect, or exceeded a limit; the next shift is
    # then delayed.
    Column("cut_short", Boolean, nullable=False, server_default=text("false")),
    # The beginning and the end of the program's output.
    Column("log", Text, nullable=False, server_default=text("''")),
    CheckConstraint("octet_length(token_sha256) = 32", name="token_sha256_length"),
    CheckConstraint("ended_at IS NULL OR token_sha256 IS NULL", name="token_while_running"),
    CheckConstraint("octet_length(log) <= 65536", name="log_length"),
    # For the last shift of a version, and for overdue shifts.
    Index("shifts_version_ix", "version_id", "id"),
    Index("shifts_running_ix", "expires_at", postgresql_where=text("ended_at IS NULL")),
)
