"""SQL statements about events and their entries; callers execute them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Delete, Insert, ScalarSelect, Update, and_, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningDelete, ReturningUpdate

from arena.database.channels import EVENTS_CHANNEL
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import (
    event_archives,
    event_builds,
    event_entries,
    event_ladders,
    event_people,
    event_secrets,
    events,
)
from arena.database.tables.owners import audit, owners
from arena.database.tables.tournaments import tournaments
from arena.database.tables.uploads import hosted_bots, hosted_versions

MOST_LISTED = 100
BLOCK = "block"
"""The payload on EVENTS_CHANNEL that says that a block of a live final is handed in."""


def freeze_due() -> Row:
    """Fix the builds of all events whose freeze has come.

    It locks freezes until the end of the transaction, so none happens in the middle of it.
    """
    return select(func.freeze_due_events())


def clock() -> Row:
    """Select the time."""
    return select(func.clock_timestamp())


def cancel(event_id: int, why: str) -> Update:
    """Cancel an event."""
    return change(event_id, {"cancelled_at": func.now(), "why_cancelled": why})


def pause_members(event_id: int) -> ReturningUpdate[Any]:
    """Pause the bots of an event's members; the statement returns their names.

    They are the bots that have entered, and all bots of owners on the roster. Bots that have
    entered another event that is not over are left out.
    """
    entered = select(event_entries.c.bot_id).where(event_entries.c.event_id == event_id)
    elsewhere = (
        select(event_entries.c.bot_id)
        .join(events, events.c.id == event_entries.c.event_id)
        .where(events.c.id != event_id)
        .where(events.c.released_at.is_(None), events.c.cancelled_at.is_(None))
    )
    on_roster = select(event_people.c.owner_id).where(event_people.c.event_id == event_id)
    return (
        update(bots)
        .where(bots.c.id.in_(entered) | bots.c.owner_id.in_(on_roster))
        .where(bots.c.paused_at.is_(None), bots.c.retired_at.is_(None))
        .where(bots.c.id.not_in(elsewhere))
        .values(paused_at=func.now())
        .returning(bots.c.name)
    )


def lock_event(name: str) -> Row:
    """Select `id` of the event of a name, and lock it against changes by other transactions."""
    found = select(events.c.id).where(func.lower(events.c.name) == name.lower())
    return found.with_for_update(key_share=True)


def event_list(*, name: str | None = None, ids: Collection[int] | None = None) -> Row:
    """Select the newest MOST_LISTED events, the one of `name`, or those of `ids`; newest first.

    The columns are those of `events`, `entries` (how many bots have entered), `tournament` (the
    name of the final's), `ladder_house`, `ladder_pace` and `ladder_enough` (None without a ladder
    of its own) and `now`.
    """
    entered = (
        select(func.count())
        .where(event_entries.c.event_id == events.c.id)
        .correlate(events)
        .scalar_subquery()
    )
    found = (
        select(events, entered.label("entries"), tournaments.c.name.label("tournament"))
        .add_columns(event_ladders.c.house.label("ladder_house"))
        .add_columns(event_ladders.c.pace.label("ladder_pace"))
        .add_columns(event_ladders.c.enough.label("ladder_enough"))
        .add_columns(func.clock_timestamp().label("now"))
        .select_from(events.outerjoin(tournaments).outerjoin(event_ladders))
        .order_by(events.c.id.desc())
        .limit(MOST_LISTED)
    )
    if name is not None:
        found = found.where(func.lower(events.c.name) == name.lower())
    return found if ids is None else found.where(events.c.id.in_(ids))


def unfinished() -> Row:
    """Select `id` of the events that are neither released nor cancelled, oldest first."""
    return (
        select(events.c.id)
        .where(events.c.released_at.is_(None), events.c.cancelled_at.is_(None))
        .order_by(events.c.id)
    )


def playing(*, live: bool = False) -> Row:
    """Select `id` of the events whose final is being played; with `live`, only live finals."""
    found = unfinished().where(events.c.began_at.is_not(None), events.c.ended_at.is_(None))
    return found.where(events.c.live) if live else found


def seconds_to_next_date() -> Row:
    """Select `seconds` until the next date of any event; NULL without one.

    A date that has passed but is not acted on gives 0 or less, so that none is missed.
    """
    now = func.clock_timestamp()
    not_over = events.c.released_at.is_(None), events.c.cancelled_at.is_(None)
    day_before = events.c.freezes_at - timedelta(days=1)
    steps = (
        select(events.c.opens_at.label("date")).where(*not_over, events.c.opens_at > now),
        select(day_before).where(*not_over, day_before > now),
        select(events.c.freezes_at).where(*not_over, events.c.frozen_at.is_(None)),
        select(events.c.final_at).where(
            *not_over, events.c.frozen_at.is_not(None), events.c.began_at.is_(None)
        ),
        select(events.c.results_at).where(*not_over, events.c.ended_at.is_not(None)),
    )
    first, *others = steps
    upcoming = first.union_all(*others).subquery()
    wait = func.extract("epoch", func.min(upcoming.c.date) - now)
    return select(wait.label("seconds"))


def locked(event_id: int) -> Row:
    """Select `id` of an unfinished event, locked; no row if another transaction has it locked."""
    return unfinished().where(events.c.id == event_id).with_for_update(skip_locked=True)


def secrets_of(event_id: int) -> Row:
    """Select `seed` and `code_sha256`."""
    return select(event_secrets.c.seed, event_secrets.c.code_sha256).where(
        event_secrets.c.event_id == event_id
    )


def change(event_id: int, values: Mapping[str, Any]) -> Update:
    """Change an event."""
    return update(events).where(events.c.id == event_id).values(dict(values))


def owned_bot(owner_id: int, bot: str, *, connected: bool) -> Row:
    """Select `id`, `name`, `retired_at` and `version` of an owner's bot.

    `version` is the label of the uploaded version that plays; with `connected`, a bot without
    builds has that of its newest version. It is None without either.
    """
    label = versions.c.label
    plays = func.coalesce(label, connected_version()) if connected else label
    return (
        select(bots.c.id, bots.c.name, bots.c.retired_at, plays.label("version"))
        .select_from(
            bots.outerjoin(hosted_bots, hosted_bots.c.bot_id == bots.c.id).outerjoin(
                versions, versions.c.id == hosted_bots.c.version_id
            )
        )
        .where(bots.c.owner_id == owner_id, bots.c.folded == folded(bot))
    )


def connected_version(column: str = "label") -> "ScalarSelect[Any]":
    """Select a column of the newest version in service of the bot in `bots`, if it has no build."""
    newest = versions.alias()
    uploaded = select(hosted_versions.c.version_id).where(
        hosted_versions.c.version_id == newest.c.id
    )
    hosted = select(hosted_bots.c.bot_id).where(hosted_bots.c.bot_id == bots.c.id)
    return (
        select(newest.c[column])
        .where(newest.c.bot_id == bots.c.id, newest.c.retired_at.is_(None))
        .where(~uploaded.exists(), ~hosted.correlate(bots).exists())
        .order_by(newest.c.id.desc())
        .limit(1)
        .correlate(bots)
        .scalar_subquery()
    )


def on_roster(event_id: int, owner_id: int) -> Row:
    """Select `number` of an owner's people on the roster of an event."""
    return select(event_people.c.number).where(
        event_people.c.event_id == event_id, event_people.c.owner_id == owner_id
    )


def roster(event_id: int) -> Row:
    """Select the people of an event, by line.

    The columns are those of `event_people`, and `team`, the owner's name.
    """
    person = event_people.c
    return (
        select(event_people, owners.c.name.label("team"))
        .select_from(event_people.join(owners))
        .where(person.event_id == event_id)
        .order_by(person.number)
    )


def add_people(event_id: int, people: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert people with the columns of `event_people`."""
    return insert(event_people).values([{"event_id": event_id, **one} for one in people])


def change_person(event_id: int, number: int, values: Mapping[str, Any]) -> Update:
    """Change a person of a roster."""
    return (
        update(event_people)
        .where(event_people.c.event_id == event_id, event_people.c.number == number)
        .values(dict(values))
    )


def remove_person(event_id: int, number: int) -> Delete:
    """Remove a person from a roster."""
    return delete(event_people).where(
        event_people.c.event_id == event_id, event_people.c.number == number
    )


def enter(event_id: int, owner_id: int, bot_id: int, team: str) -> Insert:
    """Enter a bot, which replaces the one that its owner entered before."""
    put = insert(event_entries).values(
        event_id=event_id, owner_id=owner_id, bot_id=bot_id, team=team
    )
    return put.on_conflict_do_update(
        index_elements=[event_entries.c.event_id, event_entries.c.owner_id],
        set_={"bot_id": bot_id, "team": team},
    )


def entered_before(event: str, bot: str, moment: datetime) -> Row:
    """Select `id` of a line of the audit that a bot entered an event before a moment, if any."""
    return (
        select(audit.c.id)
        .where(audit.c.action == "enter event", audit.c.subject == event, audit.c.at < moment)
        .where(audit.c.details["bot"].astext == bot)
        .limit(1)
    )


def leave(
    event_id: int, *, owner_id: int | None = None, bot: str | None = None
) -> ReturningDelete[Any]:
    """Remove the entry of an owner, or of a bot; the statement returns its bot's id."""
    gone = delete(event_entries).where(event_entries.c.event_id == event_id)
    if owner_id is not None:
        gone = gone.where(event_entries.c.owner_id == owner_id)
    if bot is not None:
        gone = gone.where(
            event_entries.c.bot_id.in_(select(bots.c.id).where(bots.c.folded == folded(bot)))
        )
    return gone.returning(event_entries.c.bot_id)


def withdraw(event_id: int, bot: str) -> Update:
    """Withdraw a bot from a final; the statement returns its id."""
    return (
        update(event_builds)
        .where(event_builds.c.event_id == event_id, event_builds.c.withdrawn_at.is_(None))
        .where(event_builds.c.bot_id.in_(select(bots.c.id).where(bots.c.folded == folded(bot))))
        .values(withdrawn_at=func.now())
        .returning(event_builds.c.bot_id)
    )


def entries_of(event_id: int) -> Row:
    """Select the entries of an event, by the time of entry; the reader role may do so.

    The columns are `bot`, `owner`, `team`, `entered_at`, and `version`, `sha256`, `withdrawn` of
    the build that the freeze has fixed.
    """
    return (
        select(bots.c.name.label("bot"), owners.c.name.label("owner"), event_entries.c.team)
        .add_columns(event_entries.c.entered_at, versions.c.label.label("version"))
        .add_columns(event_builds.c.sha256)
        .add_columns(event_builds.c.withdrawn_at.is_not(None).label("withdrawn"))
        .select_from(
            event_entries.join(bots, bots.c.id == event_entries.c.bot_id)
            .join(owners, owners.c.id == event_entries.c.owner_id)
            .outerjoin(
                event_builds,
                (event_builds.c.event_id == event_entries.c.event_id)
                & (event_builds.c.bot_id == event_entries.c.bot_id),
            )
            .outerjoin(versions, versions.c.id == event_builds.c.version_id)
        )
        .where(event_entries.c.event_id == event_id)
        .order_by(event_entries.c.entered_at, bots.c.folded)
    )


def ready(event_id: int, *, connected: bool) -> Row:
    """Count the entries of an event that a freeze would take now (see `freeze_due_events`).

    They have an accepted build or, if the event admits it, are `connected`.
    """
    entered = (
        event_entries.join(bots, bots.c.id == event_entries.c.bot_id)
        .join(owners, owners.c.id == bots.c.owner_id)
        .outerjoin(hosted_bots, hosted_bots.c.bot_id == bots.c.id)
        .outerjoin(versions, versions.c.id == hosted_bots.c.version_id)
    )
    hosted = and_(versions.c.id.is_not(None), versions.c.retired_at.is_(None))
    plays = or_(hosted, connected_version().is_not(None)) if connected else hosted
    found = select(func.count()).select_from(entered).where(event_entries.c.event_id == event_id)
    return found.where(plays, bots.c.retired_at.is_(None), owners.c.banned_at.is_(None))


def archive_of(event_id: int) -> Row:
    """Select `text`, the event.json of an event's archive, and its `signature`."""
    kept = event_archives.c
    return select(kept.text, kept.signature).where(kept.event_id == event_id)


def tell(payload: int | str) -> Row:
    """Notify listeners with the id of an event that has changed, or with BLOCK."""
    return select(func.pg_notify(EVENTS_CHANNEL, str(payload)))
