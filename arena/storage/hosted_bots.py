"""`HostedBots`: uploaded builds and who runs them, with one transaction per method."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.builds.build import Build
from arena.builds.hosted import (
    MOST_OF_A_LOG,
    MOST_OF_AN_OUTCOME,
    BegunShift,
    BuildState,
    HostedBuild,
    HostedShift,
    HostingTerms,
    ShiftId,
    Worker,
    WorkerId,
    WorkerSeen,
)
from arena.match.transcript import Entrant
from arena.records import Allowance, Owner, VersionId
from arena.storage import (
    bot_statements,
    hosting_statements,
    owner_statements,
    registering,
    shift_queue,
    shift_statements,
)
from arena.storage.auditing import record
from arena.storage.errors import (
    BannedError,
    BuildNotKeptError,
    TooManyBotsError,
    TooManyUploadsError,
    UnknownBotError,
    UnknownShiftError,
    UnknownWorkerError,
    VersionExistsError,
)
from arena.storage.names import (
    check_name,
    new_shift_token,
    new_worker_token,
    normal_name,
    token_hash,
)
from arena.storage.transaction import transaction

SHIFTS_KEPT: Final = 10
"""Of a version: their logs take up to MOST_OF_A_LOG each."""
GRACE_SECONDS: Final = 180
"""After a shift's time, in which its program may start, and end its matches."""
CHECK_SECONDS: Final = 900
"""After which a check has been lost."""
MOST_CHECKS: Final = 3
"""Of one build: whatever takes its worker down is not tried again and again."""
ARENA: Final = "arena"
"""Who decides on checks, as the audit names it."""


class HostedBots:
    """Builds, their checks and shifts. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    # Owners

    async def upload(
        self,
        owner: Owner,
        bot: str,
        version: str,
        build: Build,
        terms: HostingTerms,
        allowance: Allowance,
    ) -> Entrant:
        """Keep a build as a new version of the owner's bot, and queue its check. An empty `version`
        is the next free number.

        Raises BannedError, TooManyUploadsError, TooManyBotsError, and what
        `registering.add_version` raises.
        """
        bot = normal_name("bot", bot)
        if version:
            check_name("version", version)
        async with self._transaction() as connection:
            locked = (await connection.execute(owner_statements.lock_owner(owner.id))).one()
            if locked.banned_at is not None:
                raise BannedError(f"The operator has banned the owner {owner.name}.")
            await _require_allowed(connection, owner, bot, terms)
            await _require_new(connection, owner, bot, build)
            label = version or await _next_label(connection, owner, bot)
            registered, _ = await registering.add_version(
                connection, bot, owner.id, label, allowance=allowance
            )
            build_id = await _keep(connection, owner, build)
            await connection.execute(
                hosting_statements.add_hosted_version(registered.version_id, build_id)
            )
            await connection.execute(shift_queue.queue_check(registered.version_id))
            await connection.execute(hosting_statements.drop_old_files(owner.id, terms.builds_kept))
            details = {"sha256": build.sha256.hex(), "bytes": len(build.data)}
            await record(connection, owner.name, "upload", str(registered.entrant), details)
        return registered.entrant

    async def builds(self, owner: Owner, bot: str | None = None) -> list[HostedBuild]:
        """The uploaded builds of an owner, or of one of its bots, newest first."""
        async with self._transaction() as connection:
            statement = hosting_statements.owned_builds(owner.id, bot)
            rows = (await connection.execute(statement)).all()
        return [_build(row) for row in rows]

    async def roll_back(self, owner: Owner, bot: str, version: str) -> None:
        """Let another accepted build of a bot play, from its next shift on.

        Raises UnknownBotError and BuildNotKeptError.
        """
        async with self._transaction() as connection:
            row = await _own_version(connection, owner, bot, version)
            name = f"{row.bot} {row.version}"
            if row.state != BuildState.ACCEPTED.value:
                raise BuildNotKeptError(f"{name} was not accepted by its check: it cannot play.")
            if row.retired_at is not None:
                raise BuildNotKeptError(f"{name} is retired: upload its build again.")
            if not row.kept:
                raise BuildNotKeptError(f"The build of {name} is not kept any more: upload it.")
            await connection.execute(
                hosting_statements.host(row.bot_id, row.version_id, newer_only=False)
            )
            await connection.execute(shift_queue.queue_lock())
            await connection.execute(shift_queue.queue_play(row.bot_id))
            await record(connection, owner.name, "roll back", name)

    async def shifts(self, owner: Owner, bot: str, version: str) -> list[HostedShift]:
        """The last shifts of a version, by default the newest that was uploaded; newest first.

        Raises UnknownBotError.
        """
        async with self._transaction() as connection:
            row = await _own_version(connection, owner, bot, version)
            rows = (await connection.execute(shift_statements.shifts_of(row.version_id))).all()
        return [
            HostedShift(
                one.began_at,
                one.ended_at,
                one.check,
                one.outcome,
                one.log,
                tuple(map(str, one.match_ids)),
            )
            for one in rows
        ]

    # Workers

    async def worker(self, token: str) -> Worker | None:
        """The worker that has this token; None for an unknown one."""
        async with self._transaction() as connection:
            statement = shift_statements.worker_by_token(token_hash(token))
            row = (await connection.execute(statement)).one_or_none()
        return None if row is None else Worker(WorkerId(row.id), row.name)

    async def begin_play(
        self, worker: Worker, bot_id: int, terms: HostingTerms
    ) -> BegunShift | None:
        """Begin a shift of play; None if the bot is not to play any more."""
        async with self._transaction() as connection:
            row = await _found(connection, shift_statements.version_to_play(bot_id))
            if row is None:
                return None
            token = new_shift_token()
            seconds = terms.shift_seconds
            return await _begun(connection, worker, row, token, seconds, seconds + GRACE_SECONDS)

    async def begin_check(self, worker: Worker, version_id: VersionId) -> BegunShift | None:
        """Begin the check of a build; None if it is decided, or was tried too often."""
        async with self._transaction() as connection:
            row = await _found(connection, shift_statements.version_to_check(version_id))
            if row is None:
                return None
            checks = await connection.scalar(hosting_statements.begin_check(version_id))
            if checks is not None and checks > MOST_CHECKS:
                why = f"Its check was begun {MOST_CHECKS} times, and never came to an end."
                await _decide(connection, version_id, row, accepted=False, why=why)
                return None
            return await _begun(connection, worker, row, "", 0, CHECK_SECONDS)

    async def build_file(self, worker: Worker, shift: ShiftId) -> bytes:
        """The build that a shift of this worker runs. Raises UnknownShiftError and
        BuildNotKeptError."""
        async with self._transaction() as connection:
            running = await _running(connection, worker, shift)
            data = await connection.scalar(shift_statements.file_of(running.build_id))
        if data is None:
            raise BuildNotKeptError("The build is not kept any more.")
        return bytes(data)

    async def tell_step(self, worker: Worker, shift: ShiftId, step: str) -> None:
        """Say how far a check is. Raises UnknownShiftError."""
        async with self._transaction() as connection:
            running = await _running(connection, worker, shift)
            if running.check:
                words = _kept_words(step, 200)
                await connection.execute(
                    hosting_statements.set_state(running.version_id, BuildState.CHECKING, words)
                )

    async def end_shift(
        self, worker: Worker, shift: ShiftId, outcome: str, log: str, *, accepted: bool
    ) -> VersionId | None:
        """End a shift, decide on the build that it checked, and queue the bot's next one. Returns
        the version. A shift that is over, or of another worker, is left as it is: None."""
        outcome = _kept_words(outcome, MOST_OF_AN_OUTCOME)
        log = _kept_words(log.encode()[:MOST_OF_A_LOG].decode("utf-8", "ignore"), MOST_OF_A_LOG)
        async with self._transaction() as connection:
            found = await _found(connection, shift_statements.running_shift(shift, worker.id))
            if found is None:
                return None
            await connection.execute(shift_statements.end_shift(shift, outcome, log))
            await connection.execute(
                shift_statements.drop_old_shifts(found.version_id, SHIFTS_KEPT)
            )
            if found.check:
                await _decide(connection, found.version_id, found, accepted=accepted, why=outcome)
            else:
                # Streams that the program left open end.
                await connection.execute(bot_statements.tell_tokens())
                await connection.execute(shift_queue.queue_lock())
                await connection.execute(shift_queue.queue_play(found.bot_id))
        return VersionId(found.version_id)

    async def look_after(self) -> None:
        """End shifts of which nothing more was heard, and queue what is neither waiting nor
        running: bots whose shift was lost, or that may play again."""
        async with self._transaction() as connection:
            lost = (await connection.execute(shift_statements.end_late_shifts())).all()
            if lost:
                await connection.execute(bot_statements.tell_tokens())
            await connection.execute(shift_queue.queue_lock())
            await connection.execute(shift_queue.queue_play())
            await connection.execute(shift_queue.queue_lost_checks())

    async def by_shift_token(self, token: str) -> "SqlRow[Any] | None":
        """The version that plays with this token in a running shift: a row as of
        `bot_statements.version_by_token`."""
        async with self._transaction() as connection:
            return await _found(
                connection, shift_statements.version_by_shift_token(token_hash(token))
            )

    # The operator's

    async def add_worker(self, name: str, actor: str) -> str:
        """A new token for a worker, which is added if there is none of that name; an older token is
        revoked. Raises NameRefusedError."""
        check_name("worker", name)
        token = new_worker_token()
        async with self._transaction() as connection:
            await connection.execute(shift_statements.set_worker(name, token_hash(token)))
            await record(connection, actor, "add worker", name)
        return token

    async def remove_worker(self, name: str, actor: str) -> None:
        """Take a worker's token away. Raises UnknownWorkerError."""
        async with self._transaction() as connection:
            if await connection.scalar(shift_statements.remove_worker(name)) is None:
                raise UnknownWorkerError(f"There is no worker {name}: see `arena worker list`.")
            await record(connection, actor, "remove worker", name)

    async def workers(self) -> list[WorkerSeen]:
        """The workers that have a token, by name."""
        async with self._transaction() as connection:
            rows = (await connection.execute(shift_statements.worker_list())).mappings().all()
        return [WorkerSeen(**row) for row in rows]

    async def worker_tokens(self) -> list[bytes]:
        """The hashes of all workers' tokens."""
        async with self._transaction() as connection:
            rows = (await connection.execute(shift_statements.worker_tokens())).all()
        return [bytes(row.sha256) for row in rows]

    def _transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return transaction(self._engine)


async def _found(connection: AsyncConnection, statement: Any) -> "SqlRow[Any] | None":
    row: SqlRow[Any] | None = (await connection.execute(statement)).one_or_none()
    return row


async def _require_allowed(
    connection: AsyncConnection, owner: Owner, bot: str, terms: HostingTerms
) -> None:
    lately = (await connection.execute(hosting_statements.uploads_today(owner.id))).one()
    if lately.uploads >= terms.uploads_a_day:
        raise TooManyUploadsError(lately.uploads, lately.wait_seconds)
    others = await connection.scalar(hosting_statements.other_hosted_bots(owner.id, bot)) or 0
    if others >= terms.hosted_bots:
        raise TooManyBotsError(
            f"The arena hosts {others} bots of yours, and {terms.hosted_bots} are allowed: retire "
            "one first, or upload a new version of one."
        )


async def _require_new(connection: AsyncConnection, owner: Owner, bot: str, build: Build) -> None:
    """Refuse a build that the bot has, unless its check refused it."""
    known = await _found(
        connection, hosting_statements.version_with_build(owner.id, bot, build.sha256)
    )
    if known is not None and known.state != BuildState.REFUSED.value:
        raise VersionExistsError(
            f"This build is version {known.version} of {bot} already: `arena bot roll-back {bot} "
            f"{known.version}` lets it play again."
        )


async def _next_label(connection: AsyncConnection, owner: Owner, bot: str) -> str:
    rows = (await connection.execute(hosting_statements.labels_of(owner.id, bot))).all()
    taken = {row.label for row in rows}
    return next(label for label in map(str, range(1, len(taken) + 2)) if label not in taken)


async def _keep(connection: AsyncConnection, owner: Owner, build: Build) -> int:
    """Keep a build, whose bytes may have been dropped before. Returns its id."""
    added = await connection.scalar(
        hosting_statements.add_build(owner.id, build.sha256, build.file_name, len(build.data))
    )
    if added is None:
        added = await connection.scalar(hosting_statements.build_of(owner.id, build.sha256))
    await connection.execute(
        hosting_statements.add_build_file(int(added or 0)), {"file": build.data}
    )
    return int(added or 0)


async def _own_version(
    connection: AsyncConnection, owner: Owner, bot: str, version: str
) -> "SqlRow[Any]":
    """A row of `owned_builds`, by default of the newest version."""
    rows = (await connection.execute(hosting_statements.owned_builds(owner.id, bot))).all()
    for row in rows:
        if version in ("", row.version):
            return row
    which = f"version {version} of {bot}" if version and rows else f"bot {bot}"
    raise UnknownBotError(f"You have uploaded no {which}: `arena bot builds` shows what you have.")


async def _begun(
    connection: AsyncConnection,
    worker: Worker,
    row: "SqlRow[Any]",
    token: str,
    seconds: int,
    expires: int,
) -> BegunShift:
    values = {
        "version_id": row.version_id,
        "worker_id": worker.id,
        "check": not token,
        "token_sha256": token_hash(token) if token else None,
        "expires_at": shift_statements.shift_expiry(expires),
    }
    shift = await connection.scalar(shift_statements.add_shift(values))
    assert shift is not None
    await connection.execute(shift_statements.tell_seen(worker.id))
    entrant = Entrant(row.bot, row.version, row.owner)
    sha256 = bytes(row.sha256)
    return BegunShift(ShiftId(shift), entrant, token, sha256, row.file_name, seconds)


async def _running(connection: AsyncConnection, worker: Worker, shift: ShiftId) -> "SqlRow[Any]":
    found = await _found(connection, shift_statements.running_shift(shift, worker.id))
    if found is None:
        raise UnknownShiftError("This worker runs no such shift.")
    return found


async def _decide(
    connection: AsyncConnection, version_id: int, row: "SqlRow[Any]", *, accepted: bool, why: str
) -> None:
    """Accept a build, which plays from now on, or refuse it."""
    state = BuildState.ACCEPTED if accepted else BuildState.REFUSED
    id_ = VersionId(version_id)
    statement = hosting_statements.set_state(id_, state, "" if accepted else why)
    if await connection.scalar(statement) is None:
        return
    if accepted:
        await connection.execute(hosting_statements.host(row.bot_id, id_, newer_only=True))
        await connection.execute(shift_queue.queue_lock())
        await connection.execute(shift_queue.queue_play(row.bot_id, first=True))
    action = "accept build" if accepted else "refuse build"
    details = {} if accepted else {"why": why[:200]}
    await record(connection, ARENA, action, f"{row.bot} {row.version}", details)


def _kept_words(words: str, most: int) -> str:
    """Text as Postgres takes it."""
    return words.replace("\0", "").encode("utf-8", "replace").decode()[:most]


def _build(row: "SqlRow[Any]") -> HostedBuild:
    return HostedBuild(
        row.bot,
        row.version,
        bytes(row.sha256),
        row.size,
        row.uploaded_at,
        BuildState(row.state),
        row.reason,
        row.plays and row.retired_at is None,
        row.kept,
        row.running,
    )
