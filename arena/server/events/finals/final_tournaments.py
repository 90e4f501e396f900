"""The tournaments of the finals of events.

If only builds may enter, workers play the final, and its tournament shows what they have handed in.
With connected bots a referee conducts it like any other tournament, in seat blocks: a program that
runs from match to match would recognise a repeated deal. The event supplies the field, its lots and
the seed of the schedule, and takes over the result.
"""

import asyncio
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.tournaments import tournament_rows, tournament_statements
from arena.server.tournaments.tournament import PairingKey, TournamentRecord, TournamentState


async def add_tournament(
    connection: AsyncConnection, event: Event, final: drawing.DrawnFinal
) -> int:
    """Make the tournament of a final that has begun, link the event to it, and return its id."""
    assert event.began_at is not None
    tournament = final.tournament(await _free_name(connection, event.name), event.began_at)
    rules = tournament.rules
    tournament_id = await connection.scalar(
        tournament_statements.add_tournament(
            {
                "name": tournament.name,
                **tournament_rows.rules_columns(rules),
                "seed": rules.seed,
                "rated": False,
                "patience_s": rules.patience_seconds,
                "state": tournament.state.value,
                "started_at": event.began_at,
                "conducted": event.terms.connected,
            }
        )
    )
    assert tournament_id is not None
    entries = [
        {"number": entry.number, "version_id": entry.registered.version_id, "elo": None}
        for entry in tournament.entries
    ]
    await connection.execute(tournament_statements.add_entries(tournament_id, entries))
    await connection.execute(final_statements.publish_withdrawals(event.id, tournament_id))
    published = {
        "tournament_id": tournament_id,
        "published_at": statements.clock().scalar_subquery(),
    }
    await connection.execute(statements.change(event.id, published))
    await connection.execute(statements.tell(event.id))
    await connection.execute(tournament_statements.tell(tournament_id))
    return int(tournament_id)


async def tournament_of(connection: AsyncConnection, event: Event) -> Row[Any]:
    """Return the tournament of a final, as a row of `tournament_list`. There must be one."""
    named = tournament_statements.tournament_list(name=event.tournament)
    return (await connection.execute(named)).one()


async def withdraw(connection: AsyncConnection, event: Event) -> None:
    """Copy the withdrawals from an event to the tournament of its final, if there is one."""
    if event.tournament is not None:
        tournament = await tournament_of(connection, event)
        await connection.execute(final_statements.publish_withdrawals(event.id, tournament.id))
        await connection.execute(tournament_statements.tell(tournament.id))


async def cancel(connection: AsyncConnection, event: Event) -> None:
    """Cancel the tournament of a final, if there is one that is not over."""
    if event.tournament is not None:
        tournament = await tournament_of(connection, event)
        await connection.execute(tournament_statements.end_final(tournament.id, "cancelled"))
        await connection.execute(tournament_statements.tell(tournament.id))


async def note_end(connection: AsyncConnection, event: Event) -> bool:
    """Return whether a final that a referee conducts is over; if so, record its end."""
    row = await tournament_of(connection, event)
    over = TournamentState(row.state) is TournamentState.FINISHED
    if over:
        await connection.execute(statements.change(event.id, {"ended_at": row.ended_at}))
        await connection.execute(statements.tell(event.id))
    return over


async def conducted_record(connection: AsyncConnection, event: Event) -> TournamentRecord:
    """Return the record of a final that a referee conducts, or has conducted."""
    row = await tournament_of(connection, event)
    entries = (await connection.execute(tournament_statements.entries_of([row.id]))).all()
    pairings = (await connection.execute(tournament_statements.pairings_of(row.id))).all()
    blocks = (await connection.execute(tournament_statements.blocks_of(row.id))).all()
    (tournament,) = tournament_rows.tournaments([row], entries)
    return await asyncio.to_thread(tournament_rows.record, tournament, pairings, blocks)


async def conducted_matches(
    connection: AsyncConnection, event: Event
) -> dict[PairingKey, list[str]]:
    """Return the ids of the matches that count, by pairing, in the order of their blocks."""
    tournament = await tournament_of(connection, event)
    found: dict[PairingKey, list[str]] = {}
    for row in await connection.execute(final_statements.counted_matches(tournament.id)):
        found.setdefault((row.round, row.table), []).append(row.match_id)
    return found


async def _free_name(connection: AsyncConnection, name: str) -> str:
    """Return a name for the tournament of a final: the event's, or one like it if it is taken."""
    number = 1
    tried = name
    while (await connection.execute(tournament_statements.tournament_list(name=tried))).first():
        number += 1
        tried = f"{name[:35]}-{number}"
    return tried
