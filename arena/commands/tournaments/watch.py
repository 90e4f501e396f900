"""A tournament's progress, live: a bar on a terminal, otherwise a line from time to time."""

import asyncio
from contextlib import aclosing

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arena.commands.database import existing_database
from arena.commands.errors import exit_with_message
from arena.commands.terminal import say
from arena.settings import read_settings
from arena.storage.channels import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.storage.listening import notifications
from arena.storage.store import open_store
from arena.tournament.summary import blocks_expected

PLAIN_STEP = 10
"""Per cent between two lines without a terminal."""
LOOK_SECONDS = 0.2
"""The least seconds between two reads, however often the database notifies."""


def watch(name: str) -> None:
    """Show the progress until the tournament is over, or Ctrl-C, which only ends the display."""
    with exit_with_message(), existing_database(read_settings()) as url:
        try:
            asyncio.run(_watch(url, name))
        except KeyboardInterrupt:
            say(f"No longer watching; {name} continues.", err=True)


async def _watch(url: str, name: str) -> None:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("blocks"),
        TimeElapsedColumn(),
    )
    changes = notifications(url, [TOURNAMENTS_CHANNEL, RESULTS_CHANNEL])
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(name)
        told = -1
        async with open_store(url) as store, aclosing(changes):
            async for _ in changes:
                tournament = await store.tournaments.named(name)
                done = (await store.tournaments.block_counts([tournament.id])).get(tournament.id, 0)
                expected = blocks_expected(tournament, done)
                state = tournament.state.value
                description = f"{tournament.name} ({state})"
                progress.update(bar, description=description, completed=done, total=expected)
                step = 100 * done // max(1, expected) // PLAIN_STEP
                if not console.is_terminal and (step > told or tournament.state.over):
                    told = step
                    say(f"{tournament.name}: {state}, {done} of {expected} blocks", err=True)
                if tournament.state.over:
                    return
                await asyncio.sleep(LOOK_SECONDS)
