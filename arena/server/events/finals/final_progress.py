"""The progress of a final. Only organisers see it; a blind final is secret until its date."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.scheduling.pairings import FormatError
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final_statements
from arena.server.events.finals.final_reading import final_of, record_in
from arena.server.events.finals.final_tournaments import conducted_record
from arena.server.tournaments.tournament import TournamentRecord

MATCHES_A_MINUTE: Final = 100
"""The matches that one slot plays with bots that answer at once (docs/speed.md, "A final")."""


@dataclass(frozen=True, slots=True)
class FinalProgress:
    """How far a final is, in deal blocks; with connected bots in seat blocks."""

    bots: int
    """The number of bots that play it, or would if the freeze were now."""
    blocks: int
    """All blocks, as far as is known: a knockout may take extra ones."""
    matches: int
    played: int
    """Blocks that are recorded."""
    playing: int
    """Blocks that are played now."""
    walkovers: int
    """Pairings that were decided without play."""
    left: timedelta | None
    """The time until its end at the pace so far; before its start, the time that one slot needs
    with bots that answer at once. None after its start until a block is played, and if it cannot
    be played."""
    why_not: str
    """Why these bots cannot play it; "" if they can."""


async def progress(connection: AsyncConnection, event: Event, now: datetime) -> FinalProgress:
    """Return how far the final of an event is."""
    rules = event.terms.rules
    if event.frozen_at is not None:
        bots = len((await final_of(connection, event)).finalists)
    else:
        ready = statements.ready(event.id, connected=event.terms.connected)
        bots = int(await connection.scalar(ready) or 0)
    try:
        expected = rules.plan(bots).expected_blocks(bots)
    except FormatError as error:
        return FinalProgress(bots, 0, 0, 0, 0, 0, None, str(error))
    if event.began_at is None:
        matches = expected * rules.seats
        left = timedelta(minutes=matches / MATCHES_A_MINUTE)
        return FinalProgress(bots, expected, matches, 0, 0, 0, left, "")
    if event.terms.connected:
        record = await conducted_record(connection, event)
        playing = len(record.open_blocks)
    else:
        record = await record_in(connection, event, await final_of(connection, event))
        playing = int(await connection.scalar(final_statements.blocks_in_hand(event.id)) or 0)
    played = sum(map(len, record.points.values()))
    left_blocks = 0 if event.ended_at is not None else _blocks_left(record, expected)
    past = (event.ended_at or now) - event.began_at
    return FinalProgress(
        bots=bots,
        blocks=played + left_blocks,
        matches=(played + left_blocks) * rules.seats,
        played=played,
        playing=playing,
        walkovers=len(record.forfeits),
        left=past * (left_blocks / played) if played else None,
        why_not="",
    )


def _blocks_left(record: TournamentRecord, expected: int) -> int:
    """Return how many blocks are still to be played, including rounds that are not paired yet."""
    paired = [key for key, pairing in record.pairings.items() if not pairing.is_bye]
    waiting = sum(
        max(0, record.blocks_wanted(key) - record.blocks_counted(key))
        for key in paired
        if not record.is_given_up(key)
    )
    return waiting + max(0, expected - len(paired) * record.tournament.rules.blocks)
