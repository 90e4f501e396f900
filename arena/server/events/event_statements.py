"""SQL statements about events, their entries and their finals; callers execute them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Delete, Insert, TextClause, Update, case, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningDelete, ReturningUpdate

from arena.database.channels import EVENTS_CHANNEL
from arena.database.names import folded
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import (
    event_blocks,
    event_builds,
    event_deliveries,
    event_entries,
    event_notices,
    event_pairings,
    event_people,
    event_secrets,
    event_webhooks,
    events,
)
from arena.database.tables.matches import match_seats, matches, rating_events
from arena.database.tables.owners import owners
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.database.tables.uploads import build_files, builds, hosted_bots, hosted_versions

MOST_LISTED = 100


def freeze_due() -> Row:
    """Fix the builds of all events whose freeze has come.

    What follows in the transaction is before or after every freeze as a whole.
    """
    return select(func.freeze_due_events())


def clock() -> Row:
    """Select the time."""
    return select(func.clock_timestamp())


def cancel(event_id: int, why: str) -> Update:
    """Cancel an event."""
    return change(event_id, {"cancelled_at": func.now(), "why_cancelled": why})


def add_event(values: Mapping[str, Any]) -> Insert:
    """Insert an event unless one has that name; the statement returns its id."""
    return insert(events).values(dict(values)).on_conflict_do_nothing().returning(events.c.id)


def add_secrets(event_id: int, seed: bytes, code_sha256: bytes | None) -> Insert:
    """Insert the seed of an event and the hash of the code of its entries."""
    return insert(event_secrets).values(event_id=event_id, seed=seed, code_sha256=code_sha256)


def lock_event(name: str) -> Row:
    """Select `id` of the event of a name, which nobody else changes in this transaction."""
    found = select(events.c.id).where(func.lower(events.c.name) == name.lower())
    return found.with_for_update(key_share=True)


def event_list(*, name: str | None = None, ids: Collection[int] | None = None) -> Row:
    """Select the newest MOST_LISTED events, the one of `name`, or those of `ids`; newest first.

    The columns are those of `events`, `entries` (how many bots have entered), `tournament` (the
    name of that of the final) and `now`.
    """
    entered = (
        select(func.count())
        .where(event_entries.c.event_id == events.c.id)
        .correlate(events)
        .scalar_subquery()
    )
    found = (
        select(events, entered.label("entries"), tournaments.c.name.label("tournament"))
        .add_columns(func.clock_timestamp().label("now"))
        .select_from(events.outerjoin(tournaments))
        .order_by(events.c.id.desc())
        .limit(MOST_LISTED)
    )
    if name is not None:
        found = found.where(func.lower(events.c.name) == name.lower())
    return found if ids is None else found.where(events.c.id.in_(ids))


def unfinished() -> Row:
    """Select `id` of the events that dates still change, oldest first."""
    return (
        select(events.c.id)
        .where(events.c.released_at.is_(None), events.c.cancelled_at.is_(None))
        .order_by(events.c.id)
    )


def playing() -> Row:
    """Select `id` of the events whose final is being played."""
    return unfinished().where(events.c.began_at.is_not(None), events.c.ended_at.is_(None))


def seconds_to_next_date() -> Row:
    """Select `seconds` until the next date of any event; NULL without one.

    What is due and not done is due at once, so that nothing is missed that came during a look.
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
    return (
        select(events.c.id)
        .where(events.c.id == event_id)
        .where(events.c.released_at.is_(None), events.c.cancelled_at.is_(None))
        .with_for_update(skip_locked=True)
    )


def secrets_of(event_id: int) -> Row:
    """Select `seed` and `code_sha256`."""
    return select(event_secrets.c.seed, event_secrets.c.code_sha256).where(
        event_secrets.c.event_id == event_id
    )


def change(event_id: int, values: Mapping[str, Any]) -> Update:
    """Change an event."""
    return update(events).where(events.c.id == event_id).values(dict(values))


def owned_bot(owner_id: int, bot: str) -> Row:
    """Select `id`, `name`, `retired_at` and `version` of an owner's bot.

    `version` is the label of the uploaded version that plays; None without one.
    """
    return (
        select(bots.c.id, bots.c.name, bots.c.retired_at, versions.c.label.label("version"))
        .select_from(
            bots.outerjoin(hosted_bots, hosted_bots.c.bot_id == bots.c.id).outerjoin(
                versions, versions.c.id == hosted_bots.c.version_id
            )
        )
        .where(bots.c.owner_id == owner_id, bots.c.folded == folded(bot))
    )


def on_roster(event_id: int, owner_id: int) -> Row:
    """Select `number` of an owner's people on the roster of an event."""
    return select(event_people.c.number).where(
        event_people.c.event_id == event_id, event_people.c.owner_id == owner_id
    )


def roster(event_id: int) -> Row:
    """Select the people of an event, by line.

    The columns are `number`, `name`, `email`, `student_number`, `owner_id`, `team` (the owner's
    name) and `bot`, that which the team has entered; None without one.
    """
    entered = event_entries.alias()
    person = event_people.c
    return (
        select(person.number, person.name, person.email, person.student_number, person.owner_id)
        .add_columns(owners.c.name.label("team"), bots.c.name.label("bot"))
        .select_from(
            event_people.join(owners)
            .outerjoin(
                entered,
                (entered.c.event_id == person.event_id) & (entered.c.owner_id == person.owner_id),
            )
            .outerjoin(bots, bots.c.id == entered.c.bot_id)
        )
        .where(person.event_id == event_id)
        .order_by(person.number)
    )


def add_people(event_id: int, people: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert people with `number`, `owner_id`, `name`, `email` and `student_number`."""
    return insert(event_people).values([{"event_id": event_id, **one} for one in people])


def enter(event_id: int, owner_id: int, bot_id: int, team: str) -> Insert:
    """Enter a bot in the place of the one that its owner has entered before."""
    put = insert(event_entries).values(
        event_id=event_id, owner_id=owner_id, bot_id=bot_id, team=team
    )
    return put.on_conflict_do_update(
        index_elements=[event_entries.c.event_id, event_entries.c.owner_id],
        set_={"bot_id": bot_id, "team": team},
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
    """Select the entries of an event, by the time of entry, from what everybody may read.

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


def builds_now(event_id: int) -> Row:
    """Select what the organiser wants to know of the entries of an event.

    The columns are `bot`; `plays`, the label of the version that plays now; and `label`, `state`
    and `reason` of the bot's newest build; all None without one.
    """
    playing, newest = versions.alias(), hosted_versions.alias()
    last = (
        select(func.max(hosted_versions.c.version_id))
        .select_from(hosted_versions.join(versions))
        .where(versions.c.bot_id == bots.c.id)
        .correlate(bots)
        .scalar_subquery()
    )
    label = versions.alias()
    return (
        select(bots.c.name.label("bot"), playing.c.label.label("plays"))
        .add_columns(label.c.label.label("label"), newest.c.state, newest.c.reason)
        .select_from(
            event_entries.join(bots, bots.c.id == event_entries.c.bot_id)
            .outerjoin(hosted_bots, hosted_bots.c.bot_id == bots.c.id)
            .outerjoin(playing, playing.c.id == hosted_bots.c.version_id)
            .outerjoin(newest, newest.c.version_id == last)
            .outerjoin(label, label.c.id == newest.c.version_id)
        )
        .where(event_entries.c.event_id == event_id)
    )


def finalists(event_id: int) -> Row:
    """Select the builds that the freeze has fixed.

    The columns are `version_id`, `bot`, `version`, `owner`, `house`, `sha256`, `file_name` and
    `withdrawn`.
    """
    return (
        select(event_builds.c.version_id, bots.c.name.label("bot"))
        .add_columns(versions.c.label.label("version"), owners.c.name.label("owner"))
        .add_columns(bots.c.house, event_builds.c.sha256, builds.c.file_name)
        .add_columns(event_builds.c.withdrawn_at.is_not(None).label("withdrawn"))
        .select_from(
            event_builds.join(bots, bots.c.id == event_builds.c.bot_id)
            .join(owners, owners.c.id == bots.c.owner_id)
            .join(versions, versions.c.id == event_builds.c.version_id)
            .join(builds, builds.c.id == event_builds.c.build_id)
        )
        .where(event_builds.c.event_id == event_id)
    )


def build_file(event_id: int, sha256: bytes) -> Row:
    """Select `data`: the bytes of a build that an event's freeze has fixed."""
    return (
        select(build_files.c.data)
        .join(event_builds, event_builds.c.build_id == build_files.c.build_id)
        .where(event_builds.c.event_id == event_id, event_builds.c.sha256 == sha256)
        .limit(1)
    )


def met_house(event_id: int, bots_of_the_house: Collection[str]) -> Row:
    """Select the results of the builds of a freeze against bots of the house, in rated matches.

    Only matches at the tables of the final count. The columns are `version_id`, `house` (the name
    of the bot), `matches` and `points`, in which a tie counts half.
    """
    mine, theirs = match_seats.alias(), match_seats.alias()
    half = case((mine.c.placing < theirs.c.placing, 1.0), (mine.c.placing == theirs.c.placing, 0.5))
    return (
        select(mine.c.version_id, bots.c.name.label("house"))
        .add_columns(func.count().label("matches"))
        .add_columns(func.coalesce(func.sum(half), 0.0).label("points"))
        .select_from(
            event_builds.join(events, events.c.id == event_builds.c.event_id)
            .join(mine, mine.c.version_id == event_builds.c.version_id)
            .join(theirs, (theirs.c.match_id == mine.c.match_id) & (theirs.c.seat != mine.c.seat))
            .join(versions, versions.c.id == theirs.c.version_id)
            .join(bots, bots.c.id == versions.c.bot_id)
            .join(matches, matches.c.id == mine.c.match_id)
            .join(rating_events, rating_events.c.match_id == matches.c.id)
        )
        .where(event_builds.c.event_id == event_id, bots.c.house)
        .where(bots.c.name.in_(bots_of_the_house))
        .where(matches.c.game == events.c.game, matches.c.options == events.c.options)
        .where(matches.c.seat_count == events.c.seat_count)
        .where(matches.c.turn_ms == events.c.turn_ms, matches.c.bank_ms == events.c.bank_ms)
        .group_by(mine.c.version_id, bots.c.name)
    )


def faults_of(tournament: str) -> Row:
    """Select `version_id` and `faults` of the matches of a tournament."""
    return (
        select(match_seats.c.version_id, func.sum(match_seats.c.faults).label("faults"))
        .select_from(
            match_seats.join(matches, matches.c.id == match_seats.c.match_id)
            .join(tournament_blocks, tournament_blocks.c.block_id == matches.c.block_id)
            .join(tournaments, tournaments.c.id == tournament_blocks.c.tournament_id)
        )
        .where(tournaments.c.name == tournament)
        .group_by(match_seats.c.version_id)
    )


def add_pairings(event_id: int, pairings: Sequence[Mapping[str, Any]]) -> Insert:
    """Insert pairings, each with `round`, `table` and `entries`."""
    return insert(event_pairings).values([{"event_id": event_id, **one} for one in pairings])


def pairings_of(event_id: int) -> Row:
    """Select `round`, `table`, `entries`, `absent` of a final that is not released."""
    pairing = event_pairings.c
    return (
        select(pairing.round, pairing.table, pairing.entries, pairing.absent)
        .where(pairing.event_id == event_id)
        .order_by(pairing.round, pairing.table)
    )


def pairing(event_id: int, round_: int, table: int) -> Row:
    """Select the columns of `pairings_of` of one pairing."""
    return pairings_of(event_id).where(
        event_pairings.c.round == round_, event_pairings.c.table == table
    )


def forfeit(
    event_id: int, round_: int, table: int, absent: Sequence[int], why: str
) -> ReturningUpdate[Any]:
    """Decide what is left of a pairing against the absent entries, unless it is decided so.

    The statement returns the number of its table.
    """
    return (
        update(event_pairings)
        .where(func.cardinality(event_pairings.c.absent) == 0)
        .where(event_pairings.c.event_id == event_id)
        .where(event_pairings.c.round == round_, event_pairings.c.table == table)
        .values(absent=sorted(absent), reason=why)
        .returning(event_pairings.c.table)
    )


def add_block(values: Mapping[str, Any]) -> Insert:
    """Insert a block that was played, unless it is recorded; the statement returns its number."""
    return (
        insert(event_blocks)
        .values(dict(values))
        .on_conflict_do_nothing()
        .returning(event_blocks.c.number)
    )


def blocks_of(event_id: int, *, matches: bool = False) -> Row:
    """Select `round`, `table`, `number` and `placings` of the blocks of a final, in order.

    With `matches`, also `transcripts`, `started_at` and `finished_at`.
    """
    block = event_blocks.c
    found = (
        select(block.round, block.table, block.number, block.placings)
        .where(block.event_id == event_id)
        .order_by(block.round, block.table, block.number)
    )
    if not matches:
        return found
    return found.add_columns(block.transcripts, block.started_at, block.finished_at)


def lock_pairing(event_id: int, round_: int, table: int) -> Row:
    """Select the columns of `pairings_of` of one pairing, locked in this transaction."""
    return pairing(event_id, round_, table).with_for_update()


def block(event_id: int, round_: int, table: int, number: int) -> Row:
    """Select `number` of a recorded block."""
    found = event_blocks.c
    return select(found.number).where(
        found.event_id == event_id,
        found.round == round_,
        found.table == table,
        found.number == number,
    )


def block_count(event_id: int, round_: int, table: int) -> Row:
    """Select `blocks`: how many blocks of a pairing are recorded."""
    return select(func.count().label("blocks")).where(
        event_blocks.c.event_id == event_id,
        event_blocks.c.round == round_,
        event_blocks.c.table == table,
    )


def forget_final(event_id: int) -> tuple[Delete, Delete]:
    """Delete what was kept of a blind final, which is released."""
    return (
        delete(event_blocks).where(event_blocks.c.event_id == event_id),
        delete(event_pairings).where(event_pairings.c.event_id == event_id),
    )


def add_due_notices() -> TextClause:
    """Add the notices that are due and not there yet; the statement returns their ids."""
    return text(
        """
        INSERT INTO event_notices (event_id, kind)
        SELECT id, kind FROM events CROSS JOIN LATERAL (VALUES
            ('opens', opens_at <= clock_timestamp() AND frozen_at IS NULL
                AND cancelled_at IS NULL AND freezes_at > clock_timestamp()),
            ('last-day', freezes_at - interval '1 day' <= clock_timestamp()
                AND freezes_at > clock_timestamp() AND cancelled_at IS NULL
                AND greatest(opens_at, created_at) < freezes_at - interval '1 day'),
            ('frozen', frozen_at IS NOT NULL),
            ('final', began_at IS NOT NULL),
            ('results', released_at IS NOT NULL),
            ('cancelled', cancelled_at IS NOT NULL)
        ) AS due (kind, is_due)
        WHERE is_due AND coalesce(released_at, cancelled_at, now()) > now() - interval '1 day'
        ORDER BY id
        ON CONFLICT DO NOTHING
        RETURNING id
        """
    )


def add_deliveries(notice_ids: Sequence[int]) -> TextClause:
    """Add the deliveries of new notices to the webhooks of their events."""
    return text(
        """
        INSERT INTO event_deliveries (notice_id, webhook_id)
        SELECT event_notices.id, event_webhooks.id
        FROM event_notices JOIN event_webhooks USING (event_id)
        WHERE event_notices.id = ANY(CAST(:ids AS integer[]))
        """
    ).bindparams(ids=list(notice_ids))


def claim_deliveries(most: int, claim: timedelta) -> TextClause:
    """Claim some deliveries that are due, and return what is needed to send them.

    The columns are `notice_id`, `webhook_id`, `tries`, `url`, `secret`, `event_id`, `kind`, `at`.
    """
    return text(
        """
        UPDATE event_deliveries AS delivery SET due_at = now() + CAST(:claim AS interval)
        FROM event_notices AS notice, event_webhooks AS hook
        WHERE notice.id = delivery.notice_id AND hook.id = delivery.webhook_id
            AND (delivery.notice_id, delivery.webhook_id) IN (
                SELECT notice_id, webhook_id FROM event_deliveries
                WHERE due_at <= now() ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
            )
        RETURNING delivery.notice_id, delivery.webhook_id, delivery.tries, hook.url, hook.secret,
            notice.event_id, notice.kind, notice.at
        """
    ).bindparams(most=most, claim=claim)


def tried(notice_id: int, webhook_id: int, failure: str, pause: timedelta | None) -> Update:
    """Note that a delivery was tried; without a `failure` it is delivered.

    After one it is due again after the pause, or given up without one.
    """
    delivery = event_deliveries.c
    values: dict[str, Any] = {"tries": delivery.tries + 1, "failure": failure, "due_at": None}
    if not failure:
        values["delivered_at"] = func.now()
    elif pause is not None:
        values["due_at"] = func.now() + pause
    return (
        update(event_deliveries)
        .where(delivery.notice_id == notice_id, delivery.webhook_id == webhook_id)
        .values(values)
    )


def seconds_to_next_delivery() -> Row:
    """Select `seconds` until a delivery is due; NULL without one."""
    wait = func.extract("epoch", func.min(event_deliveries.c.due_at) - func.now())
    return select(wait.label("seconds"))


def add_webhook(event_id: int, url: str, secret: str) -> Insert:
    """Insert a webhook unless the event has it; the statement returns its id."""
    values = {"event_id": event_id, "url": url, "secret": secret}
    return (
        insert(event_webhooks)
        .values(values)
        .on_conflict_do_nothing()
        .returning(event_webhooks.c.id)
    )


def remove_webhook(event_id: int, url: str) -> ReturningDelete[Any]:
    """Remove a webhook; the statement returns its id."""
    return (
        delete(event_webhooks)
        .where(event_webhooks.c.event_id == event_id, event_webhooks.c.url == url)
        .returning(event_webhooks.c.id)
    )


def webhooks_of(event_id: int) -> Row:
    """Select `url`, `delivered` and `waiting` (how many notices) and the last `failure`."""
    delivery = event_deliveries.c
    return (
        select(event_webhooks.c.url)
        .add_columns(func.count(delivery.delivered_at).label("delivered"))
        .add_columns(func.count(delivery.due_at).label("waiting"))
        .add_columns(func.coalesce(func.max(delivery.failure), "").label("failure"))
        .select_from(event_webhooks.outerjoin(event_deliveries))
        .where(event_webhooks.c.event_id == event_id)
        .group_by(event_webhooks.c.id)
        .order_by(event_webhooks.c.id)
    )


def notices_of(event_id: int) -> Row:
    """Select `id`, `kind` and `at` of the notices of an event, oldest first."""
    return (
        select(event_notices.c.id, event_notices.c.kind, event_notices.c.at)
        .where(event_notices.c.event_id == event_id)
        .order_by(event_notices.c.id)
    )


def tell(event_id: int) -> Row:
    """Notify listeners that something about an event has changed."""
    return select(func.pg_notify(EVENTS_CHANNEL, str(event_id)))
