"""Matches among starters at a referee with a database."""

import asyncio
import signal
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.commands.results.faults import fault_text
from arena.games import make_game
from arena.scheduling.ladder import TableType
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.results.faults import faults_of
from tests import recorded_matches
from tests.bot_programs import bot_program
from tests.starters.languages import Language


@dataclass
class Played:
    """What came of it."""

    matches: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Recorded matches by language and game."""
    faults: list[str] = field(default_factory=list)
    """Each fault in a few lines, with its view and what was sent."""
    logs: dict[str, str] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    """Exit codes after one Ctrl-C."""


async def play_league(
    database: str, languages: Sequence[Language], tables: Sequence[tuple[str, int]], matches: int
) -> Played:
    """Let starters meet at tables (game and seats), one table after the other, until about so many
    matches of each are recorded for each starter. One that is alone meets itself."""
    played = Played()
    copies = (1, 2, 3) if len(languages) == 1 else (1,)
    entries = [(f"{language.name}-{copy}", language) for language in languages for copy in copies]
    for game, seats in tables:
        await _play(
            database, entries, TableType(game, make_game(game).options, seats), matches, played
        )
    return played


async def _play(
    database: str,
    entries: Sequence[tuple[str, Language]],
    table: TableType,
    matches: int,
    played: Played,
) -> None:
    enough = asyncio.Event()
    async with running_arena(database, RefereeSettings(table_types=[table])) as arena:
        several = len({language.name for _, language in entries}) > 1
        # A tenth more, because not all play equally often.
        wanted = len(entries) * matches * 11 // table.seats // 10 if several else matches
        arena.when_recorded(wanted, enough.set)
        with tempfile.TemporaryDirectory() as folder:
            running = []
            try:
                for name, language in entries:
                    _, token = await arena.store.register(f"{name}-{table.game}", name)
                    log = Path(folder, name)
                    context = bot_program(
                        language.run,
                        f"127.0.0.1:{arena.port}",
                        token,
                        cwd=language.folder,
                        log=log,
                    )
                    running.append((context, name, language, log, context.__enter__()))
                async with asyncio.timeout(60 + wanted / 5):
                    await enough.wait()
                for _, _, _, _, process in running:
                    process.send_signal(signal.SIGINT)
                async with asyncio.timeout(30):
                    for _, name, _, _, process in running:
                        code = await asyncio.to_thread(process.wait)
                        played.codes[f"{name} {table.game}"] = code
            finally:
                for context, name, _, log, _ in running:
                    context.__exit__(None, None, None)
                    played.logs[f"{name} {table.game}"] = log.read_text()
        languages = {f"{name}-{table.game}": language.name for name, language in entries}
        for row in await recorded_matches.matches(arena.store, limit=1_000_000):
            transcript = await arena.store.transcript(row.match_id)
            if transcript is None or transcript.setup.game != table.game:
                continue
            for name in {languages[entrant.bot] for entrant in transcript.setup.entrants}:
                played.matches[name, table.game] += 1
        for bot in languages:
            played.faults += map(fault_text, faults_of(arena.read, bot, 10))
