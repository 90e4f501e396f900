"""`EventLadders`: the ladders of events, among only entered bots and house bots.

A block is dealt as the block of a final between its players (`arena.server.events.finals.final`)
with a seed of its own. Workers start a program for each match and seat, and hand the block in. The
queue has a few blocks without players: these are chosen when a worker begins a block, so that a new
build plays at once.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import SystemRandom
from typing import Any, Final

import structlog
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.builds.house import house_bots, house_build
from arena.codec.transcript import to_bytes
from arena.database import shift_queue
from arena.database.errors import BuildNotKeptError, RequestRefusedError, StorageFailedError
from arena.database.tables.events import event_ladder_secrets
from arena.database.transaction import fetched, transaction
from arena.match.transcript import Entrant
from arena.records import Registered, VersionId
from arena.scheduling.pairings import Pairing
from arena.server.events.event import Event, Finalist, Phase
from arena.server.events.finals import final as drawing
from arena.server.events.finals.final_reading import event_of
from arena.server.events.finals.finals import FinalBlock, FinalBlockId, HandedIn, checked
from arena.server.events.ladders import ladder_statements as statements
from arena.server.events.ladders import player_statements
from arena.server.events.ladders.ladder_standings import house_entrant
from arena.signatures import Signer

ROUND: Final = 0
"""The round in the `FinalBlockId` of a ladder's block; the rounds of finals count from 1."""
MOST_IN_HAND: Final = 8
"""The most blocks of a ladder that wait or are played at once; each that ends queues another."""
MOST_TRANSCRIPTS: Final = 20_000
"""The number of blocks of a ladder whose transcripts are kept, the newest."""
PLAYED_IN: Final = (Phase.OPEN, Phase.FROZEN, Phase.FINAL)
_NUMBER: Final = 1
"""The number of a block in the final as which it is dealt."""

log = structlog.get_logger()
_random = SystemRandom()


@dataclass(frozen=True, slots=True)
class _Playing:
    """The player with the fewest blocks, and its possible opponents."""

    id: int
    blocks: int
    others: list[int]
    house: list[int]


class EventLadders:
    """The ladders of events. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self) -> bool:
        """Queue blocks of the ladders; return whether one has something to play.

        Each block that ends queues more. This call also ends blocks whose worker is lost.
        """
        playing = False
        for (event_id,) in await fetched(self._engine, statements.unfinished_ladders()):
            try:
                async with transaction(self._engine) as connection:
                    await _forget_lost(connection, event_id)
                    playing |= await _queue(connection, event_id)
            except StorageFailedError:
                raise
            except Exception:
                # The others, and notices, go on.
                log.exception("the ladder of an event is not kept", event_id=event_id)
        return playing

    async def begin_block(self, block: FinalBlockId) -> FinalBlock | None:
        """Return what a block consists of, the same each time; None if nothing is to be played."""
        async with transaction(self._engine) as connection:
            ladder = await locked(connection, block.event_id)
            if ladder is None:
                return None
            event, now = await event_of(connection, block.event_id)
            if event.phase(now) not in PLAYED_IN:
                return None
            found = (
                await connection.execute(statements.block(block.event_id, block.number))
            ).one_or_none()
            if found is not None:
                if found.ended_at is not None:
                    return None
                made = await _final(connection, event, found.players, bytes(found.seed))
                return None if made is None else _block(made)
            first = await _first(connection, event, ladder.enough)
            if first is None:
                return None
            seed = secrets.token_bytes(32)
            made = await _final(connection, event, await _seated(connection, event, first), seed)
            if made is None:
                return None
            # In the order of the lots, which number the entries.
            ordered = [made.players[one] for one in made.final.finalists]
            ids = [one.setup.match_id for one in made.matches]
            where = (block.event_id, block.number)
            await connection.execute(statements.begin_block(*where, ordered, ids))
            secret = {"event_id": block.event_id, "number": block.number, "seed": seed}
            await connection.execute(insert(event_ladder_secrets).values(secret))
            await connection.execute(player_statements.count_block(ordered))
            return _block(made)

    async def build_file(self, event_id: int, sha256: bytes) -> bytes:
        """Return the bytes of a build that plays on a ladder. Raises BuildNotKeptError."""
        async with transaction(self._engine) as connection:
            found = (await connection.execute(statements.ladder(event_id))).one_or_none()
            data = await connection.scalar(player_statements.build_file(event_id, sha256))
        for name in () if found is None else found.house:
            build = await asyncio.to_thread(house_build, name) if name in house_bots() else None
            if build is not None and build.sha256 == sha256:
                return build.data
        if data is None:
            raise BuildNotKeptError("This event has no such build.")
        return bytes(data)

    async def end_block(
        self, block: FinalBlockId, played: Sequence[HandedIn], signer: Signer
    ) -> None:
        """Record a block that was played; one that has ended stays as it is.

        Raises RequestRefusedError as `Finals.end_block` does.
        """
        where = (block.event_id, block.number)
        async with transaction(self._engine) as connection:
            made = await _begun(connection, block)
        if made is None:
            return
        written = await asyncio.to_thread(checked, made.matches, played)
        signed = await asyncio.to_thread(lambda: [to_bytes(signer.signed(one)) for one in written])
        placings = [place for one in written for place in one.result.placing]
        async with transaction(self._engine) as connection:
            await locked(connection, block.event_id)
            ended = statements.end_block(*where, {"placings": placings})
            if await connection.scalar(ended) is None:
                return
            await connection.execute(statements.keep_transcripts(*where, signed))
            oldest = block.number - MOST_TRANSCRIPTS
            await connection.execute(statements.forget_transcripts(block.event_id, oldest))
            await _queue(connection, block.event_id)

    async def absent(self, block: FinalBlockId, builds: Sequence[int], why: str) -> None:
        """Record that a block was not played because builds did not start.

        `builds` are places in `FinalBlock.builds`. Raises RequestRefusedError.
        """
        async with transaction(self._engine) as connection:
            await locked(connection, block.event_id)
            made = await _begun(connection, block)
            if made is None:
                return
            if not set(builds) <= set(range(len(made.final.finalists))):
                raise RequestRefusedError("There is no such build in this block.")
            names = [str(made.final.finalists[at].registered.entrant) for at in builds]
            failure = f"{', '.join(names)} did not start: {why}"[:2_000]
            ended = statements.end_block(block.event_id, block.number, {"failure": failure})
            if await connection.scalar(ended) is not None:
                # Those that are absent keep their count, or they would be tried for ever.
                gone = {made.final.finalists[at] for at in builds}
                there = [id_ for one, id_ in made.players.items() if one not in gone]
                await connection.execute(player_statements.give_back(there))
            await _queue(connection, block.event_id)
        log.info("a block of an event's ladder was not played", bots=names, why=why[:200])


@dataclass(frozen=True, slots=True)
class _Made:
    """A block as the final of its players."""

    final: drawing.DrawnFinal
    matches: list[drawing.DealtMatch]
    players: dict[Finalist, int]


def _block(made: _Made) -> FinalBlock:
    finalists = made.final.finalists
    return FinalBlock(finalists, tuple(made.matches), tuple(range(1, len(finalists) + 1)))


async def _final(
    connection: AsyncConnection, event: Event, players: Sequence[int], seed: bytes
) -> _Made | None:
    """Return a block of these players; None if a build of theirs is not kept any more."""
    found = (await connection.execute(player_statements.players(players))).all()
    finalists = {finalist: row.id for row in found if (finalist := await _finalist(row))}
    if len(finalists) != len(players):
        return None
    final = drawing.DrawnFinal(event.terms.rules, seed, list(finalists))
    pairing = Pairing(1, 1, tuple(range(1, len(finalists) + 1)))
    return _Made(final, final.matches(pairing, _NUMBER), finalists)


async def _finalist(row: Any) -> Finalist | None:
    if row.house is None:
        if row.sha256 is None:
            return None
        entrant = Entrant(row.bot, row.version, row.owner)
        registered = Registered(VersionId(row.version_id), entrant, house=False)
        return Finalist(registered, bytes(row.sha256), row.file_name, withdrawn=False)
    if row.house not in house_bots():  # a newer release has removed it
        return None
    build = await asyncio.to_thread(house_build, row.house)
    # Negative, as it is not the id of a version in the database.
    registered = Registered(VersionId(-row.id), house_entrant(row.house), house=True)
    return Finalist(registered, build.sha256, build.file_name, withdrawn=False)


async def _begun(connection: AsyncConnection, block: FinalBlockId) -> _Made | None:
    row = (await connection.execute(statements.block(block.event_id, block.number))).one_or_none()
    if row is None or row.ended_at is not None:
        return None
    event, _ = await event_of(connection, block.event_id)
    return await _final(connection, event, row.players, bytes(row.seed))


async def locked(connection: AsyncConnection, event_id: int) -> Any:
    """Lock and return the ladder of an event; None if it has none."""
    return (await connection.execute(statements.ladder(event_id, locked=True))).one_or_none()


async def _first(connection: AsyncConnection, event: Event, enough: int) -> _Playing | None:
    """Return the player with the fewest blocks; None if all have `enough`, or too few can play."""
    await connection.execute(player_statements.add_versions(event.id))
    await connection.execute(player_statements.add_house(event.id))
    rows = (await connection.execute(player_statements.playing(event.id))).all()
    house = (await connection.scalars(player_statements.house_names(event.id))).all()
    if not rows or len(rows) + len(house) < event.terms.rules.seats:
        return None
    fewest = min(row.blocks for row in rows)
    if fewest >= enough:
        return None
    first = _random.choice([row.id for row in rows if row.blocks == fewest])
    own = [row.id for row in rows if row.id != first]
    return _Playing(first, fewest, own, list(house))


async def _seated(connection: AsyncConnection, event: Event, first: _Playing) -> list[int]:
    """Return a player and the opponents it has met least; every second block has a house bot.

    So about half of a build's results are against house bots, which do not change.
    """
    found = await connection.execute(statements.meetings(event.id, first.id))
    met = {row.player: row.blocks for row in found}

    def least(players: list[int]) -> list[int]:
        return sorted(players, key=lambda one: (met.get(one, 0), _random.random()))

    others = least(first.others + first.house)
    if first.house and first.blocks % 2 == 0:
        rung = least(first.house)[0]
        others = [rung, *(one for one in others if one != rung)]
    return [first.id, *others[: event.terms.rules.seats - 1]]


async def _forget_lost(connection: AsyncConnection, event_id: int) -> None:
    """End the blocks whose worker is lost; their players get others."""
    await locked(connection, event_id)
    await connection.execute(shift_queue.queue_lock())
    for row in (await connection.execute(statements.lost_blocks(event_id))).all():
        await connection.execute(player_statements.give_back(row.players))


async def _queue(connection: AsyncConnection, event_id: int) -> bool:
    """Queue blocks of a ladder at its pace; return whether there is something to be played."""
    ladder = await locked(connection, event_id)
    if ladder is None:
        return False
    event, now = await event_of(connection, event_id)
    if event.phase(now) not in PLAYED_IN:
        return False
    if await _first(connection, event, ladder.enough) is None:
        return False
    await connection.execute(shift_queue.queue_lock())
    in_hand = await connection.scalar(statements.in_hand(event_id)) or 0
    if in_hand >= MOST_IN_HAND:
        return True
    count = MOST_IN_HAND - in_hand
    step = timedelta(hours=event.terms.rules.seats / ladder.pace)
    numbers = statements.next_numbers(event_id, count, step.total_seconds())
    last = (await connection.execute(numbers)).one()
    begins = [last.due_at - step * (count - 1 - at) for at in range(count)]
    await connection.execute(
        shift_queue.queue_ladder(event_id, range(last.queued - count + 1, last.queued + 1), begins)
    )
    return True
