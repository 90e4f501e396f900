"""`HostedBuilds`: uploaded builds, with one transaction per method."""

from collections.abc import Collection
from dataclasses import replace
from shlex import quote
from typing import Any, Final

from sqlalchemy import Row as SqlRow
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arena.builds.build import Build
from arena.builds.hosted import BuildState, HostedBuild, HostingTerms
from arena.database import shift_queue
from arena.database.errors import (
    BuildNotKeptError,
    LimitReachedError,
    NameTakenError,
    NotFoundError,
    TooManyUploadsError,
)
from arena.database.names import check_name, folded, normal_name
from arena.database.tables.bots import bots, versions
from arena.database.tables.uploads import build_files, builds, hosted_versions
from arena.database.transaction import fetched, transaction
from arena.match.transcript import Entrant
from arena.records import Allowance, Owner, VersionId
from arena.server.accounts import look_ups, registering
from arena.server.accounts.auditing import record
from arena.server.uploads import build_statements as hosting_statements
from arena.server.uploads.entered_events import open_events, require_open

NO_WORKER: Final = (
    "no machine runs hosted bots now; it waits until the operator starts `arena work`"
)


MOST_LISTED: Final = 200
"""The largest number of builds in a list."""
MOST_IDENTICAL: Final = 20
"""The largest number of other owners' versions with the same build that the audit names."""
RECENT_CHECKS: Final = 20
"""The number of recent checks whose durations are shown to owners who wait for a check."""


class HostedBuilds:
    """The builds that owners upload. Every method raises DatabaseUnreachableError."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def upload(
        self,
        owner: Owner,
        bot: str,
        version: str,
        build: Build,
        terms: HostingTerms,
        allowance: Allowance,
    ) -> Entrant:
        """Keep a build as a new version of the owner's bot, and queue its check.

        An empty `version` stands for the next free number.

        Raises TooManyUploadsError, LimitReachedError, NameTakenError if the bot can already play
        with this build, WrongStateError while an event fixes the bot's build, and what
        `look_ups.lock_caller` and `registering.add_version` raise.
        """
        bot = normal_name("bot", bot)
        if version:
            check_name("version", version)
        async with transaction(self._engine) as connection:
            await look_ups.lock_caller(connection, owner)
            await require_open(connection, owner, bot)
            await _require_allowed(connection, owner, bot, terms)
            await _require_new(connection, owner, bot, build)
            label = version or await _next_label(connection, owner, bot)
            registered, _ = await registering.add_version(
                connection,
                bot,
                owner.id,
                label,
                house=False,
                allowance=allowance,
                uploaded=True,
            )
            values = {
                "version_id": registered.version_id,
                "build_id": await _keep(connection, owner, build),
            }
            await connection.execute(insert(hosted_versions).values(values))
            await connection.execute(shift_queue.queue_check(registered.version_id, owner.id))
            await connection.execute(hosting_statements.drop_old_files(owner.id, terms.builds_kept))
            others = await connection.execute(
                hosting_statements.same_build_of_others(owner.id, build.sha256)
            )
            same = [f"{row.bot} {row.version} of {row.owner}" for row in others]
            details: dict[str, Any] = {"sha256": build.sha256.hex(), "bytes": len(build.data)}
            if same:
                details["identical_to"] = same[:MOST_IDENTICAL]
            await record(connection, owner.actor, "upload", str(registered.entrant), details)
        return registered.entrant

    async def notices(self, owner: Owner, bot: str, terms: HostingTerms) -> list[str]:
        """Return what an owner should know after an upload of a bot, a sentence each.

        These are the deadlines and limits of events for builds, and the uploads left.
        """
        async with transaction(self._engine) as connection:
            said = await open_events(connection, owner, bot)
            lately = (await connection.execute(hosting_statements.uploads_today(owner.id))).one()
        left = max(0, terms.uploads_a_day - lately.uploads)
        return [*said, f"Uploads left in these 24 hours: {left} of {terms.uploads_a_day}."]

    async def open_events(self, owner: Owner, bot: str | None = None) -> list[str]:
        """Return a sentence for each open event on the builds of an owner's bot, or of all bots."""
        async with transaction(self._engine) as connection:
            return await open_events(connection, owner, bot)

    async def of(self, owner: Owner, bot: str | None = None) -> list[HostedBuild]:
        """Return the last MOST_LISTED builds of an owner, or of one of its bots; newest first."""
        async with transaction(self._engine) as connection:
            statement = hosting_statements.owned_builds(owner.id, bot).limit(MOST_LISTED)
            rows = (await connection.execute(statement)).all()
            alive = not rows or await connection.scalar(shift_queue.worker_alive())
            waiting = [row.version_id for row in rows if _waits_for_check(row)]
            words = await _check_waits(connection, waiting) if alive and waiting else {}
        found = [(row, _build(row)) for row in rows]
        if not alive:
            return [_waiting(build) for _, build in found]
        return [
            replace(build, reason=words[row.version_id]) if row.version_id in words else build
            for row, build in found
        ]

    async def refused(self, version_ids: Collection[VersionId]) -> set[VersionId]:
        """Return the given versions whose build was refused by its check."""
        found = await fetched(self._engine, hosting_statements.refused(version_ids))
        return {VersionId(row.version_id) for row in found}

    async def identical(self, most: int) -> list[SqlRow[Any]]:
        """Return the rows of `hosting_statements.identical_builds`, for the operator."""
        return list(await fetched(self._engine, hosting_statements.identical_builds(most)))

    async def roll_back(self, owner: Owner, bot: str, version: str) -> None:
        """Make a bot play another of its accepted builds, from its next shift on.

        Raises NotFoundError and BuildNotKeptError.
        """
        async with transaction(self._engine) as connection:
            row = await own_version(connection, owner, bot, version)
            which = f"Version {row.version} of {row.bot}"
            if row.state != BuildState.ACCEPTED.value:
                raise BuildNotKeptError(f"{which} was not accepted by its check: it cannot play.")
            if row.retired_at is not None:
                raise BuildNotKeptError(f"{which} is retired: upload its build again.")
            if not row.kept:
                raise BuildNotKeptError(f"{which} is not kept any more: upload its build again.")
            await connection.execute(
                hosting_statements.host(row.bot_id, row.version_id, newer_only=False)
            )
            await connection.execute(shift_queue.queue_lock())
            await connection.execute(shift_queue.drop_delayed_play(row.bot_id))
            await connection.execute(shift_queue.queue_play(row.bot_id))
            await record(connection, owner.actor, "roll back", f"{row.bot} {row.version}")


async def own_version(
    connection: AsyncConnection, owner: Owner, bot: str, version: str
) -> "SqlRow[Any]":
    """Return the row of `owned_builds` of a version, by default of the bot's newest upload.

    Raises NotFoundError if the owner has uploaded no such version.
    """
    row = await _newest(connection, owner, bot, version)
    if row is not None:
        return row
    known = version and await _newest(connection, owner, bot)
    which = f"version {version} of {bot}" if known else f"bot {bot}"
    raise NotFoundError(f"You have uploaded no {which}: `arena bot builds` shows what you have.")


async def _newest(
    connection: AsyncConnection, owner: Owner, bot: str, version: str = ""
) -> "SqlRow[Any] | None":
    statement = hosting_statements.owned_builds(owner.id, bot, version).limit(1)
    row: SqlRow[Any] | None = (await connection.execute(statement)).one_or_none()
    return row


async def _require_allowed(
    connection: AsyncConnection, owner: Owner, bot: str, terms: HostingTerms
) -> None:
    """Raise TooManyUploadsError or LimitReachedError if a quota of the terms is used up."""
    lately = (await connection.execute(hosting_statements.uploads_today(owner.id))).one()
    if lately.uploads >= terms.uploads_a_day:
        raise TooManyUploadsError(lately.uploads, lately.wait_seconds)
    others = await connection.scalar(hosting_statements.other_hosted_bots(owner.id, bot)) or 0
    if others >= terms.hosted_bots:
        raise LimitReachedError(
            f"The arena hosts {others} bots of yours, and {terms.hosted_bots} are allowed: retire "
            "one first, or upload a new version of one."
        )


async def _require_new(connection: AsyncConnection, owner: Owner, bot: str, build: Build) -> None:
    """Raise NameTakenError if the bot can already play with this build."""
    statement = hosting_statements.version_with_build(owner.id, bot, build.sha256)
    known = await connection.scalar(statement)
    if known is not None:
        raise NameTakenError(
            f"This build is version {known} of {bot} already: nothing was changed. If a later "
            f"version plays now, `arena bot roll-back {quote(bot)} {known}` goes back to it."
        )


async def _next_label(connection: AsyncConnection, owner: Owner, bot: str) -> str:
    """Return the smallest positive number that is not the label of a version of the bot."""
    own = bots.c.owner_id == owner.id, bots.c.folded == folded(bot)
    labels = select(versions.c.label).select_from(versions.join(bots)).where(*own)
    taken = set(await connection.scalars(labels))
    return next(label for label in map(str, range(1, len(taken) + 2)) if label not in taken)


async def _keep(connection: AsyncConnection, owner: Owner, build: Build) -> int:
    """Store a build, or again only its bytes if they were dropped; return the build's id."""
    own = {"owner_id": owner.id, "sha256": build.sha256}
    put = insert(builds).values(**own, file_name=build.file_name, size=len(build.data))
    added = await connection.scalar(put.on_conflict_do_nothing().returning(builds.c.id))
    if added is None:
        added = await connection.scalar(select(builds.c.id).filter_by(**own))
    # The bytes are a parameter, so that the SQL text stays the same.
    file = insert(build_files).values(build_id=int(added or 0), data=bindparam("file"))
    await connection.execute(file.on_conflict_do_nothing(), {"file": build.data})
    return int(added or 0)


def _build(row: "SqlRow[Any]") -> HostedBuild:
    plays = row.plays and row.retired_at is None
    cut_short = row.cut_short or "" if plays else ""
    return HostedBuild(
        row.bot,
        row.version,
        bytes(row.sha256),
        row.size,
        row.uploaded_at,
        BuildState(row.state),
        row.reason or cut_short.removesuffix("."),
        plays,
        row.kept,
        row.running,
    )


def _waits_for_check(row: "SqlRow[Any]") -> bool:
    """Return whether the check of a version is queued and does not run yet."""
    return row.state == BuildState.CHECKING.value and not row.running


async def _check_waits(
    connection: AsyncConnection, version_ids: list[VersionId]
) -> dict[VersionId, str]:
    """Return the place of each version's check in the queue, in words, and how long checks take."""
    found = (await connection.execute(shift_queue.checks_ahead(version_ids))).all()
    lately = (await connection.execute(shift_queue.recent_checks(RECENT_CHECKS))).one()
    took = ""
    if lately.median is not None:
        took = (
            f"; lately it took {round(lately.median)} s from upload to the end of a check, at most "
            f"{round(lately.longest)} s"
        )
    words = {}
    for row in found:
        before = "no other is" if not row.ahead else "1 other is"
        if row.ahead > 1:
            before = f"{row.ahead} others are"
        words[VersionId(row.version_id)] = f"{before} before it{took}"
    return words


def _waiting(build: HostedBuild) -> HostedBuild:
    """Return a build as it is shown while no worker runs."""
    waits = not build.running and (build.plays or build.state is BuildState.CHECKING)
    return replace(build, reason=NO_WORKER) if waits else build
