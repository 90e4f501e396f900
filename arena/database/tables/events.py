"""The tables of events, in addition to `arena.database.tables.tournaments`.

    events ─ event_secrets
       ├─ event_archives
       ├──< event_entries ── bots
       ├──< event_builds ── hosted_versions
       ├──< event_organisers ── owners ── event_makers
       ├──< event_people ── owners, owner_members
       ├─── event_ladders
       ├──< event_players ── hosted_versions
       ├──< event_ladder_blocks ─ event_ladder_secrets, event_ladder_transcripts
       └──< event_pairings ─< event_blocks, event_block_tries

The pairings and matches of a final are stored here, where row policies hide them from the reader
role. They are copied to the tables of tournaments and matches when the final is released, or during
play if it is live, and deleted here at the release. Those of a private event stay here. The reader
role sees a private event only on behalf of its members (`arena.database.viewing`).
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
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
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from arena.database.columns import NAME, Time, metadata, now
from arena.database.tables.bots import bots, versions
from arena.database.tables.owners import owner_members, owners
from arena.database.tables.tournaments import tournaments
from arena.database.tables.uploads import builds

events = Table(
    "events",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    Column("title", Text, nullable=False),
    # Markdown.
    Column("text", Text, nullable=False),
    # The rules of the final, as in `tournaments`.
    Column("format", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("options", JSONB, nullable=False),
    Column("seat_count", SmallInteger, nullable=False),
    Column("blocks", SmallInteger, nullable=False),
    Column("rounds", SmallInteger),
    Column("groups", SmallInteger),
    Column("advance", SmallInteger),
    Column("score", Text, nullable=False),
    Column("turn_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    # Whether entered bots may get new builds between the freeze and the release, for the ladder.
    Column("practice", Boolean, nullable=False),
    Column("opens_at", Time, nullable=False),
    Column("freezes_at", Time, nullable=False),
    Column("final_at", Time, nullable=False),
    Column("results_at", Time, nullable=False),
    now("created_at"),
    Column("frozen_at", Time),
    Column("began_at", Time),
    Column("ended_at", Time),
    # When the tournament of the final was created and so became visible.
    Column("published_at", Time),
    Column("released_at", Time),
    Column("cancelled_at", Time),
    Column("why_cancelled", Text, nullable=False, server_default=text("''")),
    # SHA-256 of the seed, published from the start.
    Column("commitment", LargeBinary, nullable=False),
    # The seed, published by the release.
    Column("seed", LargeBinary),
    Column("needs_code", Boolean, nullable=False),
    # Whether only owners of its roster may enter.
    Column("roster_only", Boolean, nullable=False, server_default=text("false")),
    # The greatest number of people in a team, of builds of a bot in a day, and of entered bots.
    Column("most_members", SmallInteger),
    Column("most_builds", SmallInteger),
    Column("most_bots", SmallInteger),
    # Whether the matches of the final are public as they are handed in.
    Column("live", Boolean, nullable=False, server_default=text("false")),
    # Whether only its members see it.
    Column("private", Boolean, nullable=False, server_default=text("false")),
    # Whether connected (not hosted) bots may enter; a referee then plays the final.
    Column("connected", Boolean, nullable=False, server_default=text("false")),
    # The final as a tournament, created by the release, or when a live final begins; none if
    # private.
    Column("tournament_id", ForeignKey(tournaments.c.id), unique=True),
    CheckConstraint(f"name {NAME}", name="name_allowed"),
    CheckConstraint("char_length(title) BETWEEN 1 AND 100", name="title_length"),
    CheckConstraint("char_length(text) <= 20000", name="text_length"),
    CheckConstraint(
        "opens_at < freezes_at AND freezes_at <= final_at AND final_at <= results_at",
        name="dates_ordered",
    ),
    CheckConstraint("octet_length(commitment) = 32", name="commitment_length"),
    CheckConstraint("seed IS NULL OR sha256(seed) = commitment", name="seed_committed"),
    # The seed is not published before the date.
    CheckConstraint(
        "(released_at IS NOT NULL) = (seed IS NOT NULL)"
        " AND (private OR released_at IS NULL OR tournament_id IS NOT NULL)"
        " AND NOT (private AND tournament_id IS NOT NULL)"
        " AND (released_at IS NULL OR released_at >= results_at)",
        name="released_as_a_whole",
    ),
    CheckConstraint("least(most_members, most_builds, most_bots) >= 1", name="limits_least"),
    # Owners of connected bots see their matches, so such a final cannot be secret.
    CheckConstraint("NOT connected OR live", name="connected_live"),
    # Nothing else is published before the date either, unless the final is live. (Referees of
    # earlier releases do not set published_at.)
    CheckConstraint(
        "tournament_id IS NULL OR live"
        " OR coalesce(published_at, released_at, '-infinity') >= results_at",
        name="blind_until_results",
    ),
    CheckConstraint("tournament_id IS NULL OR began_at IS NOT NULL", name="published_begun"),
    CheckConstraint("began_at IS NULL OR frozen_at IS NOT NULL", name="began_frozen"),
    CheckConstraint("ended_at IS NULL OR began_at IS NOT NULL", name="ended_begun"),
    CheckConstraint("released_at IS NULL OR ended_at IS NOT NULL", name="released_ended"),
    # One event per name, ignoring case.
    Index("events_name_key", func.lower(text("name")), unique=True),
    # The events whose state still changes at their dates.
    Index(
        "events_unfinished_ix",
        "id",
        postgresql_where=text("released_at IS NULL AND cancelled_at IS NULL"),
    ),
)

event_secrets = Table(
    "event_secrets",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("seed", LargeBinary, nullable=False),
    # The hash of the code that is needed to enter a bot; None if none is needed.
    Column("code_sha256", LargeBinary),
    CheckConstraint("octet_length(seed) = 32", name="seed_length"),
)

event_entries = Table(
    "event_entries",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("bot_id", ForeignKey(bots.c.id), primary_key=True),
    # An owner may enter one bot.
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    Column("team", Text, nullable=False),
    now("entered_at"),
    UniqueConstraint("event_id", "owner_id"),
    # Finds the events of a bot that changed.
    Index("event_entries_bot_id_ix", "bot_id"),
    CheckConstraint("char_length(team) BETWEEN 1 AND 40", name="team_length"),
)

event_makers = Table(
    "event_makers",
    metadata,
    # The owners that the operator allows to create events.
    Column("owner_id", ForeignKey(owners.c.id), primary_key=True),
)

event_organisers = Table(
    "event_organisers",
    metadata,
    # The owners who organise an event.
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("owner_id", ForeignKey(owners.c.id), primary_key=True),
    Index("event_organisers_owner_ix", "owner_id"),
)

event_people = Table(
    "event_people",
    metadata,
    # The roster of a course: real names, which only the organiser sees.
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    # The line of the roster, from 1.
    Column("number", Integer, primary_key=True),
    # The team of the person.
    Column("owner_id", ForeignKey(owners.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False, server_default=text("''")),
    Column("student_number", Text, nullable=False, server_default=text("''")),
    # The member whose key the person has. If NULL, a captain has the owner's own key, and anybody
    # else has no key any more.
    Column("member_id", ForeignKey(owner_members.c.id, ondelete="SET NULL"), unique=True),
    Column("captain", Boolean, nullable=False, server_default=text("false")),
    # Excused from the grades.
    Column("excused", Boolean, nullable=False, server_default=text("false")),
    Index("event_people_owner_ix", "owner_id"),
)

event_builds = Table(
    "event_builds",
    metadata,
    # The versions and builds with which the entered bots played at the freeze; connected bots have
    # no build. An entry without a version has no row.
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("bot_id", ForeignKey(bots.c.id), primary_key=True),
    Column("version_id", ForeignKey(versions.c.id), nullable=False),
    Column("build_id", ForeignKey(builds.c.id), index=True),
    # The build's hash, for roles that may not read `builds`.
    Column("sha256", LargeBinary),
    # Withdrawn by the organiser after the freeze.
    Column("withdrawn_at", Time),
    CheckConstraint("octet_length(sha256) = 32", name="sha256_length"),
    CheckConstraint("(build_id IS NULL) = (sha256 IS NULL)", name="hashed"),
)

event_archives = Table(
    "event_archives",
    metadata,
    # The document about a released event, and the arena's signature of it. The archive consists of
    # these and the transcripts of the event's matches.
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("text", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)

event_pairings = Table(
    "event_pairings",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("round", SmallInteger, primary_key=True),
    # A reserved word in SQL: quote it by hand.
    Column("table", SmallInteger, primary_key=True),
    Column("entries", ARRAY(SmallInteger), nullable=False),
    Column("absent", ARRAY(SmallInteger), nullable=False, server_default=text("'{}'")),
    # Why the absent entries did not play.
    Column("reason", Text, nullable=False, server_default=text("''")),
    CheckConstraint('"round" >= 1 AND "table" >= 1', name="counted_from_one"),
    CheckConstraint("cardinality(entries) >= 1", name="entries_least"),
)

event_blocks = Table(
    "event_blocks",
    metadata,
    # The primary key ensures that a block of a final is recorded once.
    Column("event_id", Integer, primary_key=True),
    Column("round", SmallInteger, primary_key=True),
    Column("table", SmallInteger, primary_key=True),
    Column("number", SmallInteger, primary_key=True),
    # These columns are by match, in the order of the rotations; transcripts are signed and
    # serialised.
    Column("match_ids", ARRAY(Uuid(as_uuid=False)), nullable=False, server_default=text("'{}'")),
    Column("transcripts", ARRAY(LargeBinary), nullable=False),
    Column("started_at", ARRAY(Time), nullable=False),
    Column("finished_at", ARRAY(Time), nullable=False),
    # By match and then by seat.
    Column("placings", ARRAY(SmallInteger), nullable=False),
    now("recorded_at"),
    # When its matches were copied to the public tables.
    Column("published_at", Time),
    ForeignKeyConstraint(
        ["event_id", "round", "table"],
        [event_pairings.c.event_id, event_pairings.c.round, event_pairings.c.table],
        name="event_blocks_pairing_fk",
    ),
    CheckConstraint("number >= 1", name="number_least"),
    # The blocks to be published.
    Index("event_blocks_unpublished_ix", "event_id", postgresql_where=text("published_at IS NULL")),
)

event_ladders = Table(
    "event_ladders",
    metadata,
    # The events with a ladder of their own.
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    # The house bots that play on it.
    Column("house", ARRAY(Text), nullable=False),
    # The most matches an hour.
    Column("pace", Integer, nullable=False),
    # Builds with this many blocks play only as opponents of others.
    Column("enough", Integer, nullable=False),
    # The number of the last queued block, and when the next one may begin.
    Column("queued", Integer, nullable=False, server_default=text("0")),
    now("due_at"),
    CheckConstraint("pace >= 1 AND enough >= 1", name="limits"),
)

event_players = Table(
    "event_players",
    metadata,
    # The participants of an event's ladder: builds of entered bots, and house bots.
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("event_id", ForeignKey(events.c.id), nullable=False),
    Column("version_id", ForeignKey(versions.c.id)),
    Column("house", Text),
    # The number of blocks that it has begun.
    Column("blocks", Integer, nullable=False, server_default=text("0")),
    CheckConstraint("(version_id IS NULL) <> (house IS NULL)", name="one"),
    UniqueConstraint("event_id", "version_id"),
    UniqueConstraint("event_id", "house"),
)

event_ladder_blocks = Table(
    "event_ladder_blocks",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("number", Integer, primary_key=True),
    # By entry: the deal block is played like a block of a final with only these entries.
    Column("players", ARRAY(Integer), nullable=False),
    now("began_at"),
    Column("ended_at", Time),
    # Why it was not played; hidden from the reader role.
    Column("failure", Text, nullable=False, server_default=text("''")),
    # By match, in the order of the rotations.
    Column("match_ids", ARRAY(Uuid(as_uuid=False)), nullable=False),
    # By match and then by seat.
    Column("placings", ARRAY(SmallInteger)),
    CheckConstraint("placings IS NULL OR ended_at IS NOT NULL", name="placed"),
    Index("event_ladder_blocks_players_ix", "players", postgresql_using="gin"),
    Index("event_ladder_blocks_matches_ix", "match_ids", postgresql_using="gin"),
)

event_ladder_secrets = Table(
    "event_ladder_secrets",
    metadata,
    Column("event_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    # Determines the deal.
    Column("seed", LargeBinary, nullable=False),
    ForeignKeyConstraint(
        ["event_id", "number"],
        [event_ladder_blocks.c.event_id, event_ladder_blocks.c.number],
        name="event_ladder_secrets_block_fk",
    ),
    CheckConstraint("octet_length(seed) = 32", name="length"),
)

event_ladder_transcripts = Table(
    "event_ladder_transcripts",
    metadata,
    # Kept for the newest blocks only.
    Column("event_id", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    # By match: the signed transcript, serialised.
    Column("transcripts", ARRAY(LargeBinary), nullable=False),
    ForeignKeyConstraint(
        ["event_id", "number"],
        [event_ladder_blocks.c.event_id, event_ladder_blocks.c.number],
        name="event_ladder_transcripts_block_fk",
    ),
)

event_block_tries = Table(
    "event_block_tries",
    metadata,
    # How often workers have begun a block of a final, and when they first did.
    Column("event_id", Integer, primary_key=True),
    Column("round", SmallInteger, primary_key=True),
    Column("table", SmallInteger, primary_key=True),
    Column("number", SmallInteger, primary_key=True),
    Column("tries", SmallInteger, nullable=False, server_default=text("1")),
    now("first_at"),
    ForeignKeyConstraint(
        ["event_id", "round", "table"],
        [event_pairings.c.event_id, event_pairings.c.round, event_pairings.c.table],
        name="event_block_tries_pairing_fk",
        ondelete="CASCADE",
    ),
)
