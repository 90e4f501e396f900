"""SQL statements about results; the store and the dashboard run them.

Statements about bots and versions are in `arena.server.accounts.bot_statements`; results are
written by `arena.server.results.recording`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Update, and_, exists, func, not_, select, update
from sqlalchemy.dialects.postgresql import Insert, aggregate_order_by, insert

from arena.database.statement import Row
from arena.database.tables.analyses import match_analyses
from arena.database.tables.bots import bots, versions
from arena.database.tables.matches import (
    blocks,
    match_luck,
    match_seats,
    matches,
    rating_events,
    transcript_removals,
    transcripts,
    unfinished,
)
from arena.database.tables.owners import owners
from arena.database.tables.tournaments import tournament_blocks
from arena.match.clock import TimeControl
from arena.records import Block
from arena.server.results.luck_statements import of_the_match


def matches_ended_within(lately: timedelta) -> Row:
    """Return a statement that counts the matches that ended in the last `lately`.

    Column: matches.
    """
    since = func.now() - lately
    return select(func.count(matches.c.id).label("matches")).where(matches.c.finished_at >= since)


# Blocks


def void_block(block_id: str) -> Update:
    """Return a statement that voids a block, unless it is closed."""
    return update(blocks).where(blocks.c.id == block_id, unfinished()).values(voided_at=func.now())


def refuse_block(block: Block) -> Insert:
    """Return a statement that voids a block, and adds it if it is not recorded yet."""
    row = {"id": block.id, "kind": block.kind.value, "size": block.size, "rated": block.rated}
    return (
        insert(blocks)
        .values(**row, voided_at=func.now())
        .on_conflict_do_update(
            index_elements=[blocks.c.id], set_={"voided_at": func.now()}, where=unfinished()
        )
    )


def casual() -> ColumnElement[bool]:
    """Return the condition that a challenge asked for the block."""
    asked_for = exists().where(tournament_blocks.c.block_id == blocks.c.id)
    return and_(not_(blocks.c.rated), not_(asked_for))


# Results


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter of matches; None means any."""

    game: str | None = None
    options: Mapping[str, Any] | None = None
    """Exactly the options that differ from the game's defaults."""
    seat_counts: range | None = None
    time_control: TimeControl | None = None
    rated: bool = False
    """Only matches that count for the ratings."""


def all_matches(wanted: Selection) -> Row:
    """Return a statement that selects matches in the order in which they ended, as `match_rows`."""
    found = match_rows().order_by(matches.c.finished_at, matches.c.id)
    if wanted.rated:
        found = found.where(blocks.c.closed_at.is_not(None), blocks.c.rated)
    if wanted.game is not None:
        found = found.where(matches.c.game == wanted.game)
    if wanted.options is not None:
        found = found.where(matches.c.options == dict(wanted.options))
    if wanted.seat_counts is not None:
        found = found.where(matches.c.seat_count.in_(wanted.seat_counts))
    if wanted.time_control is not None:
        found = found.where(with_time_control(wanted.time_control))
    return found


def with_time_control(time_control: TimeControl) -> ColumnElement[bool]:
    """Return the condition that a match was played with this time control."""
    return and_(
        matches.c.turn_ms == time_control.turn_ms, matches.c.bank_ms == time_control.bank_ms
    )


def transcripts_of(found: Row) -> Row:
    """Return a statement that selects the transcripts of `all_matches`, in the same order.

    Columns: format, sha256, data.
    """
    packed = (transcripts.c.format, transcripts.c.sha256, transcripts.c.data)
    joined = found.with_only_columns(*packed)
    return joined.join(transcripts, transcripts.c.match_id == matches.c.id)


def decisions_of(found: Row, edition: str) -> Row:
    """Return a statement that selects the data of `all_matches` for a data set of decisions.

    It selects the matches whose transcripts are kept, in the same order. Columns: those of
    `match_rows`; format, sha256, data (the transcript); analysis (the kept analysis of this
    edition, packed; None without one); rating_event (its number; None for a match that does not
    count); shared (by seat, whether the bot's owner shares its decisions).
    """
    shared = (
        select(func.array_agg(aggregate_order_by(bots.c.shares_decisions, match_seats.c.seat)))
        .select_from(match_seats.join(versions).join(bots))
        .where(match_seats.c.match_id == matches.c.id)
        .scalar_subquery()
    )
    kept = and_(match_analyses.c.match_id == matches.c.id, match_analyses.c.edition == edition)
    return (
        found.add_columns(transcripts.c.format, transcripts.c.sha256, transcripts.c.data)
        .add_columns(match_analyses.c.data.label("analysis"), shared.label("shared"))
        .add_columns(rating_events.c.sequence.label("rating_event"))
        .join(transcripts, transcripts.c.match_id == matches.c.id)
        .outerjoin(match_analyses, kept)
        .outerjoin(rating_events, rating_events.c.match_id == matches.c.id)
    )


def match_by_id(match_id: str) -> Row:
    """Return a statement that selects one match, as `match_rows`."""
    return match_rows().where(matches.c.id == match_id)


def matches_of_challenge(challenge_id: str) -> Row:
    """Return a statement that selects the matches of a challenge in the order of play.

    Columns: match_id, game, finished_at, seats (and the others of `match_rows`), wanted and over
    (how many matches were asked for, and whether none follows).
    """
    return (
        match_rows()
        .add_columns(blocks.c.size.label("wanted"), not_(unfinished()).label("over"))
        .where(matches.c.block_id == challenge_id, casual())
        .order_by(matches.c.position)
    )


def match_rows() -> Row:
    """Return a statement that selects all matches, in no order.

    Columns: match_id, game, options, seat_count, block_id, position, termination,
    decided_by_faults, started_at, finished_at, turn_ms, bank_ms, rated, voided, unrated, casual,
    luck (by seat, None if it was not measured) and seats: a list by seat of objects with
    version_id, bot, version, owner, placing, score, faults, forfeited.
    """
    seat = func.jsonb_build_object(
        *("version_id", match_seats.c.version_id, "bot", bots.c.name),
        *("version", versions.c.label, "owner", owners.c.name),
        *("placing", match_seats.c.placing, "score", match_seats.c.score),
        *("faults", match_seats.c.faults, "forfeited", match_seats.c.forfeited),
    )
    seats = (
        select(func.jsonb_agg(aggregate_order_by(seat, match_seats.c.seat)))
        .select_from(match_seats.join(versions).join(bots).join(owners))
        .where(match_seats.c.match_id == matches.c.id)
        .scalar_subquery()
    )
    return (
        select(matches.c.id.label("match_id"), matches.c.game, matches.c.options)
        .add_columns(matches.c.seat_count, matches.c.block_id, matches.c.position)
        .add_columns(matches.c.termination, matches.c.decided_by_faults)
        .add_columns(matches.c.started_at, matches.c.finished_at)
        .add_columns(matches.c.turn_ms, matches.c.bank_ms)
        .add_columns(and_(blocks.c.closed_at.is_not(None), blocks.c.rated).label("rated"))
        .add_columns(blocks.c.voided_at.is_not(None).label("voided"), seats.label("seats"))
        .add_columns(not_(blocks.c.rated).label("unrated"), casual().label("casual"))
        .add_columns(match_luck.c.luck)
        .select_from(matches.join(blocks).outerjoin(match_luck, of_the_match()))
    )


def removal_of_transcript(match_id: str) -> Row:
    """Return a statement that selects when the transcript of a match was removed.

    Column: at. There is no row if the transcript is kept, or if there is no such match.
    """
    return (
        select(transcript_removals.c.at)
        .join(matches, transcript_removals.c.until >= matches.c.finished_at)
        .where(matches.c.id == match_id, transcript_removals.c.matches > 0)
        .where(~exists().where(transcripts.c.match_id == matches.c.id))
        .order_by(transcript_removals.c.until)
        .limit(1)
    )


def last_removal() -> Row:
    """Return a statement that selects when transcripts were last removed; NULL if never.

    Column: at.
    """
    return select(func.max(transcript_removals.c.at).label("at")).where(
        transcript_removals.c.matches > 0
    )
