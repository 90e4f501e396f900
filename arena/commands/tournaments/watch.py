"""A live display of a tournament's progress: a bar on a terminal, otherwise a line at intervals."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arena.commands.database import existing_database
from arena.commands.terminal import say
from arena.database.channels import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.database.listening import notifications
from arena.server.app.store import open_store
from arena.server.tournaments import duration
from arena.server.tournaments.summary import (
    blocks_done,
    blocks_expected,
    blocks_in_words,
    blocks_left,
    waits_in_words,
)
from arena.server.tournaments.tournament import TournamentState
from arena.settings import read_settings

PLAIN_STEP = 10
"""The progress between two lines without a terminal, in per cent."""
LOOK_SECONDS = 0.2
"""The shortest time between two reads, in seconds, however often the database notifies."""


def watch(name: str) -> None:
    """Show the progress until the tournament is over, or Ctrl-C, which only ends the display."""
    with existing_database(read_settings()) as url:
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
        told, begun = -1, False
        waits: list[int] = []
        async with open_store(url) as store, aclosing(changes):
            async for _ in changes:
                tournament = await store.tournaments.named(name)
                record = await store.tournaments.record(tournament)
                done = blocks_done(record)
                expected = blocks_expected(tournament, done)
                state = tournament.state.value
                description = f"{tournament.name} ({state})"
                progress.update(bar, description=description, completed=done, total=expected)
                step = 100 * done // max(1, expected) // PLAIN_STEP
                if not console.is_terminal and (step > told or tournament.state.over):
                    told = step
                    say(f"{tournament.name}: {state}, {blocks_in_words(record)}", err=True)
                waited_for = list(record.waited_for())
                if waited_for != waits:
                    waits = waited_for
                    for line in waits_in_words(record, datetime.now(UTC)):
                        say(f"{tournament.name}: {line}", err=True)
                if not begun and tournament.state is TournamentState.RUNNING:
                    begun = True
                    pace = await store.tournament_bots.pace(tournament)
                    words = duration.in_words(tournament.rules, pace, blocks_left(record))
                    say(f"{tournament.name}: {words}", err=True)
                if tournament.state.over:
                    return
                await asyncio.sleep(LOOK_SECONDS)
