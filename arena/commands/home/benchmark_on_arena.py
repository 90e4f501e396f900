"""`arena benchmark --rated`: measures a bot by its rated matches, and stores the result."""

import asyncio
from typing import TYPE_CHECKING

from arena.commands.errors import CommandError
from arena.commands.known_bots import require_bot
from arena.commands.progress import progress
from arena.local.benchmark import CERTIFIED, GAME, RUNGS, Benchmarked, benchmark_of_recorded

if TYPE_CHECKING:
    from arena.local.benchmark import RungShare
    from arena.records import VersionId


def measured_on_arena(bot: str) -> tuple[str, Benchmarked]:
    """Return the name and version of a bot of the settings' arena, and what was measured.

    Stores its share against the certified bot.

    Args:
        bot: Its name, or name:version; by default its newest version.

    Raises:
        UserError: There is no such bot, it has no match that counts, or the database fails.
        TranscriptError: A transcript contradicts the rules.
    """
    from arena.commands.database import existing_database
    from arena.database.reading import open_reader
    from arena.server.accounts.bot_statements import versions_of
    from arena.server.results.benchmarks import against_house
    from arena.settings import read_settings

    name, _, label = bot.partition(":")
    with existing_database(read_settings()) as url:
        with open_reader(url) as read:
            require_bot(read, name, "BOT")
            found = read(versions_of(name, label or None))
            if not found:
                raise CommandError(f"{name} has no version {label}.")
            version = found[0]
            matches = list(against_house(read, version.id, GAME, [rung.bot for rung in RUNGS]))
        with progress(len(matches), "Measuring") as advance:
            benchmarked = benchmark_of_recorded(version.bot, matches, advance)
        best = benchmarked.shares[-1]
        if best.rung == CERTIFIED:
            asyncio.run(_keep(url, version.id, best))
    return f"{version.bot} {version.version}", benchmarked


async def _keep(url: str, version_id: "VersionId", best: "RungShare") -> None:
    from arena.server.app.store import open_store

    async with open_store(url) as store:
        await store.benchmarks.keep(
            version_id,
            GAME,
            matches=best.matches,
            share=best.share,
            low=best.low,
            high=best.high,
        )
