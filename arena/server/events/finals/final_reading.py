"""Reads events and their finals from the database, and what all that write them share."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from arena.scheduling.pairings import Pairing
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.tournaments.tournament import TournamentRecord

PARAMETERS: Final = 5_000
"""The rows of one statement: the protocol counts parameters in 16 bits."""
ARENA: Final = "arena"
"""Who does what is due, in the audit."""


Pairings = Mapping[tuple[int, int], tuple[Pairing, tuple[int, ...]]]
"""The pairings of a final and their absent entries, by round and table."""


async def event_of(connection: AsyncConnection, event_id: int) -> tuple[Event, datetime]:
    """Return an event, and the time of the database."""
    row = (await connection.execute(statements.event_list(ids=[event_id]))).one()
    return rows.event(row), row.now


async def final_of(connection: AsyncConnection, event: Event) -> drawing.DrawnFinal:
    """Return the final of an event that is frozen."""
    seed = (await connection.execute(statements.secrets_of(event.id))).one().seed
    found = await connection.execute(final_statements.finalists(event.id))
    return drawing.DrawnFinal(event.terms.rules, bytes(seed), [rows.finalist(row) for row in found])


async def pairings_of(connection: AsyncConnection, event_id: int) -> Pairings:
    """Return the pairings and their absent entries, by round and table."""
    return pairings((await connection.execute(final_statements.pairings_of(event_id))).all())


def pairings(found: Sequence[Any]) -> Pairings:
    """Return the pairings of rows of `pairings_of`."""
    return {
        (row.round, row.table): (
            Pairing(row.round, row.table, tuple(row.entries)),
            tuple(row.absent),
        )
        for row in found
    }


async def end_privacy_of_bots(connection: AsyncConnection, event: Event) -> None:
    """Pause the bots of a private event that ends: their owners say whether they go public."""
    paused = (await connection.scalars(statements.pause_members(event.id))).all()
    if paused:
        await audit(connection, ARENA, "pause bots", event.name, {"bots": sorted(paused)})


def pairing_columns(pairing: Pairing) -> dict[str, Any]:
    """Return a pairing as the tables of pairings have it."""
    return {
        "round": pairing.round,
        "table": pairing.table,
        "entries": list(pairing.entries),
    }


def record_of(
    event: Event, final: drawing.DrawnFinal, found: Pairings, blocks: Sequence[Any]
) -> TournamentRecord:
    """Return the record of a final from its pairings and its rows (`blocks_of`).

    It takes a while for large finals.
    """
    assert event.began_at is not None
    record = TournamentRecord(final.tournament(event.name, event.began_at))
    record.add_pairings(pairing for pairing, _ in found.values())
    for key, (_, absent) in found.items():
        if absent:
            record.forfeit({key: absent})
    seats = event.terms.rules.seats
    record.add_blocks(
        final.counted(found[row.round, row.table][0], row.number, _by_match(row.placings, seats))
        for row in blocks
    )
    return record


async def record_in(
    connection: AsyncConnection, event: Event, final: drawing.DrawnFinal
) -> TournamentRecord:
    """Return the record of a final whose pairings and blocks are kept with the event."""
    found = await pairings_of(connection, event.id)
    blocks = (await connection.execute(final_statements.blocks_of(event.id))).all()
    return await asyncio.to_thread(record_of, event, final, found, blocks)


def _by_match(placings: Sequence[int], seats: int) -> list[Sequence[int]]:
    return [placings[at : at + seats] for at in range(0, len(placings), seats)]
