"""Publishes the final of an event: its matches, its pairings, its tournament and its seed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import from_bytes
from arena.database.advisory_locks import AdvisoryLock
from arena.database.transaction import alone, take_long, transaction
from arena.records import Block, BlockKind, FinishedMatch
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_statements as statements
from arena.server.events import final as drawing
from arena.server.events import final_statements
from arena.server.events.event import Event
from arena.server.events.final_reading import (
    ARENA,
    PARAMETERS,
    Pairings,
    event_of,
    final_of,
    pairing_columns,
    pairings_of,
)
from arena.server.tournaments import tournament_statements

PIECE: Final = 50
"""The number of blocks that are written in one transaction."""

log = structlog.get_logger()

Record = Callable[[Sequence[FinishedMatch]], Awaitable[None]]
"""Records finished matches, as `Store.record` does."""


async def release(engine: AsyncEngine, event_id: int, record: Record, piece: int) -> None:
    """Publish a final that is over, unless another referee does: matches first, then the rest.

    `piece` is the number of blocks of a transaction. All ids follow from the seed, so a release
    that was cut off goes on with what is missing.
    """
    async with alone(engine, AdvisoryLock.RELEASING, event_id) as first:
        if first:
            await _release(engine, event_id, record, piece)


async def _release(engine: AsyncEngine, event_id: int, record: Record, size: int) -> None:
    async with transaction(engine) as connection:
        event, _ = await event_of(connection, event_id)
        if event.released_at is not None:
            return
        final = await final_of(connection, event)
        found = (await connection.execute(final_statements.blocks_of(event_id))).all()
        pairings = await pairings_of(connection, event_id)
    played = final_statements.blocks_of(event_id, matches=True)
    for start in range(0, len(found), size):
        async with transaction(engine) as connection:
            piece = (await connection.execute(played.offset(start).limit(size))).all()
        await _record_piece(engine, event, final, pairings, start, piece, record)
    async with transaction(engine) as connection:
        if (await connection.execute(statements.locked(event_id))).first() is None:
            return
        name = await _free_name(connection, event.name)
        seed = (await connection.execute(statements.secrets_of(event_id))).one().seed
        tournament_id = await _add_tournament(connection, event, final, name)
        for start in range(0, len(pairings), PARAMETERS):
            some = list(pairings.values())[start : start + PARAMETERS]
            await connection.execute(
                tournament_statements.add_pairings(
                    tournament_id,
                    [pairing_columns(pairing) for pairing, _ in some],
                )
            )
        for pairing, absent in pairings.values():
            if absent:
                await connection.execute(
                    tournament_statements.forfeit(
                        tournament_id, pairing.round, pairing.table, absent
                    )
                )
        links = [
            {
                "block_id": final.block_id(pairings[row.round, row.table][0], row.number),
                "tournament_id": tournament_id,
                "round": row.round,
                "table": row.table,
            }
            for row in found
        ]
        for start in range(0, len(links), PARAMETERS):
            some_links = links[start : start + PARAMETERS]
            await connection.execute(tournament_statements.open_tournament_blocks(some_links))
        await connection.execute(
            statements.change(
                event_id,
                {
                    "seed": bytes(seed),
                    "tournament_id": tournament_id,
                    "released_at": statements.clock().scalar_subquery(),
                },
            )
        )
        await take_long(connection)
        for forgotten in final_statements.forget_final(event_id):
            await connection.execute(forgotten)
        await audit(connection, ARENA, "release event", event.name)
        await connection.execute(statements.tell(event_id))
        await connection.execute(tournament_statements.tell(tournament_id))
    log.info("results of an event released", event_name=event.name, blocks=len(found))


async def _record_piece(
    engine: AsyncEngine,
    event: Event,
    final: drawing.Final,
    pairings: Pairings,
    start: int,
    piece: Sequence[Any],
    record: Record,
) -> None:
    assert event.began_at is not None
    opened = [
        {
            "id": final.block_id(pairings[row.round, row.table][0], row.number),
            "kind": BlockKind.DEAL.value,
            "size": event.said.rules.seats,
            "rated": False,
            "epoch": None,
            # A tournament's blocks count in the order of this.
            "created_at": event.began_at + timedelta(microseconds=place),
        }
        for place, row in enumerate(piece, start=start)
    ]
    # In a thread: bots wait for the event loop.
    matches = await asyncio.to_thread(_matches, final, pairings, piece)
    async with transaction(engine) as connection:
        await connection.execute(tournament_statements.open_blocks(opened))
    await record(matches)


def _matches(
    final: drawing.Final,
    pairings: Pairings,
    piece: Sequence[Any],
) -> list[FinishedMatch]:
    """Return the matches of some blocks, which are rows of `final_statements.blocks_of`."""
    found = []
    for row in piece:
        pairing, _ = pairings[row.round, row.table]
        block_id = final.block_id(pairing, row.number)
        block = Block(block_id, BlockKind.DEAL, final.rules.seats, rated=False)
        for position, dealt in enumerate(final.matches(pairing, row.number)):
            written = bytes(row.transcripts[position])
            found.append(
                FinishedMatch(
                    from_bytes(written),
                    written,
                    tuple(final.finalists[one - 1].registered.version_id for one in dealt.entries),
                    block,
                    position,
                    row.started_at[position],
                    row.finished_at[position],
                )
            )
    return found


async def _free_name(connection: AsyncConnection, name: str) -> str:
    """Return a name for the tournament of a final: the event's, or one like it if it is taken."""
    number = 1
    tried = name
    while (await connection.execute(tournament_statements.tournament_list(name=tried))).first():
        number += 1
        tried = f"{name[:35]}-{number}"
    return tried


async def _add_tournament(
    connection: AsyncConnection, event: Event, final: drawing.Final, name: str
) -> int:
    assert event.began_at is not None
    tournament = final.tournament(name, event.began_at, event.ended_at)
    rules = tournament.rules
    tournament_id = await connection.scalar(
        tournament_statements.add_tournament(
            {
                "name": name,
                "format": rules.format.value,
                "game": rules.game,
                "options": dict(rules.options),
                "seat_count": rules.seats,
                "blocks": rules.blocks,
                "rounds": rules.rounds,
                "groups": rules.groups,
                "advance": rules.advance,
                "score": rules.score.value,
                "seed": rules.seed,
                "rated": False,
                "turn_ms": rules.time_control.turn_ms,
                "bank_ms": rules.time_control.bank_ms,
                "patience_s": rules.patience_seconds,
                "state": tournament.state.value,
                "started_at": event.began_at,
                "ended_at": event.ended_at,
            }
        )
    )
    assert tournament_id is not None
    entries = [
        {
            "number": entry.number,
            "version_id": entry.registered.version_id,
            "elo": None,
            "withdrawn_at": event.ended_at if entry.withdrawn else None,
        }
        for entry in tournament.entries
    ]
    await connection.execute(tournament_statements.add_entries(tournament_id, entries))
    return int(tournament_id)
