"""The spools of results, and the recording of results that an earlier referee left in one.

Each lease has a spool of its own, so that a referee that lost its lease never writes where another
reads. A spool is recorded only by the direct successor of its referee: once another referee has
continued its matches from the state in the database, they end differently.
"""

import asyncio
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from arena.database.errors import DatabaseUnreachableError, SpoolFailedError
from arena.records import BlockEnd, FinishedMatch, TournamentBlock, UntoldEnd
from arena.server.app.referees_store import RefereesStore
from arena.server.failover.result_writer import ResultWriter
from arena.server.failover.spool import SpoolFile

RECORD_SECONDS: Final = 30.0
"""The time for which the database may fail while a spool is recorded.

After this the spool stays, and is read again at the next attempt.
"""

log = structlog.get_logger()


class Spools:
    """The spools of one database in a directory; the database is identified by its public key."""

    def __init__(self, directory: Path, public_key: bytes) -> None:
        self._directory = directory
        self._key = public_key.hex()[:16]

    def of(self, epoch: int) -> SpoolFile:
        """Return the spool of a lease."""
        return SpoolFile(self._directory / f"results-{self._key}-{epoch}.spool")

    def left(self) -> dict[int, SpoolFile]:
        """Return the spools in the directory by lease. Raises SpoolFailedError."""
        found = {}
        for file in self._files():
            _, key, epoch = file.stem.split("-")
            if key == self._key:
                found[int(epoch)] = SpoolFile(file)
            else:
                log.warning("results of another database wait in a spool", file=str(file))
        return found

    def _files(self) -> list[Path]:
        # Not Path.glob: from Python 3.13 it treats a directory that cannot be read as empty.
        try:
            return sorted(
                file for file in self._directory.iterdir() if file.match("results-*.spool")
            )
        except FileNotFoundError:
            return []
        except OSError as error:
            raise SpoolFailedError(f"{self._directory}: {error.strerror}") from error


async def record_spooled(spools: Spools, inherited: Collection[int], store: RefereesStore) -> None:
    """Record the spools of the leases `inherited`, before their matches are continued.

    Spools of leases whose matches another referee has continued are set aside. The spools of a
    running referee, and of a lease that another referee has inherited but not yet continued, are
    left to that referee.

    Raises DatabaseUnreachableError and LeaseTakenError; SpoolFailedError if the directory cannot be
    read or, after the others are recorded, a spool of `inherited` cannot be read or removed.
    """
    left = spools.left()
    if not left:
        return
    lease = store.lease
    await lease.look()  # after listing the spools: the lease of each must be known
    failed: list[SpoolFailedError] = []
    for epoch, spool in left.items():
        if epoch in inherited:
            try:
                await _record(spool, store)
            except SpoolFailedError as error:
                failed.append(error)
        elif epoch not in lease.running | lease.unsettled:
            await _supersede(spool)
    if failed:
        raise SpoolFailedError(
            f"{'; '.join(map(str, failed))}. Finished matches wait there to be recorded: let this "
            "user read and remove it, or move it away to start without these results."
        )


async def _supersede(spool: SpoolFile) -> None:
    """Set aside a spool whose matches another referee has continued."""
    try:
        file = await spool.set_aside("superseded")
    except SpoolFailedError as error:
        log.error("a spool that is not needed any more cannot be set aside", why=str(error))
        return
    if file is not None:
        log.error(
            "spooled results are set aside: another referee has played these matches on",
            file=str(file),
        )


async def _record(spool: SpoolFile, store: RefereesStore) -> None:
    """Record the results of a spool, then remove it, or set it aside if some cannot be recorded.

    Results are not recorded if the database refuses them or this release cannot read them. Raises
    DatabaseUnreachableError after RECORD_SECONDS.
    """
    # In a thread, as the spool may be long and other matches run.
    happenings = await asyncio.to_thread(spool.read)
    writer = ResultWriter(store)
    refused: list[str] = []
    untold: list[UntoldEnd] = []
    for happening in happenings:
        match happening:
            case TournamentBlock():
                writer.open_block(happening)
            case FinishedMatch():
                match_id = happening.transcript.setup.match_id
                ends = [
                    UntoldEnd(match_id, version, happening.instance(seat))
                    for seat, version in enumerate(happening.version_ids)
                ]
                recorded = partial(untold.extend, ends)
                writer.add(happening, recorded, partial(refused.append, match_id))
            case BlockEnd(block_id, void):
                writer.end_block(block_id, void=void)
    writing = asyncio.create_task(writer.run())
    try:
        async with asyncio.timeout(RECORD_SECONDS):
            await writer.settled()
            if untold:
                await store.add_untold(untold)
    except TimeoutError as error:
        raise DatabaseUnreachableError(
            f"The database fails, and {writer.waiting} spooled results wait: see that it runs."
        ) from error
    finally:
        writing.cancel()
    if happenings:
        log.warning("results recorded that an earlier referee had spooled", matches=writer.recorded)
    if refused:
        log.error("spooled results were refused; their file is kept as .refused", matches=refused)
        await spool.set_aside("refused")
    elif spool.unread:
        file = await spool.set_aside("unread")
        log.error("the spool is kept for a release that can read all of it", file=str(file))
    else:
        await spool.clear()
