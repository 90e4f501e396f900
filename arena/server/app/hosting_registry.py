"""`StoredBuilds`: uploads, shifts and workers for the gRPC services, with errors as statuses."""

import grpc

from arena.builds.build import Build
from arena.builds.hosted import (
    BegunShift,
    HostedBuild,
    HostedShift,
    HostingTerms,
    MatchLog,
    ShiftId,
    Worker,
)
from arena.database.names import WORKER_PREFIX
from arena.match.transcript import Entrant
from arena.records import Allowance, CheckOutcome, Owner, VersionId
from arena.server.app.store import Store
from arena.server.limits.storage_statuses import storage_errors_to_grpc
from arena.server.requests.errors import ProtocolError


class StoredBuilds:
    """The BuildRegistry and ShiftRegistry of arena.server.uploads."""

    def __init__(self, store: Store, terms: HostingTerms | None, allowance: Allowance) -> None:
        self._store = store
        self.terms = terms
        self._allowance = allowance

    # Owners

    async def upload(self, owner: Owner, bot: str, version: str, build: Build) -> Entrant:
        terms = self._require_hosting()
        async with storage_errors_to_grpc():
            return await self._store.builds.upload(
                owner, bot, version, build, terms, self._allowance
            )

    async def builds(self, owner: Owner, bot: str) -> list[HostedBuild]:
        async with storage_errors_to_grpc():
            return await self._store.builds.of(owner, bot or None)

    async def roll_back(self, owner: Owner, bot: str, version: str) -> None:
        self._require_hosting()
        async with storage_errors_to_grpc():
            await self._store.builds.roll_back(owner, bot, version)

    async def shifts(self, owner: Owner, bot: str, version: str) -> list[HostedShift]:
        async with storage_errors_to_grpc():
            return await self._store.shifts.of(owner, bot, version)

    async def match_log(self, owner: Owner, bot: str, match_id: str) -> MatchLog:
        async with storage_errors_to_grpc():
            return await self._store.shifts.match_log(owner, bot, match_id)

    # Workers

    async def worker(self, token: str) -> Worker:
        async with storage_errors_to_grpc():
            worker = await self._store.workers.by_token(token)
        if worker is None:
            raise ProtocolError(
                grpc.StatusCode.UNAUTHENTICATED,
                "no worker has this token: see `arena worker add`"
                if token.startswith(WORKER_PREFIX)
                else "this is not a worker's token: those begin with " + WORKER_PREFIX,
            )
        return worker

    async def begin_play(self, worker: Worker, bot_id: int) -> BegunShift | None:
        terms = self._require_hosting()
        async with storage_errors_to_grpc():
            return await self._store.shifts.begin_play(worker, bot_id, terms)

    async def begin_check(self, worker: Worker, version_id: VersionId) -> BegunShift | None:
        self._require_hosting()
        async with storage_errors_to_grpc():
            return await self._store.shifts.begin_check(worker, version_id)

    async def build_file(self, worker: Worker, shift: ShiftId) -> bytes:
        async with storage_errors_to_grpc():
            return await self._store.shifts.build_file(worker, shift)

    async def tell_step(self, worker: Worker, shift: ShiftId, step: str) -> None:
        async with storage_errors_to_grpc():
            await self._store.shifts.tell_step(worker, shift, step)

    async def end_shift(
        self,
        worker: Worker,
        shift: ShiftId,
        outcome: str,
        log: str,
        accepted: bool | None,
        check: CheckOutcome | None,
        *,
        cut_short: bool,
    ) -> None:
        async with storage_errors_to_grpc():
            await self._store.shifts.end(
                *(worker, shift, outcome, log),
                accepted=accepted,
                check=check,
                cut_short=cut_short,
            )

    def _require_hosting(self) -> HostingTerms:
        if self.terms is None:
            raise ProtocolError(
                grpc.StatusCode.FAILED_PRECONDITION,
                "this arena hosts no bots: register yours, and run it yourself",
            )
        return self.terms
