"""SQL statements about the finals of events: builds, pairings, blocks; callers execute them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Insert,
    Text,
    TextClause,
    Update,
    Uuid,
    case,
    cast,
    func,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningUpdate

from arena.builds.hosted import FINAL_TASK
from arena.database.statement import Row
from arena.database.tables.bots import bots, versions
from arena.database.tables.events import (
    event_block_tries,
    event_blocks,
    event_builds,
    event_pairings,
    events,
)
from arena.database.tables.matches import blocks, match_seats, matches, rating_events
from arena.database.tables.owners import owners
from arena.database.tables.tournaments import tournament_blocks, tournaments
from arena.database.tables.uploads import QUEUE_SCHEMA, build_files, builds


def finalists(event_id: int) -> Row:
    """Select the builds that the freeze has fixed.

    The columns are `version_id`, `bot`, `version`, `owner`, `house`, `sha256`, `file_name` and
    `withdrawn`.
    """
    with_files = builds.c.id == event_builds.c.build_id
    named = seen_finalists(event_id).add_columns(builds.c.file_name)
    return named.outerjoin(builds, with_files)


def seen_finalists(event_id: int) -> Row:
    """Select the columns of `finalists` except `file_name`; the reader role may do so."""
    return (
        select(event_builds.c.version_id, bots.c.name.label("bot"))
        .add_columns(versions.c.label.label("version"), owners.c.name.label("owner"))
        .add_columns(bots.c.house, event_builds.c.sha256)
        .add_columns(event_builds.c.withdrawn_at.is_not(None).label("withdrawn"))
        .select_from(
            event_builds.join(bots, bots.c.id == event_builds.c.bot_id)
            .join(owners, owners.c.id == bots.c.owner_id)
            .join(versions, versions.c.id == event_builds.c.version_id)
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


def house(names: Collection[str]) -> Row:
    """Select `name` of the named bots that are house bots."""
    return select(bots.c.name).where(bots.c.house, bots.c.name.in_(names))


def met_house(event_id: int, bots_of_the_house: Collection[str]) -> Row:
    """Select the results of the builds of a freeze against house bots, in rated matches.

    Only matches of the final's table type count. The columns are `version_id`, `house` (the name of
    the bot), `matches` and `points`, in which a tie counts half.
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
        # Matches after the release must not change grades.
        .where(matches.c.finished_at <= func.coalesce(events.c.released_at, func.now()))
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
    """Decide what is left of a pairing against the absent entries, unless that is done already.

    The statement returns the number of its table if it did so.
    """
    return (
        update(event_pairings)
        .where(func.cardinality(event_pairings.c.absent) == 0)
        .where(event_pairings.c.event_id == event_id)
        .where(event_pairings.c.round == round_, event_pairings.c.table == table)
        .values(absent=sorted(absent), reason=why)
        .returning(event_pairings.c.table)
    )


def count_try(event_id: int, round_: int, table: int, number: int) -> Insert:
    """Count a try to play a block; the statement returns `tries` and `first_at`."""
    block = {"event_id": event_id, "round": round_, "table": table, "number": number}
    put = insert(event_block_tries).values(block)
    return put.on_conflict_do_update(
        constraint=event_block_tries.primary_key,
        set_={"tries": event_block_tries.c.tries + 1},
    ).returning(event_block_tries.c.tries, event_block_tries.c.first_at)


def played_since(event_id: int, moment: datetime) -> Row:
    """Select `number` of a block of a final that was played since a moment, if there is one."""
    block = event_blocks.c
    found = select(block.number).where(block.event_id == event_id, block.recorded_at > moment)
    return found.limit(1)


def blocks_of(event_id: int, *more: str) -> Row:
    """Select `round`, `table`, `number`, `placings` and `more` of the blocks of a final, in order.

    Blocks of a public final are kept here until its release.
    """
    block = event_blocks.c
    return (
        select(block.round, block.table, block.number, block.placings)
        .add_columns(*(block[column] for column in more))
        .where(block.event_id == event_id)
        .order_by(block.round, block.table, block.number)
    )


def unpublished_blocks(event_id: int, limit: int) -> Row:
    """Select the first blocks of a final that are not published, in order.

    The columns are `round`, `table`, `number`, `entries` (of the pairing), `transcripts`,
    `started_at` and `finished_at`.
    """
    block = event_blocks.c
    return (
        select(block.round, block.table, block.number, event_pairings.c.entries)
        .add_columns(block.transcripts, block.started_at, block.finished_at)
        .select_from(event_blocks.join(event_pairings))
        .where(block.event_id == event_id, block.published_at.is_(None))
        .order_by(block.round, block.table, block.number)
        .limit(limit)
    )


def blocks_published(event_id: int, blocks: Sequence[tuple[int, int, int]]) -> Update:
    """Note that blocks are published, by round, table and number."""
    block = event_blocks.c
    key = tuple_(block.round, block.table, block.number)
    return (
        update(event_blocks)
        .where(block.event_id == event_id, key.in_(blocks))
        .values(published_at=func.clock_timestamp())
    )


def publish_pairings(event_id: int, tournament_id: int) -> TextClause:
    """Copy the pairings of a final, and who was absent, to its tournament."""
    return text(
        """
        INSERT INTO tournament_pairings AS shown (tournament_id, round, "table", entries, absent)
        SELECT :tournament_id, round, "table", entries, absent
        FROM event_pairings AS paired
        WHERE event_id = :event_id AND NOT EXISTS (
            SELECT FROM tournament_pairings AS there
            WHERE there.tournament_id = :tournament_id AND there.round = paired.round
                AND there."table" = paired."table" AND there.absent = paired.absent
        )
        ON CONFLICT (tournament_id, round, "table") DO UPDATE SET absent = EXCLUDED.absent
        """
    ).bindparams(event_id=event_id, tournament_id=tournament_id)


def publish_withdrawals(event_id: int, tournament_id: int) -> TextClause:
    """Copy the withdrawals from a final to its tournament."""
    return text(
        """
        UPDATE tournament_entries AS entry SET withdrawn_at = build.withdrawn_at
        FROM event_builds AS build
        WHERE build.event_id = :event_id AND build.withdrawn_at IS NOT NULL
            AND entry.tournament_id = :tournament_id AND entry.version_id = build.version_id
            AND entry.withdrawn_at IS NULL
        """
    ).bindparams(event_id=event_id, tournament_id=tournament_id)


def counted_matches(tournament_id: int) -> Row:
    """Select `round`, `table` and `match_id` of a tournament's matches that count, in order.

    The order is by pairing, then by the start of the block, then by rotation.
    """
    of = tournament_blocks.c
    return (
        select(of.round, of.table, cast(matches.c.id, Text).label("match_id"))
        .select_from(
            tournament_blocks.join(blocks).join(matches, matches.c.block_id == blocks.c.id)
        )
        .where(of.tournament_id == tournament_id, blocks.c.closed_at.is_not(None))
        .order_by(of.round, of.table, blocks.c.created_at, blocks.c.id, matches.c.position)
    )


def numbered_blocks(event_id: int, *, entry: int | None, before: int | None, limit: int) -> Row:
    """Select the last blocks of a final; only those of `entry` and before a place, if given.

    The columns are `place` (in the order of rounds, tables and numbers, from 1), `entries` (of the
    pairing), `placings`, `match_ids` and `ended_at`.
    """
    block = event_blocks.c
    place = func.row_number().over(order_by=(block.round, block.table, block.number))
    last = block.finished_at[func.cardinality(block.finished_at)]
    found = (
        select(place.label("place"), event_pairings.c.entries, block.placings, block.match_ids)
        .add_columns(last.label("ended_at"))
        .select_from(event_blocks.join(event_pairings))
        .where(block.event_id == event_id)
        .subquery()
    )
    newest = select(found).order_by(found.c.place.desc()).limit(limit)
    if before is not None:
        newest = newest.where(found.c.place < before)
    return newest if entry is None else newest.where(found.c.entries.contains([entry]))


def transcript(event_id: int, match_id: str) -> Row:
    """Select `transcript`: the serialised transcript of a match of a final that is kept here."""
    kept = event_blocks.c
    place = func.array_position(kept.match_ids, cast(match_id, Uuid(as_uuid=False)))
    return select(kept.transcripts[place].label("transcript")).where(
        kept.event_id == event_id, kept.match_ids.contains([match_id])
    )


def lock_pairing(event_id: int, round_: int, table: int) -> Row:
    """Select the columns of `pairings_of` of one pairing, locked in this transaction."""
    return pairing(event_id, round_, table).with_for_update()


def withdrawn_builds(event_id: int, version_ids: Collection[int]) -> TextClause:
    """Select `version_id` of the withdrawn builds, and lock all: no other can be withdrawn."""
    return text(
        """
        SELECT version_id FROM (
            SELECT version_id, withdrawn_at FROM event_builds
            WHERE event_id = :event_id AND version_id = ANY(CAST(:ids AS integer[]))
            ORDER BY version_id FOR SHARE
        ) AS locked WHERE withdrawn_at IS NOT NULL
        """
    ).bindparams(event_id=event_id, ids=sorted(version_ids))


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


def blocks_in_hand(event_id: int) -> TextClause:
    """Select `blocks`: how many blocks of a final workers play now."""
    return text(
        f"""
        SELECT count(*) AS blocks FROM {QUEUE_SCHEMA}.procrastinate_jobs
        WHERE status = 'doing' AND task_name = '{FINAL_TASK}'
            AND args @> jsonb_build_object('event_id', CAST(:event_id AS integer))
            AND CAST(args->>'round_number' AS integer) > 0
        """  # noqa: S608  our own constants
    ).bindparams(event_id=event_id)
