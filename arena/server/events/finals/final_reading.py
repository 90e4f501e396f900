"""Reads events and their finals from the database; shared by the modules that change them."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.server.accounts.auditing import record as audit
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.tournaments import tournament_rows
from arena.server.tournaments.tournament import TournamentRecord

PARAMETERS: Final = 5_000
"""The most rows in one statement: the protocol counts parameters in 16 bits."""
ARENA: Final = "arena"
"""The actor in the audit of what the arena does at its dates."""


async def event_of(connection: AsyncConnection, event_id: int) -> tuple[Event, datetime]:
    """Return an event, and the time of the database."""
    row = (await connection.execute(statements.event_list(ids=[event_id]))).one()
    return rows.event(row), row.now


async def final_of(connection: AsyncConnection, event: Event) -> drawing.DrawnFinal:
    """Return the final of an event that is frozen."""
    seed = (await connection.execute(statements.secrets_of(event.id))).one().seed
    found = await connection.execute(final_statements.finalists(event.id))
    return drawing.DrawnFinal(event.terms.rules, bytes(seed), [rows.finalist(row) for row in found])


async def end_privacy_of_bots(connection: AsyncConnection, event: Event) -> None:
    """Pause the bots of a private event that ends: their owners decide whether they go public."""
    paused = (await connection.scalars(statements.pause_members(event.id))).all()
    if paused:
        await audit(connection, ARENA, "pause bots", event.name, {"bots": sorted(paused)})


def record_of(
    event: Event, final: drawing.DrawnFinal, pairings: Sequence[Any], blocks: Sequence[Any]
) -> TournamentRecord:
    """Return the record of a final from its rows of `pairings_of` and `blocks_of`.

    It takes a while for large finals.
    """
    assert event.began_at is not None
    record = TournamentRecord(final.tournament(event.name, event.began_at))
    tournament_rows.add_pairings(record, pairings)
    seats = event.terms.rules.seats
    record.add_blocks(
        final.counted(
            record.pairings[row.round, row.table], row.number, _by_match(row.placings, seats)
        )
        for row in blocks
    )
    return record


async def record_in(
    connection: AsyncConnection, event: Event, final: drawing.DrawnFinal
) -> TournamentRecord:
    """Return the record of a final whose pairings and blocks are kept with the event."""
    pairings = (await connection.execute(final_statements.pairings_of(event.id))).all()
    blocks = (await connection.execute(final_statements.blocks_of(event.id))).all()
    return await asyncio.to_thread(record_of, event, final, pairings, blocks)


def _by_match(placings: Sequence[int], seats: int) -> list[Sequence[int]]:
    return [placings[at : at + seats] for at in range(0, len(placings), seats)]
