"""`ShiftLogs`: what hosted bots printed, for their owners."""

from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from arena.builds.hosted import HostedShift, MatchLog
from arena.builds.shift_log import printed_between
from arena.database.errors import NotFoundError, WrongStateError
from arena.database.transaction import transaction
from arena.match.match_id import is_match_id
from arena.records import Owner
from arena.server.uploads import shift_statements
from arena.server.uploads.hosted_builds import own_version
from arena.server.uploads.hosted_shifts import SHIFTS_KEPT

AROUND_MATCH: Final = timedelta(seconds=0.5)
"""The margin before a match's start and after its end within which lines belong to its log.

Lines take a moment to reach the worker, and its clock may start a moment after the database's.
"""


class ShiftLogs:
    """Past shifts and what was printed in them. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of(self, owner: Owner, bot: str, version: str) -> list[HostedShift]:
        """Return a version's last shifts, newest first; by default of the newest upload.

        Raises NotFoundError.
        """
        async with transaction(self._engine) as connection:
            row = await own_version(connection, owner, bot, version)
            rows = (await connection.execute(shift_statements.shifts_of(row.version_id))).all()
        return [
            HostedShift(**{**one._mapping, "match_ids": tuple(map(str, one.match_ids))})
            for one in rows
        ]

    async def match_log(self, owner: Owner, bot: str, match_id: str) -> MatchLog:
        """Return what a bot printed while it played a match.

        Raises NotFoundError and WrongStateError.
        """
        async with transaction(self._engine) as connection:
            match = None
            if is_match_id(match_id.lower()):
                statement = shift_statements.match_of(owner.id, bot, match_id.lower())
                match = (await connection.execute(statement)).one_or_none()
            if match is None:
                raise NotFoundError(f"You have no bot {bot} that played a match {match_id}.")
            statement = shift_statements.shift_of(match.version_id, match.started_at)
            shift = (await connection.execute(statement)).one_or_none()
            if shift is None:
                raise WrongStateError(
                    f"There is no log of this match: those of the last {SHIFTS_KEPT} shifts of a "
                    "version are kept."
                )
            if shift.ended_at is None:
                raise WrongStateError(
                    "The shift of this match still runs: what a program prints is known when its "
                    "shift is over, in a minute or so."
                )
            start, end = match.started_at - AROUND_MATCH, match.finished_at + AROUND_MATCH
            played = await connection.scalar(
                shift_statements.matches_between(match.version_id, start, end, shift.ended_at)
            )
        seconds = [(time - shift.began_at).total_seconds() for time in (start, end)]
        return MatchLog(
            version=match.version,
            shift_began_at=shift.began_at,
            started_at=match.started_at,
            finished_at=match.finished_at,
            other_matches=max(0, (played or 0) - 1),
            log=printed_between(shift.log, *seconds),
        )
