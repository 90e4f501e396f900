"""`ConnectedBlocks`: reads ladders on which connected bots play, and adds the blocks played there.

See `arena.server.events.ladders.connected_ladders`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.database.transaction import transaction
from arena.database.transcripts import Packed, unpack_message
from arena.games import make_game
from arena.scheduling.ladder import TableType
from arena.server.events.event import Event
from arena.server.events.finals.final_reading import event_of
from arena.server.events.ladders import ladder_statements as statements
from arena.server.events.ladders import player_statements
from arena.server.events.ladders.ladders import MOST_TRANSCRIPTS, PLAYED_IN, locked


@dataclass(frozen=True, slots=True)
class ConnectedLadder:
    """The ladder of an event with connected bots."""

    event_id: int
    table_type: TableType
    seconds: float
    """The least time between two blocks."""
    players: Mapping[int, int]
    """The players by version: connected and hosted bots, and house bots."""
    connected: Mapping[int, int]
    """The numbers of blocks of the connected bots that want more, by version."""


class ConnectedBlocks:
    """The blocks in the database. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def playing(self) -> list[ConnectedLadder]:
        """Return the ladders on which connected bots play now."""
        found = []
        async with transaction(self._engine) as connection:
            for event_id in (await connection.scalars(statements.unfinished_ladders())).all():
                event, now = await event_of(connection, event_id)
                if event.terms.connected and event.phase(now) in PLAYED_IN:
                    ladder = await _connected(connection, event)
                    found.append(ladder)
        return found

    async def add(self, event_id: int, block_id: str, players: Sequence[int], matches: int) -> bool:
        """Add a block that a referee has played to the ladder; return whether it is recorded.

        `players` are in the order of the seats of its first match; `matches` is the number played.
        """
        async with transaction(self._engine) as connection:
            ladder = await locked(connection, event_id)
            played = (await connection.execute(statements.recorded_block(block_id))).all()
            if ladder is None or len(played) < matches:
                return False
            seconds = 3600 * len(players) / ladder.pace
            numbers = statements.next_numbers(event_id, 1, seconds)
            number = (await connection.execute(numbers)).one().queued
            ids = [str(row.match_id) for row in played]
            placings = [place for row in played for place in row.placings]
            written = [unpack_message(Packed(row.format, row.sha256, row.data)) for row in played]
            await connection.execute(statements.begin_block(event_id, number, players, ids))
            await connection.execute(statements.end_block(event_id, number, {"placings": placings}))
            await connection.execute(statements.keep_transcripts(event_id, number, written))
            oldest = number - MOST_TRANSCRIPTS
            await connection.execute(statements.forget_transcripts(event_id, oldest))
            await connection.execute(player_statements.count_block(players))
        return True


async def _connected(connection: AsyncConnection, event: Event) -> ConnectedLadder:
    rules, ladder = event.terms.rules, event.terms.ladder
    assert ladder is not None
    for add in (
        player_statements.add_versions,
        player_statements.add_house,
        player_statements.add_connected,
    ):
        await connection.execute(add(event.id))
    mine = (await connection.execute(player_statements.connected(event.id))).all()
    hosted = (await connection.execute(player_statements.playing(event.id))).all()
    house = (await connection.execute(player_statements.house_versions(event.id))).all()
    return ConnectedLadder(
        event.id,
        TableType(
            rules.game,
            make_game(rules.game, rules.options).options,
            rules.seats,
            rules.time_control,
        ),
        3600 * rules.seats / ladder.pace,
        {row.version_id: row.id for row in (*mine, *hosted, *house)},
        {row.version_id: row.blocks for row in mine if row.blocks < ladder.enough},
    )
