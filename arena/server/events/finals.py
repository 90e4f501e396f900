"""`Finals`: the finals of events, played in secret and released at their date.

A final is a fold over its record, like any tournament (see `arena.scheduling.pairings`): `keep`
looks what is due and does it, in transactions of which only one at a time has an event. So any
referee may do it, after any crash. The blocks are jobs of the workers' queue.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import from_bytes, to_bytes
from arena.database import shift_queue
from arena.database.errors import (
    BuildNotKeptError,
    EventRefusedError,
    LeaseLostError,
    StorageFailedError,
)
from arena.database.transaction import transaction
from arena.match.replay import TranscriptError
from arena.match.transcript import Opening, Transcript
from arena.match.verify import verify
from arena.randomness import commitment
from arena.records import Block, BlockKind, FinishedMatch
from arena.scheduling.pairings import EntryNumber, FormatError, Pairing
from arena.server.accounts.auditing import record as audit
from arena.server.events import event_rows as rows
from arena.server.events import event_statements as statements
from arena.server.events import final as drawing
from arena.server.events.event import Event, Finalist
from arena.server.tournaments import tournament_statements
from arena.server.tournaments.tournament import TournamentRecord
from arena.signatures import Signer

RETRY_SECONDS: Final = 15.0
"""The pause before an event that could not be kept is tried again."""
LEAST_SECONDS: Final = 0.2
PIECE: Final = 50
"""The number of blocks of a released final that are written in one transaction."""
PARAMETERS: Final = 5_000
"""The rows of one statement: the protocol counts parameters in 16 bits."""
_ARENA: Final = "arena"

log = structlog.get_logger()

Record = Callable[[Sequence[FinishedMatch]], Awaitable[None]]
"""Records finished matches, as `Store.record` does."""


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

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    # The course of events

    async def keep(self, record: Record) -> float | None:
        """Do what is due in all events; return the seconds until the next date, None without one.

        `record` records the matches of a final that is released.
        """
        async with self._transaction() as connection:
            await connection.execute(statements.freeze_due())
        async with self._transaction() as connection:
            ids = (await connection.scalars(statements.unfinished())).all()
        failed = False
        for event_id in ids:
            try:
                await self._keep_one(event_id, record)
            except (StorageFailedError, LeaseLostError):
                raise
            except Exception:
                failed = True  # the others go on
                log.exception("an event is not kept", event_id=event_id, retry_s=RETRY_SECONDS)
        async with self._transaction() as connection:
            seconds = await connection.scalar(statements.seconds_to_next_date())
        if failed:
            return RETRY_SECONDS
        # What is due is being done by another referee.
        return None if seconds is None else max(LEAST_SECONDS, float(seconds))

    async def finalists(self, event: Event) -> list[Finalist]:
        """Return the builds that an event's freeze has fixed."""
        async with self._transaction() as connection:
            found = await connection.execute(statements.finalists(event.id))
            return [rows.finalist(row) for row in found]

    async def playing(self) -> bool:
        """Return whether a final has blocks to play."""
        async with self._transaction() as connection:
            return bool((await connection.execute(statements.playing())).first())

    async def _keep_one(self, event_id: int, record: Record) -> None:
        due = False
        async with self._transaction() as connection:
            if (await connection.execute(statements.locked(event_id))).first() is None:
                return
            event, now = await _event(connection, event_id)
            if event.frozen_at is None:
                return
            if event.began_at is None and now >= event.said.dates.final:
                event = await _begun(connection, event)
            if event.began_at is not None and event.ended_at is None:
                event = await _went_on(connection, event)
            due = event.ended_at is not None and now >= event.said.dates.results
        if due:
            await self._release(event_id, record)

    # The calls of workers

    async def begin_block(self, block: FinalBlockId) -> FinalBlock | None:
        """Return what a block consists of; None if it is not to be played, or not any more."""
        async with self._transaction() as connection:
            found = await _to_play(connection, block)
            if found is None:
                return None
            final, pairing = found
            numbers = tuple(sorted(set(pairing.entries)))
            return FinalBlock(
                tuple(final.finalists[number - 1] for number in numbers),
                tuple(final.matches(pairing, block.number)),
                numbers,
            )

    async def build_file(self, event_id: int, sha256: bytes) -> bytes:
        """Return the bytes of a build of an event. Raises BuildNotKeptError."""
        async with self._transaction() as connection:
            data = await connection.scalar(statements.build_file(event_id, sha256))
        if data is None:
            raise BuildNotKeptError("The build is none of this event's.")
        return bytes(data)

    async def end_block(
        self, block: FinalBlockId, played: Sequence[HandedIn], signer: Signer
    ) -> None:
        """Record a block that was played; one that is recorded already stays as it is.

        Raises EventRefusedError unless these are the matches that were asked for, dealt as they
        were to be, and refereed by the rules.
        """
        async with self._transaction() as connection:
            found = await _to_play(connection, block)
        if found is None:
            return
        final, pairing = found
        written = await asyncio.to_thread(_checked, final.matches(pairing, block.number), played)
        signed = [to_bytes(signer.signed(one)) for one in written]
        values = {
            "event_id": block.event_id,
            "round": block.round,
            "table": block.table,
            "number": block.number,
            "transcripts": signed,
            "started_at": [one.started_at for one in played],
            "finished_at": [one.finished_at for one in played],
            "placings": [place for one in written for place in one.result.placing],
        }
        where = (block.event_id, block.round, block.table)
        async with self._transaction() as connection:
            row = (await connection.execute(statements.lock_pairing(*where))).one()
            if row.absent:
                return  # it was decided without play meanwhile
            if await connection.scalar(statements.add_block(values)) is None:
                return
            count = await connection.scalar(statements.block_count(*where))
            # Only then may something follow: a look reads the whole final.
            if count is not None and count >= final.rules.blocks:
                await connection.execute(statements.tell(block.event_id))

    async def absent(self, block: FinalBlockId, builds: Sequence[int], why: str) -> None:
        """Decide what is left of a pairing against entries whose builds do not start.

        `builds` are places in `FinalBlock.builds`. Raises EventRefusedError.
        """
        async with self._transaction() as connection:
            found = await _to_play(connection, block)
            if found is None:
                return
            final, pairing = found
            numbers = sorted(set(pairing.entries))
            if not set(builds) <= set(range(len(numbers))):
                raise EventRefusedError("There is no such build in this block.")
            absent = [numbers[at] for at in builds]
            names = [str(final.finalists[number - 1].registered.entrant) for number in absent]
            forfeit = statements.forfeit(
                *(block.event_id, block.round, block.table), absent, why[:2_000]
            )
            if await connection.scalar(forfeit) is None:
                return
            event, _ = await _event(connection, block.event_id)
            told = {"bots": names, "why": why[:2_000]}
            await audit(connection, _ARENA, "walkover in event", event.name, told)
            await connection.execute(statements.tell(block.event_id))
        log.warning("a pairing of a final is decided without play", bots=names, why=why[:200])

    # The release

    async def _release(self, event_id: int, record: Record) -> None:
        """Publish a final that is over: its matches first, then the rest at once.

        All ids follow from the seed, so a release that was cut off goes on with what is missing.
        """
        async with self._transaction() as connection:
            event, _ = await _event(connection, event_id)
            if event.released_at is not None:
                return
            final = await _final(connection, event)
            found = (await connection.execute(statements.blocks_of(event_id, matches=True))).all()
            pairings = await _pairings(connection, event_id)
        for start in range(0, len(found), PIECE):
            piece = found[start : start + PIECE]
            await self._record_piece(event, final, pairings, start, piece, record)
        async with self._transaction() as connection:
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
                        [_columns(pairing) for pairing, _ in some],
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
            for forgotten in statements.forget_final(event_id):
                await connection.execute(forgotten)
            await audit(connection, _ARENA, "release event", event.name)
            await connection.execute(statements.tell(event_id))
            await connection.execute(tournament_statements.tell(tournament_id))
        log.info("results of an event released", event_name=event.name, blocks=len(found))

    async def _record_piece(
        self,
        event: Event,
        final: drawing.Final,
        pairings: Mapping[tuple[int, int], tuple[Pairing, tuple[int, ...]]],
        start: int,
        piece: Sequence[Any],
        record: Record,
    ) -> None:
        seats = event.said.rules.seats
        opened, matches = [], []
        assert event.began_at is not None
        for place, row in enumerate(piece, start=start):
            pairing, _ = pairings[row.round, row.table]
            block = Block(final.block_id(pairing, row.number), BlockKind.DEAL, seats, rated=False)
            opened.append(
                {
                    "id": block.id,
                    "kind": block.kind.value,
                    "size": seats,
                    "rated": False,
                    "epoch": None,
                    # A tournament's blocks count in the order of this.
                    "created_at": event.began_at + timedelta(microseconds=place),
                }
            )
            for position, written in enumerate(row.transcripts):
                transcript = from_bytes(bytes(written))
                dealt = final.matches(pairing, row.number)[position]
                matches.append(
                    FinishedMatch(
                        transcript,
                        bytes(written),
                        tuple(
                            final.finalists[one - 1].registered.version_id for one in dealt.entries
                        ),
                        block,
                        position,
                        row.started_at[position],
                        row.finished_at[position],
                    )
                )
        async with self._transaction() as connection:
            await connection.execute(tournament_statements.open_blocks(opened))
        await record(matches)

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


async def _event(connection: AsyncConnection, event_id: int) -> tuple[Event, datetime]:
    row = (await connection.execute(statements.event_list(ids=[event_id]))).one()
    return rows.event(row), row.now


async def _final(connection: AsyncConnection, event: Event) -> drawing.Final:
    seed = (await connection.execute(statements.secrets_of(event.id))).one().seed
    found = await connection.execute(statements.finalists(event.id))
    return drawing.Final(event.said.rules, bytes(seed), [rows.finalist(row) for row in found])


async def _pairings(
    connection: AsyncConnection, event_id: int
) -> dict[tuple[int, int], tuple[Pairing, tuple[int, ...]]]:
    """Return the pairings and their absent entries, by round and table."""
    found = await connection.execute(statements.pairings_of(event_id))
    return {
        (row.round, row.table): (
            Pairing(row.round, row.table, tuple(row.entries)),
            tuple(row.absent),
        )
        for row in found
    }


async def _record(
    connection: AsyncConnection, event: Event, final: drawing.Final
) -> TournamentRecord:
    """Return the record of a final that is being played."""
    assert event.began_at is not None
    record = TournamentRecord(final.tournament(event.name, event.began_at))
    pairings = await _pairings(connection, event.id)
    record.add_pairings(pairing for pairing, _ in pairings.values())
    for key, (_, absent) in pairings.items():
        if absent:
            record.forfeit({key: absent})
    seats = event.said.rules.seats
    found = await connection.execute(statements.blocks_of(event.id))
    record.add_blocks(
        final.counted(pairings[row.round, row.table][0], row.number, _by_match(row.placings, seats))
        for row in found
    )
    return record


def _columns(pairing: Pairing) -> dict[str, Any]:
    return {
        "round": pairing.round,
        "table": pairing.table,
        "entries": list(pairing.entries),
    }


def _by_match(placings: Sequence[int], seats: int) -> list[Sequence[int]]:
    return [placings[at : at + seats] for at in range(0, len(placings), seats)]


async def _begun(connection: AsyncConnection, event: Event) -> Event:
    """Begin a final, or cancel the event if too few bots can play it."""
    final = await _final(connection, event)
    fit = sum(not one.withdrawn for one in final.finalists)
    try:
        event.said.rules.tournament("").plan(len(final.finalists))
        why = ""
    except FormatError as error:
        why = str(error)
    if not why and fit < 2:
        why = "all others are withdrawn"
    if why:
        why = f"{fit} of {event.entries} entered bots had an accepted build at the freeze: {why}"
        await connection.execute(statements.cancel(event.id, why))
        await audit(connection, _ARENA, "cancel event", event.name, {"why": why})
        log.warning("event cancelled", event_name=event.name, why=why)
    else:
        began = {"began_at": statements.clock().scalar_subquery()}
        await connection.execute(statements.change(event.id, began))
        log.info("final begins", event_name=event.name, bots=len(final.finalists))
    await connection.execute(statements.tell(event.id))
    return (await _event(connection, event.id))[0]


async def _went_on(connection: AsyncConnection, event: Event) -> Event:
    """Pair what is due in a final, queue its blocks, and note its end."""
    final = await _final(connection, event)
    record = await _record(connection, event, final)
    tournament = record.tournament
    while True:
        # In a thread: bots wait for the event loop, and a large Swiss takes a while to pair.
        added = await asyncio.to_thread(
            tournament.plan.next_pairings,
            len(tournament.entries),
            record.played(),
            tournament.withdrawn,
        )
        if added is None:
            ended = {"ended_at": statements.clock().scalar_subquery()}
            await connection.execute(statements.change(event.id, ended))
            log.info("final played", event_name=event.name)
            return (await _event(connection, event.id))[0]
        if not added:
            break
        for start in range(0, len(added), PARAMETERS):
            some = [_columns(one) for one in added[start : start + PARAMETERS]]
            await connection.execute(statements.add_pairings(event.id, some))
        record.add_pairings(added)
    # Workers hand blocks in out of order.
    found = await connection.execute(statements.blocks_of(event.id))
    played = {(row.round, row.table, row.number) for row in found}
    wanted = [
        (*key, number)
        for key in record.pairings
        if not record.is_given_up(key)
        for number in range(1, record.blocks_wanted(key) + 1)
        if (*key, number) not in played
    ]
    await connection.execute(shift_queue.queue_lock())
    await connection.execute(shift_queue.queue_finals(event.id, wanted))
    return event


async def _to_play(
    connection: AsyncConnection, block: FinalBlockId
) -> tuple[drawing.Final, Pairing] | None:
    """Return the final and the pairing of a block; None if it is not to be played."""
    found = (await connection.execute(statements.event_list(ids=[block.event_id]))).one_or_none()
    if found is None or found.began_at is None or found.ended_at or found.cancelled_at:
        return None
    where = (block.event_id, block.round, block.table)
    row = (await connection.execute(statements.pairing(*where))).one_or_none()
    if row is None or row.absent:
        return None
    if (await connection.execute(statements.block(*where, block.number))).first() is not None:
        return None
    final = await _final(connection, rows.event(found))
    pairing = Pairing(row.round, row.table, tuple(row.entries))
    if any(final.finalists[number - 1].withdrawn for number in pairing.entries):
        return None
    return final, pairing


def _checked(wanted: Sequence[drawing.DealtMatch], played: Sequence[HandedIn]) -> list[Transcript]:
    """Return the transcripts, without signatures. Raises EventRefusedError."""
    if len(played) != len(wanted):
        raise EventRefusedError(f"The block has {len(wanted)} matches; {len(played)} came.")
    found = []
    for dealt, one in zip(wanted, played, strict=True):
        transcript = one.transcript
        opening = Opening(dealt.secret, dealt.entropies)
        if transcript.setup != dealt.setup or transcript.opening != opening:
            raise EventRefusedError("A match has other terms or another deal than it was to have.")
        if transcript.commitment != commitment(dealt.secret) or transcript.signature is not None:
            raise EventRefusedError("A match has another commitment than it was to have.")
        if one.finished_at < one.started_at:
            raise EventRefusedError("A match was over before it began.")
        try:
            verify(transcript)
        except TranscriptError as error:
            raise EventRefusedError(f"A match does not follow from the rules: {error}.") from error
        found.append(transcript)
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
