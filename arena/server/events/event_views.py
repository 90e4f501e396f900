"""`EventViews`: events, their ladders and results as an owner, or everybody, may see them.

The database itself hides private events from all but their members (`arena.database.viewing`), so a
method finds no event, or nothing of it, for whom it is private.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import from_bytes
from arena.database.errors import UnknownEventError
from arena.database.transaction import viewing
from arena.match.transcript import Transcript
from arena.server.events import event_rows as rows
from arena.server.events import event_statements, final_statements
from arena.server.events import ladder_statements as statements
from arena.server.events.event import Event
from arena.server.events.ladder_standings import (
    LadderLine,
    LadderMatch,
    matches_of,
    player,
    standings,
)

MATCHES_A_PAGE = 50


class EventViews:
    """What is to be seen of events. Every method raises DatabaseUnreachableError.

    `viewer` is the id of an owner; None is everybody.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def newest(
        self, viewer: int | None, name: str | None = None
    ) -> tuple[list[Event], datetime]:
        """Return the newest events, or the one of a name, newest first, and the time."""
        async with self._viewing(viewer) as connection:
            found = (await connection.execute(event_statements.event_list(name=name))).all()
            (now,) = (await connection.execute(event_statements.clock())).one()
        return [rows.event(row) for row in found], now

    async def named(self, viewer: int | None, name: str) -> Event:
        """Return the event of a name. Raises UnknownEventError."""
        found, _ = await self.newest(viewer, name)
        for event in found:
            return event
        raise UnknownEventError(f"There is no event {name}: see `arena event list`.")

    async def ladder(self, viewer: int | None, event: Event) -> list[LadderLine]:
        """Return the standings on the ladder of an event, of the builds that play now."""
        async with self._viewing(viewer) as connection:
            now = (await connection.execute(statements.current_players(event.id))).all()
            ids = [row.id for row in now if row.house is None]
            blocks = (await connection.execute(statements.played(event.id, ids))).all()
        # In a thread: bots wait for the event loop.
        seats = event.said.rules.seats
        return await asyncio.to_thread(standings, seats, list(map(player, now)), blocks)

    async def matches(
        self, viewer: int | None, event: Event, *, bot: str | None = None, before: int | None = None
    ) -> list[LadderMatch]:
        """Return the newest matches on the ladder of an event, at most MATCHES_A_PAGE.

        Those of a bot, and those before a block, if given.
        """
        count = max(1, MATCHES_A_PAGE // event.said.rules.seats)
        newest = statements.newest_blocks(event.id, bot=bot, before=before, limit=count)
        async with self._viewing(viewer) as connection:
            found = (await connection.execute(newest)).all()
            ids = {one for row in found for one in row.players}
            named = (await connection.execute(statements.named_players(ids))).all()
        return matches_of(found, {row.id: player(row) for row in named})

    async def transcript(
        self, viewer: int | None, event: Event, match_id: str
    ) -> Transcript | None:
        """Return the transcript of a match on the ladder, or of a private final that is released.

        None if there is none, or it is not kept any more.
        """
        async with self._viewing(viewer) as connection:
            for found in (statements.transcript, final_statements.transcript):
                data = await connection.scalar(found(event.id, match_id))
                if data is not None:
                    return from_bytes(bytes(data))
        return None

    def _viewing(self, viewer: int | None) -> AbstractAsyncContextManager[AsyncConnection]:
        return viewing(self._engine, viewer)
