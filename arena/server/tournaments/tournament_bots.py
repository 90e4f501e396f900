"""`TournamentBots`: where the bots of tournaments are, whether they can play, and their shifts.

Every method raises DatabaseUnreachableError while the database does not answer.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.database import shift_queue
from arena.database.transaction import fetched, transaction
from arena.records import VersionId
from arena.server.failover import presence
from arena.server.failover.lease import fenced
from arena.server.tournaments import duration, participation
from arena.server.tournaments.tournament import Tournament

FIRST_PRIORITY: Final = 20
"""The priority of shifts for the bots of the next table of a tournament."""
THEN_PRIORITY: Final = 10
"""The priority of shifts for the other bots that a tournament waits for."""


class TournamentBots:
    """The bots of tournaments in the database."""

    def __init__(self, engine: AsyncEngine, epoch: int | None = None) -> None:
        """Use `engine`; with an `epoch`, shifts are queued only while that lease is held."""
        self._engine = engine
        self._epoch = epoch

    async def whereabouts(
        self, game: str, versions: Collection[VersionId]
    ) -> dict[int, set[VersionId]]:
        """Return which of these versions can join a game at other referees, by their lease."""
        assert self._epoch is not None, "only a referee conducts"
        found: dict[int, set[VersionId]] = {}
        elsewhere = presence.with_places_elsewhere(self._epoch, game, versions)
        for row in await fetched(self._engine, elsewhere):
            found.setdefault(row.epoch, set()).add(VersionId(row.version_id))
        return found

    async def participation(
        self, versions: Collection[VersionId], game: str
    ) -> dict[VersionId, participation.Participation]:
        """Return whether versions can play a game, and if not, why."""
        async with transaction(self._engine) as connection:
            found = await connection.execute(participation.participation(versions, game))
            told = (await connection.execute(participation.referees())).one()
            return {
                VersionId(row.version_id): participation.Participation(
                    participation.obstacle(row),
                    participation.absence_told(row, game, told),
                    row.plays,
                )
                for row in found
            }

    async def hosted(self, versions: Collection[VersionId]) -> set[VersionId]:
        """Return which of these versions a worker can run."""
        if not versions:
            return set()
        found = await fetched(self._engine, participation.can_be_run(versions))
        return {VersionId(row.id) for row in found}

    async def gather(self, first: Collection[VersionId], then: Collection[VersionId]) -> int:
        """Queue shifts in which these versions play for tournaments, before those of the ladder.

        The versions of one table come `first`, so that they play at the same time. Returns how many
        shifts for tournaments wait for a slot.
        """
        async with fenced(self._engine, self._epoch) as connection:
            await connection.execute(shift_queue.queue_lock())
            for versions, priority in ((first, FIRST_PRIORITY), (then, THEN_PRIORITY)):
                await connection.execute(shift_queue.queue_tournament(versions, priority))
                await connection.execute(shift_queue.order_tournament(versions, priority))
            return await connection.scalar(shift_queue.waiting_for_tournaments()) or 0

    async def pace(self, tournament: Tournament) -> duration.PlayingSpeed:
        """Return what decides how long a tournament takes."""
        versions = [one.registered.version_id for one in tournament.entries]
        async with transaction(self._engine) as connection:
            seconds = duration.recent_seconds(versions, tournament.rules)
            took = await connection.scalar(seconds)
            alive = await connection.scalar(shift_queue.worker_alive())
            slots = await connection.scalar(duration.slots_there()) if alive else 0
            hosted = (await connection.scalars(participation.can_be_run(versions))).all()
            so_far = (await connection.execute(duration.played_so_far(tournament.id))).one()
        known = so_far.blocks >= duration.ENOUGH
        return duration.PlayingSpeed(
            len(versions),
            len(hosted),
            int(slots or 0),
            duration.MATCH_SECONDS if took is None else float(took),
            float(so_far.seconds) / so_far.blocks if known else None,
        )
