"""`Takeover`: continues the work of stopped referees, at the start and whenever one has stopped.

It records what they had spooled, continues their blocks and matches among the bots that are
connected here or will be, conducts their tournaments if this referee is the senior, and sends bots
the ends of matches that no other referee will send. All steps are idempotent.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
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
"""The pause before a takeover that failed is tried again."""
SPOOL_TRIES: Final = 5
"""The number of attempts to read spools before matches continue without them.

Bots wait for these matches.
"""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Takeover:
    """The continuation of other referees' work. Await `run_once` first, then keep `run` running."""

    _store: RefereesStore
    _spools: Spools | None
    _writer: ResultWriter
    _director: Director
    _conductor: Conductor
    _lobby: Lobby
    _missed_ends: MissedEnds
    _metrics: Metrics

    async def run(self) -> None:
        """Continue what stopped referees leave, until cancelled."""
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
        """Continue the work left by other referees so far.

        Raises DatabaseUnreachableError and LeaseTakenError; SpoolFailedError if `spools_needed`,
        otherwise spools that fail are skipped.
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
                    "matches continue from the state in the database, without spooled results",
                    why=str(error),
                )
        with director.held():
            if lease.senior:
                await self._conductor.take_up()
            left = await self._store.kept(self._writer.snapshots.known)
            if director.winding_down:
                return  # the work stays with this lease, which another referee will inherit
            self._metrics.resumed(self._adopt(left))
        await self._missed_ends.load()
        self._lobby.tell_missed()
        await lease.settle(inherited)

    def _adopt(self, left: Sequence[KeptBlock]) -> int:
        """Continue these blocks; return the number of their matches."""
        for kept in left:
            if kept.matches or not kept.running.engaged:
                places = kept.running.places
                here = [self._lobby.expect(one.registered, one.instance) for one in places]
                self._director.adopt(kept, here)
            else:
                # Its tournament continues it when all of its bots are connected.
                self._director.remember(kept.running)
        matches = sum(len(kept.matches) for kept in left)
        if left:
            log.info("going on where a referee stopped", blocks=len(left), matches=matches)
        return matches
