"""`Takeover`: continues what other referees left, at the start and whenever one has gone.

It records what they had spooled, continues their blocks and matches among the bots that are
connected here or come, conducts their tournaments if it is the senior, and tells bots the ends that
nobody else will. All steps are idempotent.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from arena.database.errors import SpoolFailedError, StorageFailedError
from arena.server.app.metrics import Metrics
from arena.server.app.referees_store import RefereesStore
from arena.server.app.spools import Spools, record_spooled
from arena.server.failover.result_writer import ResultWriter
from arena.server.ladder.director import Director
from arena.server.play.kept_blocks import KeptBlock
from arena.server.play.lobby import Lobby
from arena.server.play.missed_ends import MissedEnds
from arena.server.tournaments.conductor import Conductor

RETRY_SECONDS: Final = 0.5
"""Pause before storage or a spool is asked again after it failed."""
SPOOL_TRIES: Final = 5
"""How often spools are tried before matches go on without them: bots wait for these."""

log = structlog.get_logger()


class Takeover:
    """Continues the work of other referees. `run` must be running, after a first `run_once`."""

    def __init__(
        self,
        store: RefereesStore,
        spools: Spools | None,
        writer: ResultWriter,
        director: Director,
        conductor: Conductor,
        lobby: Lobby,
        missed_ends: MissedEnds,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._spools = spools
        self._writer = writer
        self._director = director
        self._conductor = conductor
        self._lobby = lobby
        self._missed_ends = missed_ends
        self._metrics = metrics

    async def run(self) -> None:
        """Go on with what is left, until cancelled."""
        changed = self._store.lease.changed
        tries = SPOOL_TRIES
        while True:
            await changed.wait()
            try:
                await self.run_once(spools_needed=tries > 1)
                tries = SPOOL_TRIES
            except (StorageFailedError, SpoolFailedError) as error:
                if isinstance(error, SpoolFailedError):
                    tries -= 1
                log.error("takeover failed; retrying", why=str(error))
                changed.set()
                await asyncio.sleep(RETRY_SECONDS)

    async def run_once(self, *, spools_needed: bool = True) -> None:
        """Go on with what was left until now.

        Raises DatabaseUnreachableError and LeaseTakenError; SpoolFailedError if `spools_needed`,
        else it goes on without those that fail.
        """
        lease, director = self._store.lease, self._director
        lease.changed.clear()
        inherited = lease.inherited
        if self._spools is not None:
            try:
                await record_spooled(self._spools, inherited, self._store)
            except SpoolFailedError as error:
                if spools_needed:
                    raise
                log.error(
                    "matches go on from what the database kept, without spooled results",
                    why=str(error),
                )
        with director.held():
            if lease.senior:
                await self._conductor.take_up()
            left = await self._store.kept(self._writer.snapshots.known)
            if director.winding_down:
                return  # it stays with this lease, which is about to be left to another
            self._metrics.resumed(self._adopt(left))
        await self._missed_ends.load()
        self._lobby.tell_missed()
        await lease.settle(inherited)

    def _adopt(self, left: Sequence[KeptBlock]) -> int:
        """Continue these blocks. Returns the number of matches."""
        for kept in left:
            if kept.matches or not kept.running.engaged:
                places = kept.running.places
                here = [self._lobby.expect(one.registered, one.instance) for one in places]
                self._director.adopt(kept, here)
            else:
                # Its tournament has it played on when all of its bots are there.
                self._director.remember(kept.running)
        matches = sum(len(kept.matches) for kept in left)
        if left:
            log.info("going on where a referee stopped", blocks=len(left), matches=matches)
        return matches
