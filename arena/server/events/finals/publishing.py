"""Publishes the final of an event: its tournament, pairings and matches, and at last its seed.

A blind final is published as a whole, when it is over and its results are due; a live one block by
block, as blocks are handed in. The final of a private event is not copied; its members see it from
its release on. Published matches reveal only outputs of HMAC-SHA256 under a key that stays secret
until the release, so nobody can compute later deals from them. All matches of a deal become public
together.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any, Final

import structlog
from sqlalchemy import delete, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import from_bytes
from arena.database.advisory_locks import AdvisoryLock
from arena.database.tables.events import event_archives, event_blocks, event_pairings
from arena.database.transaction import alone, fetched, take_long, transaction
from arena.records import Block, BlockKind, FinishedMatch
from arena.scheduling.pairings import Pairing
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.events.finals.archive import PlayedFinal, signed_event
from arena.server.events.finals.final_reading import (
    ARENA,
    end_privacy_of_bots,
    event_of,
    final_of,
    record_of,
)
from arena.server.events.finals.final_tournaments import (
    add_tournament,
    conducted_matches,
    conducted_record,
    tournament_of,
)
from arena.server.results.signing import signer
from arena.server.tournaments import tournament_rows, tournament_statements
from arena.server.tournaments.tournament import PairingKey
from arena.signatures import Signer

PIECE: Final = 50
"""The number of blocks per transaction."""

log = structlog.get_logger()

Record = Callable[[Sequence[FinishedMatch]], Awaitable[None]]
"""Records finished matches, as `Store.record` does."""


async def publish(engine: AsyncEngine, event_id: int, record: Record, piece: int) -> None:
    """Publish the blocks handed in of a public final, unless this is being done already.

    `piece` is the number of blocks per transaction. All ids follow from the seed, so an interrupted
    publication continues with what is missing.
    """
    async with alone(engine, AdvisoryLock.RELEASING, event_id) as first:
        if not first:
            return
        key = await signer(engine)
        async with transaction(engine) as connection:
            event, _ = await event_of(connection, event_id)
            if event.terms.private or event.terms.connected:
                # A private final is not published; matches with connected bots are public already.
                await _release(connection, event_id, key)
                return
            shown = await _shown(connection, event_id)
        if shown is None:
            return
        while await _publish_piece(engine, shown, record, piece):
            pass
        # If it had ended before the loop, all its blocks are published now.
        if shown.event.ended_at is not None:
            async with transaction(engine) as connection:
                tournament_id, ended_at = shown.tournament_id, shown.event.ended_at
                ended = tournament_statements.end_final(tournament_id, "finished", ended_at)
                await connection.execute(ended)
                await connection.execute(tournament_statements.tell(tournament_id))
            async with transaction(engine) as connection:
                await _release(connection, event_id, key)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A final whose tournament can be seen."""

    event: Event
    final: drawing.DrawnFinal
    tournament_id: int


async def _shown(connection: AsyncConnection, event_id: int) -> _Shown | None:
    """Return a final, its pairings so far copied to its tournament; None if it is not public."""
    event, now = await event_of(connection, event_id)
    if event.released_at is not None or not event.is_public(now):
        return None
    final = await final_of(connection, event)
    if event.tournament is None:
        if (await connection.execute(statements.locked(event_id))).first() is None:
            return None
        tournament_id = await add_tournament(connection, event, final)
    else:
        tournament_id = (await tournament_of(connection, event)).id
    await connection.execute(final_statements.publish_pairings(event_id, tournament_id))
    await connection.execute(final_statements.publish_withdrawals(event_id, tournament_id))
    return _Shown(event, final, tournament_id)


async def _publish_piece(engine: AsyncEngine, shown: _Shown, record: Record, size: int) -> bool:
    """Publish the next blocks; return whether there were any."""
    event, final = shown.event, shown.final
    assert event.began_at is not None
    found = await fetched(engine, final_statements.unpublished_blocks(event.id, size))
    if not found:
        return False
    blocks = [_block(final, row) for row in found]
    opened = [
        tournament_rows.block_columns(block, None)
        # The blocks of a pairing count in the order of this time.
        | {"created_at": event.began_at + timedelta(microseconds=row.number)}
        for block, row in zip(blocks, found, strict=True)
    ]
    links = [
        tournament_rows.link_columns(block.id, shown.tournament_id, (row.round, row.table))
        for block, row in zip(blocks, found, strict=True)
    ]
    # In a thread: bots wait for the event loop.
    matches = await asyncio.to_thread(_matches, final, found)
    async with transaction(engine) as connection:
        await connection.execute(tournament_statements.open_blocks(opened))
    await record(matches)
    done = [(row.round, row.table, row.number) for row in found]
    async with transaction(engine) as connection:
        await connection.execute(tournament_statements.open_tournament_blocks(links))
        await connection.execute(final_statements.blocks_published(event.id, done))
        await connection.execute(tournament_statements.tell(shown.tournament_id))
    return True


async def _release(connection: AsyncConnection, event_id: int, key: Signer) -> None:
    """Release a final that is completely published, if its results are due: open its seed.

    `key` signs the archive.
    """
    if (await connection.execute(statements.locked(event_id))).first() is None:
        return
    event, now = await event_of(connection, event_id)
    if not event.is_being_released(now):
        return
    seed = (await connection.execute(statements.secrets_of(event_id))).one().seed
    released = {"seed": bytes(seed), "released_at": statements.clock().scalar_subquery()}
    await connection.execute(statements.change(event_id, released))
    await take_long(connection, idle=True)
    await _add_archive(connection, event_id, key)
    if event.terms.private:
        await end_privacy_of_bots(connection, event)
    else:
        for table in (event_blocks, event_pairings):
            await connection.execute(delete(table).where(table.c.event_id == event_id))
    await audit(connection, ARENA, "release event", event.name)
    await connection.execute(statements.tell(event_id))
    log.info("results of an event released", event_name=event.name)


async def _add_archive(connection: AsyncConnection, event_id: int, key: Signer) -> None:
    """Make and sign the event.json of an archive, before pairings and blocks are deleted here."""
    event, _ = await event_of(connection, event_id)
    assert event.began_at is not None
    final = await final_of(connection, event)
    found = (await connection.execute(statements.entries_of(event_id))).all()
    blocks: dict[PairingKey, Sequence[int]] = {}
    matches: dict[PairingKey, list[str]] | None = None
    if event.terms.connected:
        record = await conducted_record(connection, event)
        matches = await conducted_matches(connection, event)
        blocks = {one: range(1, len(points) + 1) for one, points in record.points.items()}
    else:
        pairings = (await connection.execute(final_statements.pairings_of(event_id))).all()
        played = (await connection.execute(final_statements.blocks_of(event_id))).all()
        record = await asyncio.to_thread(record_of, event, final, pairings, played)
        for where, of_pairing in groupby(played, key=lambda one: (one.round, one.table)):
            blocks[where] = [one.number for one in of_pairing]
    record.tournament = final.tournament(event.name, event.began_at, event.ended_at)
    # In a thread: bots wait for the event loop.
    entries = list(map(rows.entry, found))
    made = await asyncio.to_thread(
        signed_event, event, entries, final, PlayedFinal(record, blocks, matches), key
    )
    archive = insert(event_archives).values(event_id=event_id)
    await connection.execute(archive.values(text=made.text, signature=made.signature))


def _pairing(row: Any) -> Pairing:
    return Pairing(row.round, row.table, tuple(row.entries))


def _block(final: drawing.DrawnFinal, row: Any) -> Block:
    block_id = final.block_id(_pairing(row), row.number)
    return Block(block_id, BlockKind.DEAL, final.rules.seats, rated=False)


def _matches(final: drawing.DrawnFinal, blocks: Sequence[Any]) -> list[FinishedMatch]:
    """Return the matches of some blocks, which are rows of `unpublished_blocks`."""
    found = []
    for row in blocks:
        block = _block(final, row)
        for position, dealt in enumerate(final.matches(_pairing(row), row.number)):
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
