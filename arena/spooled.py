"""Record what an earlier referee finished and could not record."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from arena.hosting.journal import Journal
from arena.records import BlockEnd, FinishedMatch, TournamentBlock
from arena.storage.errors import DatabaseUnreachableError
from arena.storage.spool import SpoolFile
from arena.storage.store import Store

RECORD_SECONDS: Final = 30.0
"""How long the database may fail meanwhile; the spool is read again at the next start."""

log = structlog.get_logger()


def spool_of(directory: Path, public_key: bytes) -> SpoolFile:
    """The spool for one database, known by its public key: results belong to no other."""
    mine = directory / f"results-{public_key.hex()[:16]}.spool"
    for other in directory.glob("results-*.spool"):
        if other != mine:
            log.warning("results of another database wait in a spool", file=str(other))
    return SpoolFile(mine)


async def record_spooled(spool: SpoolFile, store: Store) -> None:
    """Record all of it and clear the spool, before the first match.

    Raises DatabaseUnreachableError.
    """
    happenings = spool.read()
    journal = Journal(store)
    refused: list[str] = []
    for happening in happenings:
        match happening:
            case TournamentBlock():
                journal.open_block(happening)
            case FinishedMatch():
                refuse = partial(refused.append, happening.transcript.setup.match_id)
                journal.add(happening, _nobody_to_tell, refuse)
            case BlockEnd(block_id, void):
                journal.end_block(block_id, void=void)
    writing = asyncio.create_task(journal.run())
    try:
        async with asyncio.timeout(RECORD_SECONDS):
            await journal.settled()
    except TimeoutError as error:
        raise DatabaseUnreachableError(
            f"The database fails, and {journal.waiting} spooled results wait: see that it runs."
        ) from error
    finally:
        writing.cancel()
    if happenings:
        recorded = journal.recorded
        log.warning("results recorded that an earlier referee had spooled", matches=recorded)
    if refused:
        log.error("spooled results were refused; their file is kept as .refused", matches=refused)
        await spool.set_aside()
    else:
        await spool.clear()


def _nobody_to_tell() -> None:
    """The bots of these matches have long gone."""
