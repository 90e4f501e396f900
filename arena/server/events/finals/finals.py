"""`Finals`: the finals of events, played by workers and released at their date.

A final is a fold over its record, like any tournament (see `arena.scheduling.pairings`). `keep`
does what is due. It locks each event, so only one referee changes it at a time, and any referee may
go on after a crash. The blocks are jobs of the workers' queue.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import to_bytes
from arena.database.errors import (
    BuildNotKeptError,
    LeaseLostError,
    RequestRefusedError,
    StorageFailedError,
)
from arena.database.tables.events import event_blocks
from arena.database.transaction import fetched, transaction
from arena.match.replay import TranscriptError
from arena.match.transcript import Opening, Transcript
from arena.match.verify import verify
from arena.randomness import commitment
from arena.scheduling.pairings import EntryNumber, Pairing
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events.event import Event, Finalist
from arena.server.events.finals import final as drawing
from arena.server.events.finals import final_statements
from arena.server.events.finals.final_course import begun, conducted, went_on
from arena.server.events.finals.final_progress import FinalProgress, progress
from arena.server.events.finals.final_reading import event_of, final_of
from arena.server.events.finals.publishing import PIECE, Record, publish
from arena.server.events.finals.walkovers import walkover, why_given_up
from arena.signatures import Signer

EVENT_RETRY_SECONDS: Final = 15.0
"""The pause before an event that could not be kept is tried again."""
LEAST_SECONDS: Final = 0.2

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class FinalBlockId:
    """A block of a final."""

    event_id: int
    round: int
    table: int
    number: int


@dataclass(frozen=True, slots=True)
class FinalBlock:
    """A block of a final to be played."""

    builds: tuple[Finalist, ...]
    matches: tuple[drawing.DealtMatch, ...]
    entries: tuple[EntryNumber, ...]
    """The numbers of the entries of `builds`."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A match of a final that a worker has played."""

    transcript: Transcript
    started_at: datetime
    finished_at: datetime


class Finals:
    """The finals in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine, piece: int = PIECE) -> None:
        """Keep the finals in a database; `piece` is how many blocks are published at once."""
        self._engine = engine
        self._piece = piece
        self._publishing = asyncio.Lock()

    # The course of events

    async def keep(self, record: Record) -> float | None:
        """Do what is due in all events; return the seconds until the next date, None without one.

        `record` records the matches of a final that become public.
        """
        async with transaction(self._engine) as connection:
            await connection.execute(statements.freeze_due())
        failed = False
        for (event_id,) in await fetched(self._engine, statements.unfinished()):
            try:
                await self._keep_one(event_id, record)
            except (StorageFailedError, LeaseLostError):
                raise
            except Exception:
                failed = True  # the others go on
                log.exception(
                    "an event is not kept", event_id=event_id, retry_s=EVENT_RETRY_SECONDS
                )
        async with transaction(self._engine) as connection:
            seconds = await connection.scalar(statements.seconds_to_next_date())
        if failed:
            return EVENT_RETRY_SECONDS
        if seconds is None:
            return None
        # What was due before this look is being done by another referee, which then notifies.
        return EVENT_RETRY_SECONDS if seconds < -1 else max(LEAST_SECONDS, float(seconds))

    async def publish(self, record: Record) -> None:
        """Publish the blocks of live finals that are handed in."""
        for (event_id,) in await fetched(self._engine, statements.playing(live=True)):
            await self._publish(event_id, record)

    async def finalists(self, event: Event) -> list[Finalist]:
        """Return the builds that an event's freeze has fixed."""
        found = await fetched(self._engine, final_statements.finalists(event.id))
        return [rows.finalist(row) for row in found]

    async def progress(self, event: Event) -> FinalProgress:
        """Return how far the final of an event is."""
        async with transaction(self._engine) as connection:
            event, now = await event_of(connection, event.id)
            return await progress(connection, event, now)

    async def playing(self) -> bool:
        """Return whether a final has blocks to play."""
        return bool(await fetched(self._engine, statements.playing()))

    async def _keep_one(self, event_id: int, record: Record) -> None:
        async with transaction(self._engine) as connection:
            if (await connection.execute(statements.locked(event_id))).first() is None:
                return
            event, now = await event_of(connection, event_id)
            if event.frozen_at is None:
                return
            if event.began_at is None and now >= event.terms.dates.final:
                event = await begun(connection, event)
            if event.began_at is not None and event.ended_at is None:
                go_on = conducted if event.terms.connected else went_on
                event = await go_on(connection, event)
        if event.is_public(now):
            await self._publish(event_id, record)

    async def _publish(self, event_id: int, record: Record) -> None:
        # Calls here wait for each other: one that `publish` skips could miss a new block.
        async with self._publishing:
            await publish(self._engine, event_id, record, self._piece)

    # The calls of workers

    async def begin_block(self, block: FinalBlockId) -> FinalBlock | None:
        """Return what a block consists of; None if it is not to be played, or not any more."""
        async with transaction(self._engine) as connection:
            found = await _to_play(connection, block)
            if found is None:
                return None
            event, final, pairing = found
            numbers = tuple(sorted(set(pairing.entries)))
            key = (block.round, block.table)
            if why := await why_given_up(connection, event, key, block.number):
                await walkover(connection, event, final, key, numbers, why)
                return None
            return FinalBlock(
                tuple(final.finalists[number - 1] for number in numbers),
                tuple(final.matches(pairing, block.number)),
                numbers,
            )

    async def build_file(self, event_id: int, sha256: bytes) -> bytes:
        """Return the bytes of a build of an event. Raises BuildNotKeptError."""
        async with transaction(self._engine) as connection:
            data = await connection.scalar(final_statements.build_file(event_id, sha256))
        if data is None:
            raise BuildNotKeptError("This event has no such build.")
        return bytes(data)

    async def end_block(
        self, block: FinalBlockId, played: Sequence[HandedIn], signer: Signer
    ) -> None:
        """Record a block that was played; one that is recorded already stays as it is.

        Raises RequestRefusedError unless these are the matches of the block, with the deals that
        they should have, and refereed by the rules.
        """
        async with transaction(self._engine) as connection:
            found = await _to_play(connection, block)
        if found is None:
            return
        event, final, pairing = found
        written = await asyncio.to_thread(checked, final.matches(pairing, block.number), played)
        signed = await asyncio.to_thread(lambda: [to_bytes(signer.signed(one)) for one in written])
        builds = {final.finalists[one - 1].registered.version_id for one in pairing.entries}
        values = {
            "event_id": block.event_id,
            "round": block.round,
            "table": block.table,
            "number": block.number,
            "match_ids": [one.setup.match_id for one in written],
            "transcripts": signed,
            "started_at": [one.started_at for one in played],
            "finished_at": [one.finished_at for one in played],
            "placings": [place for one in written for place in one.result.placing],
        }
        where = (block.event_id, block.round, block.table)
        async with transaction(self._engine) as connection:
            row = (await connection.execute(final_statements.lock_pairing(*where))).one_or_none()
            withdrawn = final_statements.withdrawn_builds(block.event_id, builds)
            # Meanwhile the block may have been decided without play, or the final have ended.
            if row is None or row.absent or (await connection.execute(withdrawn)).first():
                return
            put = insert(event_blocks).values(values).on_conflict_do_nothing()
            if await connection.scalar(put.returning(event_blocks.c.number)) is None:
                return
            count = await connection.scalar(final_statements.block_count(*where))
            # Notify only then: no pairing follows earlier, and a look reads the whole final.
            if count is not None and count >= final.rules.blocks:
                await connection.execute(statements.tell(block.event_id))
            elif event.terms.live:
                await connection.execute(statements.tell(statements.BLOCK))

    async def absent(self, block: FinalBlockId, builds: Sequence[int], why: str) -> None:
        """Decide what is left of a pairing against entries whose builds do not start.

        `builds` are places in `FinalBlock.builds`. Raises RequestRefusedError.
        """
        async with transaction(self._engine) as connection:
            found = await _to_play(connection, block)
            if found is None:
                return
            event, final, pairing = found
            numbers = sorted(set(pairing.entries))
            if not set(builds) <= set(range(len(numbers))):
                raise RequestRefusedError("There is no such build in this block.")
            absent = [numbers[at] for at in builds]
            key = (block.round, block.table)
            await walkover(connection, event, final, key, absent, why)


async def _to_play(
    connection: AsyncConnection, block: FinalBlockId
) -> tuple[Event, drawing.DrawnFinal, Pairing] | None:
    """Return the event, final and pairing of a block; None if it is not to be played."""
    found = (await connection.execute(statements.event_list(ids=[block.event_id]))).one_or_none()
    if found is None or found.began_at is None or found.ended_at or found.cancelled_at:
        return None
    where = (block.event_id, block.round, block.table)
    row = (await connection.execute(final_statements.pairing(*where))).one_or_none()
    if row is None or row.absent:
        return None
    if (await connection.execute(final_statements.block(*where, block.number))).first() is not None:
        return None
    event = rows.event(found)
    final = await final_of(connection, event)
    pairing = Pairing(row.round, row.table, tuple(row.entries))
    if any(final.finalists[number - 1].withdrawn for number in pairing.entries):
        return None
    return event, final, pairing


def checked(wanted: Sequence[drawing.DealtMatch], played: Sequence[HandedIn]) -> list[Transcript]:
    """Return the transcripts, without signatures. Raises RequestRefusedError."""
    if len(played) != len(wanted):
        raise RequestRefusedError(f"The block has {len(wanted)} matches; {len(played)} came.")
    found = []
    for dealt, one in zip(wanted, played, strict=True):
        transcript = one.transcript
        opening = Opening(dealt.secret, dealt.entropies)
        if transcript.setup != dealt.setup or transcript.opening != opening:
            raise RequestRefusedError("A match has the wrong terms or the wrong deal.")
        if transcript.commitment != commitment(dealt.secret) or transcript.signature is not None:
            raise RequestRefusedError("A match has the wrong commitment.")
        if one.finished_at < one.started_at:
            raise RequestRefusedError("A match was over before it began.")
        try:
            verify(transcript)
        except TranscriptError as error:
            raise RequestRefusedError(
                f"A match does not follow from the rules: {error}."
            ) from error
        found.append(transcript)
    return found
