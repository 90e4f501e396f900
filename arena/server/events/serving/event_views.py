"""`EventViews`: events, their ladders and results as an owner, or everybody, may see them.

The database itself hides private events from all but their members (`arena.database.viewing`): for
others a method finds no such event, or nothing of it.
"""

import asyncio
from datetime import datetime
from time import monotonic
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.codec.transcript import from_bytes
from arena.database.names import folded
from arena.database.transaction import transaction, viewing
from arena.match.transcript import Transcript
from arena.server.events import event_rows as rows
from arena.server.events import event_statements
from arena.server.events.event import Event
from arena.server.events.finals import final_statements
from arena.server.events.finals.final import DrawnFinal
from arena.server.events.finals.final_reading import record_in
from arena.server.events.ladders import ladder_statements as statements
from arena.server.events.ladders import player_statements
from arena.server.events.ladders.ladder_standings import (
    EventBlock,
    LadderLine,
    LadderMatch,
    LadderPlayer,
    matches_of,
    player,
    standings,
)
from arena.server.events.serving.events import unknown
from arena.server.tournaments.tournament import TournamentRecord
from arena.server.tournaments.tournaments import Tournaments

MATCHES_A_PAGE: Final = 50
LADDER_SECONDS: Final = 10.0


class EventViews:
    """Reads what a viewer may see of events. Every method raises DatabaseUnreachableError.

    `viewer` is the id of an owner, or None for the public.
    """

    def __init__(self, engine: AsyncEngine, tournaments: Tournaments) -> None:
        """Read events from `engine`, and public finals from `tournaments`."""
        self._engine = engine
        self._tournaments = tournaments
        self._ladders: dict[int, tuple[float, list[LadderLine]]] = {}
        """The standings of the ladder, after the time at which they were computed, by event."""

    async def newest(
        self, viewer: int | None, name: str | None = None
    ) -> tuple[list[Event], datetime]:
        """Return the newest events, or the one of a name, newest first, and the time."""
        async with viewing(self._engine, viewer) as connection:
            found = (await connection.execute(event_statements.event_list(name=name))).all()
            (now,) = (await connection.execute(event_statements.clock())).one()
        return [rows.event(row) for row in found], now

    async def named(self, viewer: int | None, name: str) -> Event:
        """Return the event of a name. Raises NotFoundError."""
        found, _ = await self.newest(viewer, name)
        for event in found:
            return event
        raise unknown(name)

    async def ladder(self, viewer: int | None, event: Event) -> list[LadderLine]:
        """Return the standings on the ladder of an event, as `standings` does."""
        async with viewing(self._engine, viewer) as connection:
            if not (await connection.execute(statements.ladder(event.id))).all():
                return []
        return await self.standings(event)

    async def standings(self, event: Event) -> list[LadderLine]:
        """Return the standings on the ladder of an event, of the builds that play now.

        They are cached for LADDER_SECONDS, as they are computed from all blocks of these builds.
        The caller has checked that they may be seen.
        """
        computed, kept = self._ladders.get(event.id, (-LADDER_SECONDS, []))
        if monotonic() < computed + LADDER_SECONDS:
            return kept
        async with transaction(self._engine) as connection:
            now = (await connection.execute(player_statements.current_players(event.id))).all()
            ids = [row.id for row in now if row.house is None]
            blocks = (await connection.execute(statements.played(event.id, ids))).all()
        # In a thread: bots wait for the event loop.
        seats = event.terms.rules.seats
        found = await asyncio.to_thread(standings, seats, list(map(player, now)), blocks)
        self._ladders[event.id] = monotonic(), found
        return found

    async def matches(
        self, viewer: int | None, event: Event, *, bot: str | None = None, before: int | None = None
    ) -> list[LadderMatch]:
        """Return the newest matches on the ladder of an event, at most MATCHES_A_PAGE.

        Only those of `bot`, and of blocks before `before`, if given.
        """
        count = max(1, MATCHES_A_PAGE // event.terms.rules.seats)
        newest = statements.newest_blocks(event.id, bot=bot, before=before, limit=count)
        async with viewing(self._engine, viewer) as connection:
            found = (await connection.execute(newest)).all()
            ids = {one for row in found for one in row.players}
            named = (await connection.execute(player_statements.named_players(ids))).all()
        played = [
            EventBlock(r.number, r.players, r.placings, r.match_ids, r.ended_at, r.kept)
            for r in found
        ]
        return matches_of(played, {row.id: player(row) for row in named})

    async def results(self, viewer: int | None, event: Event) -> TournamentRecord | None:
        """Return the final of an event that is released; None before."""
        if event.released_at is not None and event.tournament is not None:
            found = await self._tournaments.named(event.tournament)
            return await self._tournaments.record(found)
        async with viewing(self._engine, viewer) as connection:
            final = await _released(connection, event)
            return None if final is None else await record_in(connection, event, final)

    async def final_matches(
        self, viewer: int | None, event: Event, *, bot: str | None = None, before: int | None = None
    ) -> list[LadderMatch]:
        """Return the last matches of a private final that is released, as `matches` does."""
        async with viewing(self._engine, viewer) as connection:
            final = await _released(connection, event)
            if final is None:
                return []
            players = {
                number: LadderPlayer(number, one.registered.entrant, house=False)
                for number, one in enumerate(final.finalists, start=1)
            }
            its = [n for n, one in players.items() if folded(one.entrant.bot) == folded(bot or "")]
            numbered = final_statements.numbered_blocks(
                event.id,
                entry=None if bot is None else (*its, 0)[0],
                before=before,
                limit=max(1, MATCHES_A_PAGE // event.terms.rules.seats),
            )
            found = (await connection.execute(numbered)).all()
        return matches_of(
            [EventBlock(r.place, r.entries, r.placings, r.match_ids, r.ended_at) for r in found],
            players,
        )

    async def transcript(
        self, viewer: int | None, event: Event, match_id: str
    ) -> Transcript | None:
        """Return the transcript of a match on the ladder, or of a private final that is released.

        None if there is none, or it is not kept any more.
        """
        async with viewing(self._engine, viewer) as connection:
            for found in (statements.transcript, final_statements.transcript):
                data = await connection.scalar(found(event.id, match_id))
                if data is not None:
                    return from_bytes(bytes(data))
        return None


async def _released(connection: AsyncConnection, event: Event) -> DrawnFinal | None:
    """Return a final that is released and kept apart from the public ones; None otherwise."""
    if event.seed is None or not event.terms.private:
        return None
    found = (await connection.execute(final_statements.seen_finalists(event.id))).all()
    return DrawnFinal(event.terms.rules, event.seed, [rows.finalist(row) for row in found])
