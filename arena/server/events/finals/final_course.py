"""The course of a final: it begins, is paired and queued, and ends.

The caller has locked the event; each function returns the changed event.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.database import shift_queue
from arena.database.transaction import take_long
from arena.scheduling.pairings import FormatError, Pairing
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.events.finals.final_reading import (
    ARENA,
    PARAMETERS,
    end_privacy_of_bots,
    event_of,
    final_of,
    record_of,
)
from arena.server.events.finals.final_tournaments import add_tournament, note_end
from arena.server.tournaments import tournament_rows

MOST_QUEUED: Final = 2_000
"""The most blocks of a final that wait in the queue; later looks add the others."""

log = structlog.get_logger()


async def begun(connection: AsyncConnection, event: Event) -> Event:
    """Begin a final, or cancel the event if too few bots can play it."""
    final = await final_of(connection, event)
    fit = sum(not one.withdrawn for one in final.finalists)
    try:
        event.terms.rules.plan(len(final.finalists))
        why = ""
    except FormatError as error:
        why = str(error)
    if why:
        why = (
            f"{len(final.finalists)} of {event.entries} entered bots had "
            + ("a version that can play" if event.terms.connected else "an accepted build")
            + f" at the freeze: {why}"
        )
    elif fit < 2:
        why = f"all but {fit} of {len(final.finalists)} bots are withdrawn"
    if why:
        if event.terms.private:
            await end_privacy_of_bots(connection, event)
        await connection.execute(statements.cancel(event.id, why))
        await audit(connection, ARENA, "cancel event", event.name, {"why": why})
        log.warning("event cancelled", event_name=event.name, why=why)
    else:
        began = {"began_at": statements.clock().scalar_subquery()}
        await connection.execute(statements.change(event.id, began))
        log.info("final begins", event_name=event.name, bots=len(final.finalists))
    await connection.execute(statements.tell(event.id))
    return (await event_of(connection, event.id))[0]


@dataclass(frozen=True, slots=True)
class _Next:
    """The pairings and blocks that are due in a final, and whether it is over."""

    added: list[Pairing]
    blocks: list[tuple[int, int, int]]
    """Round, table and number of the blocks to be played."""
    over: bool


def _next(
    event: Event, final: drawing.DrawnFinal, pairings: Sequence[Any], blocks: Sequence[Any]
) -> _Next:
    record = record_of(event, final, pairings, blocks)
    tournament = record.tournament
    added: list[Pairing] = []
    while more := tournament.plan.next_pairings(
        len(tournament.entries), record.played(), tournament.withdrawn
    ):
        added += more
        record.add_pairings(more)
    # Workers hand blocks in out of order.
    played = {(row.round, row.table, row.number) for row in blocks}
    wanted = [
        (*key, number)
        for key in record.pairings
        if not record.is_given_up(key)
        for number in range(1, record.blocks_wanted(key) + 1)
        if (*key, number) not in played
    ]
    return _Next(added, wanted, over=more is None)


async def went_on(connection: AsyncConnection, event: Event) -> Event:
    """Pair what is due in a final, queue its blocks, and note its end."""
    await take_long(connection, idle=True)
    final = await final_of(connection, event)
    pairings = (await connection.execute(final_statements.pairings_of(event.id))).all()
    blocks = (await connection.execute(final_statements.blocks_of(event.id))).all()
    # In a thread: bots wait for the event loop, and a large Swiss takes a while to pair.
    due = await asyncio.to_thread(_next, event, final, pairings, blocks)
    for start in range(0, len(due.added), PARAMETERS):
        some = [
            tournament_rows.pairing_columns(one) for one in due.added[start : start + PARAMETERS]
        ]
        await connection.execute(final_statements.add_pairings(event.id, some))
    if due.over:
        ended = {"ended_at": statements.clock().scalar_subquery()}
        await connection.execute(statements.change(event.id, ended))
        log.info("final played", event_name=event.name)
        return (await event_of(connection, event.id))[0]
    await connection.execute(shift_queue.queue_lock())
    await connection.execute(shift_queue.queue_finals(event.id, due.blocks[:MOST_QUEUED]))
    return event


async def conducted(connection: AsyncConnection, event: Event) -> Event:
    """Let a referee conduct a final with connected bots, and note its end."""
    if event.tournament is None:
        await add_tournament(connection, event, await final_of(connection, event))
    elif await note_end(connection, event):
        log.info("final played", event_name=event.name)
    return (await event_of(connection, event.id))[0]
