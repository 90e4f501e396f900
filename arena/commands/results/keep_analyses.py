"""`arena analyse --missing`: analyses recorded matches in processes and saves the analyses."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime, timedelta

import structlog
import typer

from arena.commands.database import existing_database
from arena.commands.jobs_option import processor_count, workers_of
from arena.commands.progress import progress
from arena.database.channels import RESULTS_CHANNEL
from arena.database.errors import TranscriptDamagedError
from arena.database.listening import notifications
from arena.database.transcripts import unpack
from arena.lab.analysis import ANALYSED_GAMES, decisions
from arena.match.replay import TranscriptError
from arena.server.app.store import Store, open_store
from arena.server.results.analyses import AnalysisQuery, FoundAnalysis, Unanalysed
from arena.server.results.kept_analyses import edition, to_keep
from arena.settings import read_settings

_AT_A_TIME = 200
"""The number of matches read, analysed and saved together; seconds of work with the tables."""
_OVERLAP = timedelta(minutes=10)
"""The overlap of searches: a match recorded later than this after its end waits for a restart."""

log = structlog.get_logger()


def keep_missing(
    *, seats: int | None, jobs: int | None, follow: bool, cluster: str | None = None
) -> None:
    """Analyse all recorded matches that have no analysis of this release, newest first.

    With `follow`, then analyse new matches until stopped.
    """
    with existing_database(read_settings()) as url:
        jobs = jobs or processor_count()
        asyncio.run(analyse_missing(url, seats=seats, jobs=jobs, follow=follow, cluster=cluster))


async def analyse_missing(
    url: str,
    *,
    seats: int | None,
    jobs: int,
    follow: bool,
    overlap: timedelta = _OVERLAP,
    cluster: str | None = None,
) -> None:
    """Analyse the unanalysed matches of a database as `keep_missing` does.

    When matches arrive, it searches those that ended after the last search began, minus `overlap`.
    """
    wanted = AnalysisQuery(edition(), ANALYSED_GAMES, seats)
    with workers_of(jobs, cluster) as workers:
        pool = workers.executor
        async with open_store(url) as store:
            await store.analyses.forget_others(wanted.edition)
            looked = datetime.now().astimezone()
            failed: set[str] = set()
            done = await _pass(store, pool, wanted, failed)
            typer.echo(f"Analysed {done:,} matches.")
            if failed:
                typer.echo(f"{len(failed):,} could not be analysed; the log says why.", err=True)
            if follow:
                async with aclosing(notifications(url, [RESULTS_CHANNEL])) as news:
                    async for _ in news:
                        since, looked = looked - overlap, datetime.now().astimezone()
                        await _pass(store, pool, replace(wanted, since=since), failed)


async def _pass(store: Store, pool: Executor, wanted: AnalysisQuery, failed: set[str]) -> int:
    """Analyse the missing matches and return how many were analysed.

    Matches in `failed` are skipped; new failures are added to it.
    """
    done = 0
    before: Unanalysed | None = None
    with progress(await store.analyses.missing(wanted), "analysis") as advance:
        while part := await store.analyses.next_missing(wanted, before, _AT_A_TIME):
            found = await _analysed(pool, [one for one in part if one.match_id not in failed])
            if found:
                await store.analyses.keep(wanted.edition, found)
            failed |= {one.match_id for one in part} - {one.match_id for one in found}
            done += len(found)
            advance(len(part))
            before = part[-1]
    return done


async def _analysed(pool: Executor, part: Iterable[Unanalysed]) -> list[FoundAnalysis]:
    """Return the analyses of matches, computed in the pool, without those that failed."""
    asked = [asyncio.wrap_future(pool.submit(analysed, match)) for match in part]
    return [found for found in await asyncio.gather(*asked) if found is not None]


def analysed(match: Unanalysed) -> FoundAnalysis | None:
    """Return the analysis of a match; None if it cannot be analysed."""
    try:
        transcript = unpack(match.transcript)
        found = tuple(decisions(transcript))
    except (TranscriptDamagedError, TranscriptError) as error:
        log.warning("match not analysed", match=match.match_id, why=str(error))
        return None
    return to_keep(match.match_id, transcript, found)
