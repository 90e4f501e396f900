"""The table of the policy that the operator sets for all bots."""

from sqlalchemy import Boolean, CheckConstraint, Column, Integer, Table, text

from arena.database.columns import metadata

policy = Table(
    "policy",
    metadata,
    # One row, which the migration adds.
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    # The rated matches an hour that a bot without a limit of its own may begin; NULL for any.
    Column("bot_pace", Integer),
    # The number of each bot's newest versions on a ladder that are ranked; NULL for all.
    Column("ranked_versions", Integer),
    # Versions are ranked if they played within this many days; NULL for all.
    Column("ranked_days", Integer),
    # The days for which transcripts of matches outside tournaments are kept; NULL for ever.
    Column("transcript_days", Integer),
    # The days for which notices are kept; NULL for ever.
    Column("notice_days", Integer, server_default=text("90")),
    CheckConstraint("one", name="only_one"),
    CheckConstraint("bot_pace >= 1", name="bot_pace_least"),
    CheckConstraint("ranked_versions >= 1", name="ranked_versions_least"),
    CheckConstraint("ranked_days >= 1", name="ranked_days_least"),
    CheckConstraint("transcript_days >= 1", name="transcript_days_least"),
    CheckConstraint("notice_days >= 1", name="notice_days_least"),
)
