"""`HostedShifts`: shifts of hosted bots, with one transaction per method."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.builds.hosted import (
    CHECK_TASK,
    MOST_OF_A_LOG,
    MOST_OF_AN_OUTCOME,
    PLAY_TASK,
    TOURNAMENT_TASK,
    BegunShift,
    BuildState,
    HostingTerms,
    ShiftId,
    Worker,
)
from arena.database import shift_queue
from arena.database.errors import BuildNotKeptError, NotFoundError
from arena.database.keys import new_shift_token, token_hash
from arena.database.tables.uploads import build_files, shifts
from arena.database.transaction import transaction
from arena.match.transcript import Entrant
from arena.records import CheckOrigin, CheckOutcome, VersionId
from arena.server.accounts import bot_statements
from arena.server.accounts.auditing import record
from arena.server.notices.failing_bots import failing
from arena.server.notices.notice import Notice, NoticeKind
from arena.server.notices.outbox import tell
from arena.server.uploads import build_statements as hosting_statements
from arena.server.uploads import shift_statements
from arena.server.uploads.checks import set_check

SHIFTS_KEPT: Final = 10
"""The number of shifts kept per version; each log takes up to MOST_OF_A_LOG."""
GRACE_SECONDS: Final = 300
"""The time after a shift's planned length at which the shift expires.

It allows for fetching the build, starting the program and finishing its matches.
"""
MOST_OF_A_STEP: Final = 200
"""The greatest length of the name of a check's step, in characters."""
CHECK_SECONDS: Final = 900
"""The time after which a check that has not ended counts as lost."""
MOST_CHECKS: Final = 3
"""The most attempts to check one build, so that a build that crashes workers is given up."""
FIRST_DELAY: Final = timedelta(seconds=10)
"""The delay of a bot's next shift after its program cut one short.

It doubles with each further shift cut short in a row.
"""
MOST_DELAY: Final = timedelta(minutes=10)
"""The longest delay of a bot's next shift."""
FAILING_SHIFTS: Final = 3
"""The number of shifts of a version cut short in a row from which its bot counts as failing."""
OUT_OF_SERVICE: Final = (
    "The arena ended it: the bot is paused, frozen or retired, its owner is banned, or it plays in "
    "a private event alone."
)
ARENA: Final = "arena"
"""The actor in the audit for decisions by checks."""


class HostedShifts:
    """Checks of builds and shifts of play. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def begin_play(
        self, worker: Worker, bot_id: int, terms: HostingTerms
    ) -> BegunShift | None:
        """Begin a shift of play.

        Returns None if the bot may no longer play, or if its job is not this worker's.
        """
        wanted = shift_statements.version_to_play(bot_id)
        return await self._begin(worker, PLAY_TASK, bot_id, wanted, terms)

    async def begin_tournament(
        self, worker: Worker, version_id: VersionId, terms: HostingTerms
    ) -> BegunShift | None:
        """Begin a shift in which a version plays in the tournaments in which it is entered.

        Returns None if no tournament wants it any more, if it may not play, or if its job is not
        this worker's.
        """
        wanted = shift_statements.version_for_tournament(version_id)
        return await self._begin(worker, TOURNAMENT_TASK, version_id, wanted, terms)

    async def _begin(
        self, worker: Worker, task: str, value: int, wanted: Any, terms: HostingTerms
    ) -> BegunShift | None:
        async with transaction(self._engine) as connection:
            if not await _take_over(connection, worker, task, value):
                return None
            row = await _found(connection, wanted)
            if row is None:
                return None
            return await _begun(connection, worker, task, row, terms.shift_seconds)

    async def begin_check(self, worker: Worker, version_id: VersionId) -> BegunShift | None:
        """Begin the check of a build.

        Returns None if the build is accepted or refused already, if its check was begun too often,
        or if its job is not this worker's.
        """
        async with transaction(self._engine) as connection:
            if not await _take_over(connection, worker, CHECK_TASK, version_id):
                return None
            row = await _found(connection, shift_statements.version_to_check(version_id))
            if row is None:
                return None
            checks = await connection.scalar(hosting_statements.begin_check(version_id))
            if checks is not None and checks > MOST_CHECKS:
                why = f"Its check was started {MOST_CHECKS} times and never finished."
                await _decide(connection, version_id, row, accepted=False, why=why)
                return None
            return await _begun(connection, worker, CHECK_TASK, row, 0)

    async def build_file(self, worker: Worker, shift: ShiftId) -> bytes:
        """Return the bytes of the build that a shift of this worker runs.

        Raises NotFoundError and BuildNotKeptError.
        """
        async with transaction(self._engine) as connection:
            running = await _running(connection, worker, shift)
            of_build = build_files.c.build_id == running.build_id
            data = await connection.scalar(select(build_files.c.data).where(of_build))
        if data is None:
            raise BuildNotKeptError("The build is not kept any more.")
        return bytes(data)

    async def tell_step(self, worker: Worker, shift: ShiftId, step: str) -> None:
        """Record the current step of a check. Raises NotFoundError."""
        async with transaction(self._engine) as connection:
            running = await _running(connection, worker, shift)
            if running.check:
                await connection.execute(
                    hosting_statements.set_state(
                        running.version_id, BuildState.CHECKING, step[:MOST_OF_A_STEP]
                    )
                )

    async def end(
        self,
        worker: Worker,
        shift: ShiftId,
        outcome: str,
        log: str,
        *,
        accepted: bool | None,
        check: CheckOutcome | None = None,
        cut_short: bool = False,
    ) -> None:
        """End a shift, record its check, decide on its build, and queue the bot's next shift.

        With `accepted` None the build stays undecided and is checked again. After a shift that was
        `cut_short` the next shift is delayed, and the outcome says so. A shift that has already
        ended, or belongs to another worker, is left unchanged.
        """
        outcome = outcome[:MOST_OF_AN_OUTCOME]
        log = log.encode()[:MOST_OF_A_LOG].decode("utf-8", "ignore")
        async with transaction(self._engine) as connection:
            found = await _found(connection, shift_statements.running_shift(shift, worker.id))
            if found is None:
                return
            delay: timedelta | None = None
            if cut_short and not found.check:
                may = await _found(
                    connection,
                    shift_statements.version_for_tournament(found.version_id)
                    if found.tournament
                    else shift_statements.version_to_play(found.bot_id),
                )
                if may is None:  # out of service: the program did not end its streams itself
                    cut_short, outcome = False, OUT_OF_SERVICE
            if cut_short and not found.check:
                statement = shift_statements.cut_short_in_a_row(found.version_id)
                before: int = await connection.scalar(statement) or 0
                delay = min(MOST_DELAY, FIRST_DELAY * float(2**before))
                if before + 1 >= FAILING_SHIFTS:
                    why = f"its last {before + 1} shifts ended early. {outcome}"
                    notice = failing(found.bot_id, found.bot, found.version, why)
                    await tell(connection, notice)
                begins = (found.now + delay).astimezone(UTC)
                outcome += (
                    f" Its next shift begins at {begins:%H:%M:%S} UTC; a new build plays at once."
                )
            await connection.execute(
                shift_statements.end_shift(shift, outcome, log, cut_short=delay is not None)
            )
            await connection.execute(
                shift_statements.drop_old_shifts(found.version_id, SHIFTS_KEPT)
            )
            if found.check and check is not None:
                await connection.execute(
                    set_check(VersionId(found.version_id), CheckOrigin.ARENA, check)
                )
            if found.check and accepted is not None:
                await _decide(connection, found.version_id, found, accepted=accepted, why=outcome)
            elif not found.check:
                # This ends streams that the program left open.
                await connection.execute(bot_statements.tell_tokens([found.version_id]))
                await connection.execute(shift_queue.queue_lock())
                if found.tournament and delay is not None:
                    again = shift_queue.queue_tournament([found.version_id], 0, delay=delay)
                    await connection.execute(again)
                elif not found.tournament:
                    if delay is None:
                        delay = await _delay_of_pace(connection, found.version_id, found.began_at)
                    await connection.execute(shift_queue.queue_play(found.bot_id, delay=delay))

    async def look_after(self) -> None:
        """End expired shifts, and queue the jobs that are neither queued nor running.

        These are the jobs of bots whose shift was lost, of bots that may play again, and of lost
        checks.
        """
        async with transaction(self._engine) as connection:
            lost = await connection.scalars(shift_statements.end_lost_shifts())
            await connection.execute(bot_statements.tell_tokens(lost.all()))
            await connection.execute(shift_queue.queue_lock())
            await connection.execute(shift_queue.queue_play())
            await connection.execute(shift_queue.queue_lost_checks())

    async def by_token(self, token: str) -> "SqlRow[Any] | None":
        """Return the version that plays with this token in a running shift.

        The row is like one of `bot_statements.versions_by_token`.
        """
        async with transaction(self._engine) as connection:
            return await _found(
                connection, shift_statements.version_by_shift_token(token_hash(token))
            )


async def _found(connection: AsyncConnection, statement: Any) -> "SqlRow[Any] | None":
    row: SqlRow[Any] | None = (await connection.execute(statement)).one_or_none()
    return row


async def _take_over(connection: AsyncConnection, worker: Worker, task: str, value: int) -> bool:
    """Return whether a job is this worker's; if so, end the shifts that it already began for it.

    If another worker began a shift since the job was handed out, the job is that worker's. A shift
    that this worker began is ended because the reply to it may have been lost: the worker begins
    anew.
    """
    job = await _found(connection, shift_queue.in_hand(task, value))
    if job is None:
        return False
    begun = shift_statements.begun_since(task, value, job.started_at)
    rows = (await connection.execute(begun)).all()
    if any(row.worker_id != worker.id for row in rows):
        return False
    for row in rows:
        if row.ended_at is None:
            again = "The worker began it again."
            ended = shift_statements.end_shift(ShiftId(row.id), again, "", cut_short=False)
            await connection.execute(ended)
    return True


async def _begun(
    connection: AsyncConnection, worker: Worker, task: str, row: "SqlRow[Any]", seconds: int
) -> BegunShift:
    """Add a shift, and return it; a check has no token."""
    check = task == CHECK_TASK
    token = "" if check else new_shift_token()
    expires = CHECK_SECONDS if check else seconds + GRACE_SECONDS
    values = {
        "version_id": row.version_id,
        "worker_id": worker.id,
        "check": check,
        "tournament": task == TOURNAMENT_TASK,
        "token_sha256": token_hash(token) if token else None,
        "expires_at": func.now() + func.make_interval(0, 0, 0, 0, 0, 0, expires),
    }
    shift = await connection.scalar(insert(shifts).values(values).returning(shifts.c.id))
    assert shift is not None
    entrant = Entrant(row.bot, row.version, row.owner)
    sha256 = bytes(row.sha256)
    return BegunShift(ShiftId(shift), entrant, token, sha256, row.file_name, seconds)


async def _running(connection: AsyncConnection, worker: Worker, shift: ShiftId) -> "SqlRow[Any]":
    """Return the row of a running shift of this worker. Raises NotFoundError."""
    found = await _found(connection, shift_statements.running_shift(shift, worker.id))
    if found is None:
        raise NotFoundError("This worker runs no such shift.")
    return found


async def _delay_of_pace(
    connection: AsyncConnection, version_id: int, began_at: datetime
) -> timedelta | None:
    """Return the delay of the next shift of a bot that is ahead of its pace, otherwise None.

    The delay ends when the bot's pace allows the matches played since its last shift began.
    """
    row = (await connection.execute(shift_statements.played_since(version_id, began_at))).one()
    if row.pace is None:
        return None
    until = began_at + timedelta(hours=row.matches / row.pace)
    return min(MOST_DELAY, until - row.now) if until > row.now else None


async def _decide(
    connection: AsyncConnection, version_id: int, row: "SqlRow[Any]", *, accepted: bool, why: str
) -> None:
    """Accept a build, which then plays, or refuse it; do nothing if it is decided already."""
    state = BuildState.ACCEPTED if accepted else BuildState.REFUSED
    id_ = VersionId(version_id)
    statement = hosting_statements.set_state(id_, state, "" if accepted else why)
    if await connection.scalar(statement) is None:
        return
    if accepted:
        await connection.execute(hosting_statements.host(row.bot_id, id_, newer_only=True))
        await connection.execute(shift_queue.queue_lock())
        await connection.execute(shift_queue.drop_delayed_play(row.bot_id))
        await connection.execute(shift_queue.queue_play(row.bot_id, first=True))
    data = {"bot": row.bot, "version": row.version}
    said = "is accepted, and plays from now on."
    if not accepted:
        data["reason"] = why
        said = f"is refused by its check. {why}"
    notice = Notice(
        kind=NoticeKind.ACCEPTED if accepted else NoticeKind.REFUSED,
        bot_id=row.bot_id,
        about=row.version,
        text=f"{row.bot}: version {row.version} {said}",
        data=data,
    )
    await tell(connection, notice)
    action = "accept build" if accepted else "refuse build"
    details = {} if accepted else {"why": why[:200]}
    await record(connection, ARENA, action, f"{row.bot} {row.version}", details)
