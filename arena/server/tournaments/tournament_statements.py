"""SQL statements about tournaments; callers execute them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    Text,
    Update,
    and_,
    cast,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.types import NullType

from arena.database.channels import EVENTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import events
from arena.database.tables.matches import blocks, match_seats, matches
from arena.database.tables.owners import owners
from arena.database.tables.running import leases
from arena.database.tables.tournaments import (
    tournament_blocks,
    tournament_entries,
    tournament_pairings,
    tournaments,
)


def add_tournament(values: Mapping[str, Any]) -> Insert:
    """Insert a tournament unless one has that name; the statement returns its id."""
    return (
        insert(tournaments)
        .values(dict(values))
        .on_conflict_do_nothing()
        .returning(tournaments.c.id)
    )


def add_entries(tournament_id: int, entries: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert entries, each with `number`, `version_id` and `elo`."""
    return insert(tournament_entries).values(
        [{"tournament_id": tournament_id, **entry} for entry in entries]
    )


def tournament_list(*, name: str | None = None, states: Collection[str] | None = None) -> Row:
    """Select all columns of `tournaments`, oldest first: all, the one of `name`, or by `states`."""
    found = select(tournaments).order_by(tournaments.c.id)
    if name is not None:
        found = found.where(func.lower(tournaments.c.name) == name.lower())
    if states is not None:
        found = found.where(tournaments.c.state.in_(states))
    return found


def conducted_by(epoch: int, ids: Collection[int] | None = None) -> Row:
    """Select all columns of the begun tournaments that are conducted under a lease.

    With `ids`, only those with these ids.
    """
    own = tournaments.c.conductor == epoch
    found = select(tournaments).where(_begun(), own).order_by(tournaments.c.id)
    return found if ids is None else found.where(tournaments.c.id.in_(ids))


def take_up(epoch: int, *, of_the_gone: bool) -> Update:
    """Let a lease conduct the begun tournaments without a conductor.

    With `of_the_gone`, this includes those whose conductor has stopped.
    """
    nobody = tournaments.c.conductor.is_(None)
    gone = tournaments.c.conductor.not_in(select(leases.c.epoch))
    free = or_(nobody, gone) if of_the_gone else nobody
    return update(tournaments).where(_begun(), free).values(conductor=epoch)


def running_lease(epoch: int) -> Row:
    """Select `epoch` if the lease runs, and lock it: nobody takes it over in this transaction."""
    runs = select(leases.c.epoch).where(leases.c.epoch == epoch, leases.c.released_at.is_(None))
    return runs.with_for_update(read=True, key_share=True)


def hand_over(tournament_id: int, epoch: int) -> Update:
    """Let another lease conduct a tournament."""
    return update(tournaments).where(tournaments.c.id == tournament_id).values(conductor=epoch)


def _begun() -> ColumnElement[bool]:
    """Return the condition that a tournament is running or paused, and conducted by a referee."""
    return and_(tournaments.c.state.in_(("running", "paused")), tournaments.c.conducted)


def event_of(tournament_id: int) -> Row:
    """Select `name` of the event whose final a tournament is."""
    return select(events.c.name).where(events.c.tournament_id == tournament_id)


def tell_event(tournament_id: int) -> Row:
    """Notify the referees that keep events, if a tournament is the final of an event."""
    told = func.pg_notify(EVENTS_CHANNEL, cast(events.c.id, Text))
    return select(told).where(events.c.tournament_id == tournament_id)


def end_final(tournament_id: int, state: str, ended_at: datetime | None = None) -> Update:
    """End the final of an event, now or at a time, unless it is over."""
    going_on = tournaments.c.state.in_(("running", "paused"))
    ended = update(tournaments).where(tournaments.c.id == tournament_id, going_on)
    return ended.values(state=state, ended_at=ended_at or func.now())


def newest_tournaments(
    limit: int, *, before: int | None = None, after: int | None = None, search: str = ""
) -> Row:
    """Select all columns of the tournaments with `search` in their name, newest first.

    They are the first `limit` that are older than the tournament `before`, or the last that are
    newer than the tournament `after`.
    """
    number = tournaments.c.id
    found = select(tournaments).where(_named_like(search)).limit(limit)
    if before is not None:
        found = found.where(number < before)
    if after is not None:
        found = found.where(number > after)
    page = found.order_by(number.desc() if after is None else number).subquery()
    return select(page).order_by(page.c.id.desc())


def tournament_count(search: str = "") -> Row:
    """Select `tournaments`: the number of tournaments with `search` in their name."""
    return select(func.count(tournaments.c.id).label("tournaments")).where(_named_like(search))


def _named_like(search: str) -> ColumnElement[bool]:
    """Return the condition that a name contains `search`, ignoring case."""
    return func.lower(tournaments.c.name).contains(search.lower(), autoescape=True)


def last_activity(tournament_id: int) -> Row:
    """Select `active_at`: when a block last began or ended; None before the first."""
    ended = func.coalesce(blocks.c.closed_at, blocks.c.voided_at, blocks.c.created_at)
    return (
        select(func.max(ended).label("active_at"))
        .select_from(tournament_blocks.join(blocks))
        .where(tournament_blocks.c.tournament_id == tournament_id)
    )


def entries_of(tournament_ids: Collection[int]) -> Row:
    """Select the entries of tournaments, in order.

    The columns are `tournament_id`, `number`, `version_id`, `bot`, `version`, `owner`, `house`,
    `elo`, `withdrawn`, `waited_s` and `absence`.
    """
    entry = tournament_entries.c
    return (
        select(entry.tournament_id, entry.number, entry.version_id, entry.elo)
        .add_columns(entry.waited_s, entry.absence)
        .add_columns(entry.withdrawn_at.is_not(None).label("withdrawn"))
        .add_columns(bots.c.name.label("bot"), versions.c.label.label("version"))
        .add_columns(owners.c.name.label("owner"), bots.c.house)
        .select_from(tournament_entries.join(versions).join(bots).join(owners))
        .where(entry.tournament_id.in_(tournament_ids))
        .order_by(entry.tournament_id, entry.number)
    )


def set_state(tournament_id: int, state: str, *, before: Collection[str]) -> Update:
    """Change the state if it is one of `before`; the statement returns the id if it was."""
    times: dict[str, ColumnElement[Any]] = {}
    if state == "running":
        times["started_at"] = func.coalesce(tournaments.c.started_at, func.now())
    if state in ("finished", "cancelled"):
        times["ended_at"] = func.now()
    return (
        update(tournaments)
        .where(tournaments.c.id == tournament_id, tournaments.c.state.in_(before))
        .values(state=state, **times)
        .returning(tournaments.c.id)
    )


def withdraw(tournament_id: int, number: int) -> Update:
    """Withdraw an entry; an earlier time of withdrawal is kept."""
    entry = tournament_entries.c
    return (
        update(tournament_entries)
        .where(entry.tournament_id == tournament_id, entry.number == number)
        .where(entry.withdrawn_at.is_(None))
        .values(withdrawn_at=func.now())
    )


def add_wait(tournament_id: int, number: int, seconds: float, absence: str) -> Update:
    """Add to the time that tables have waited for an absent entry; return the sum."""
    entry = tournament_entries.c
    return (
        update(tournament_entries)
        .where(entry.tournament_id == tournament_id, entry.number == number)
        .values(waited_s=entry.waited_s + seconds, absence=absence)
        .returning(entry.waited_s)
    )


def end_waits(tournament_id: int, numbers: Collection[int]) -> Update:
    """Reset the time that tables have waited for present entries; return their numbers."""
    entry = tournament_entries.c
    return (
        update(tournament_entries)
        .where(entry.tournament_id == tournament_id, entry.number.in_(numbers), entry.waited_s > 0)
        .values(waited_s=0, absence="")
        .returning(entry.number)
    )


def forfeit(tournament_id: int, round_: int, table: int, absent: Collection[int]) -> Update:
    """Make the unplayed blocks of a pairing walkovers against its absent entries."""
    pairing = tournament_pairings.c
    return (
        update(tournament_pairings)
        .where(pairing.tournament_id == tournament_id)
        .where(pairing.round == round_, pairing.table == table)
        .values(absent=sorted(absent))
    )


def add_pairings(tournament_id: int, pairings: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert pairings, each with `round`, `table` and `entries`; existing ones stay unchanged."""
    rows = [{"tournament_id": tournament_id, **pairing} for pairing in pairings]
    return insert(tournament_pairings).values(rows).on_conflict_do_nothing()


def pairings_of(tournament_id: int) -> Row:
    """Select `round`, `table`, `entries` and `absent`, by round and table."""
    pairing = tournament_pairings.c
    return (
        select(pairing.round, pairing.table, pairing.entries, pairing.absent)
        .where(pairing.tournament_id == tournament_id)
        .order_by(pairing.round, pairing.table)
    )


def open_blocks(rows: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert begun blocks unless they exist.

    Each has `id`, `kind`, `size`, `rated` and `epoch`.
    """
    return insert(blocks).values([dict(row) for row in rows]).on_conflict_do_nothing()


def open_tournament_blocks(rows: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert the pairings of begun blocks: `block_id`, `tournament_id`, `round`, `table`."""
    return insert(tournament_blocks).values([dict(row) for row in rows]).on_conflict_do_nothing()


def blocks_of(
    tournament_id: int, block_ids: Collection[str] | None = None, *, after: str | None = None
) -> Row:
    """Select the blocks of a tournament in the order begun.

    They are all, those of `block_ids`, or those begun `after` a block. The columns are `block_id`,
    `round`, `table`, `closed`, `voided` and, match by match and seat by seat within it, the lists
    `version_ids`, `placings` and `positions` (None without a match).
    """

    def listed(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
        """Return a column's values as one list in the order of positions and seats."""
        in_order = aggregate_order_by(column, matches.c.position, match_seats.c.seat)
        every = func.array_agg(in_order, type_=NullType())
        return every.filter(match_seats.c.match_id.is_not(None)).label(name)

    found = (
        select(tournament_blocks.c.block_id, tournament_blocks.c.round, tournament_blocks.c.table)
        .add_columns(blocks.c.closed_at.is_not(None).label("closed"))
        .add_columns(blocks.c.voided_at.is_not(None).label("voided"))
        .add_columns(listed(match_seats.c.version_id, "version_ids"))
        .add_columns(listed(match_seats.c.placing, "placings"))
        .add_columns(listed(matches.c.position, "positions"))
        .select_from(
            tournament_blocks.join(blocks)
            .outerjoin(matches, matches.c.block_id == blocks.c.id)
            .outerjoin(match_seats, match_seats.c.match_id == matches.c.id)
        )
        .where(tournament_blocks.c.tournament_id == tournament_id)
        .group_by(tournament_blocks.c.block_id, blocks.c.id)
        .order_by(blocks.c.created_at, blocks.c.id)
    )
    if block_ids is not None:
        found = found.where(tournament_blocks.c.block_id.in_(block_ids))
    if after is not None:
        last = blocks.alias()
        begun = select(last.c.created_at).where(last.c.id == after).scalar_subquery()
        found = found.where(
            tuple_(blocks.c.created_at, blocks.c.id) > tuple_(begun, literal(after, last.c.id.type))
        )
    return found


def block_counts(tournament_ids: Collection[int]) -> Row:
    """Select `tournament_id` and `blocks`, the number that count; no row if none counts."""
    closed = and_(blocks.c.id == tournament_blocks.c.block_id, blocks.c.closed_at.is_not(None))
    return (
        select(tournament_blocks.c.tournament_id, func.count().label("blocks"))
        .select_from(tournament_blocks.join(blocks, closed))
        .where(tournament_blocks.c.tournament_id.in_(tournament_ids))
        .group_by(tournament_blocks.c.tournament_id)
    )


def tell(tournament_id: int) -> Row:
    """Notify listeners with NOTIFY that something about a tournament has changed."""
    return select(func.pg_notify(TOURNAMENTS_CHANNEL, str(tournament_id)))
