"""`arena play`: matches among bots on this machine, without a server or a database.

In one process, or with `--same-deals` in one for every rotation of the seats; each bot in its own
where one of them is a program.
"""

import json
import secrets
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.game_options import OptionList, game_options
from arena.commands.home.line_up import line_up
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.home.play_report import PlayTally, print_table, summary_of
from arena.commands.progress import with_progress
from arena.commands.terminal import Terminal
from arena.commands.time_option import TimeOption, time_control
from arena.games import make_game
from arena.games.game import AnyGame
from arena.home.deal_blocks import (
    BlockMatch,
    NamedBot,
    every_rotation,
    play_deal_blocks,
    written_down,
)
from arena.home.in_process import Contender, PlayedMatch, Seed, play_series
from arena.home.loading import BotFileError, load_bot
from arena.luck import luck_of
from arena.match.clock import TimeControl
from arena.match.seating import moved_on

_NEVER_TWICE = (
    " --same-deals works only with sample bots and .py files: a program that connects would "
    "remember the others' dice from the first playing of a deal."
)


def play(
    bots: Annotated[
        list[str],
        typer.Argument(
            help="Sample bots' names, .py files or commands that start programs, one for each seat."
        ),
    ],
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, help="How many.")] = 100,
    seed: Annotated[str, typer.Option(help="Anything; the same seed gives the same matches.")] = "",
    option: OptionList = None,
    time_text: TimeOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    transcripts: Annotated[
        Path | None, typer.Option(help="Write each match to this file, a JSON object a line.")
    ] = None,
    same_deals: Annotated[
        bool,
        typer.Option(
            "--same-deals",
            help="Play every deal once in each rotation of the seats, and only whole rotations.",
        ),
    ] = False,
    logs: LogFolder = None,
    connect_seconds: Annotated[
        float, typer.Option(min=0.1, help="How long a program may take to connect.")
    ] = 15.0,
) -> None:
    """Play matches among bots on this machine and compare them. Seats rotate after each match."""
    seed = seed or secrets.token_hex(4)
    with exit_with_message():
        rules = make_game(game, game_options(option))
        control = time_control(time_text)
        try:
            entries = line_up(bots, rules)
            matches += -matches % len(entries) if same_deals else 0
            if same_deals and any(entry.command for entry in entries):
                raise BotFileError("A program cannot play a deal twice.")
            tally = _play(
                rules, entries, matches, seed, control, transcripts, same_deals, logs,
                connect_seconds,
            )  # fmt: skip
        except BotFileError as error:
            raise CommandError(f"{error}{_NEVER_TWICE if same_deals else ''}") from error
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from error
    summary = summary_of(rules, tally, seed, control, same_deals)
    summary["logs"] = tally.logs and str(tally.logs)
    if as_json:
        print(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        print_table(Terminal(), rules, tally.win_rates, summary)


def _play(
    game: AnyGame,
    entries: Sequence[NamedBot],
    matches: int,
    seed: str,
    control: TimeControl,
    transcripts: Path | None,
    same_deals: bool,
    logs: Path | None,
    connect_seconds: float,
) -> PlayTally:
    tally = PlayTally(entries, same_deals=same_deals)
    if any(entry.command for entry in entries):
        tally.logs = log_folder(logs)
    begun = time.perf_counter()
    with ExitStack() as stack:
        # Opened first: fail before a thousand matches are played if it cannot be written.
        file = stack.enter_context(transcripts.open("w", encoding="utf-8")) if transcripts else None
        play_them = _in_deal_blocks if same_deals else _one_by_one
        if tally.logs is not None:
            play_them = partial(_among_programs, tally.logs, connect_seconds)
        series = stack.enter_context(
            closing(play_them(game, entries, matches, seed, control, file is not None))
        )
        for finished in with_progress(series, matches, "Playing"):
            tally.add(finished)
            if file:
                file.write(f"{finished.written}\n")
    tally.seconds = time.perf_counter() - begun
    return tally


def _one_by_one(
    game: AnyGame,
    entries: Sequence[NamedBot],
    matches: int,
    seed: str,
    control: TimeControl,
    transcripts: bool,
) -> Generator[BlockMatch, None, None]:
    contenders = [Contender(entry.name, load_bot(entry.bot)) for entry in entries]
    for played in play_series(game, contenders, matches, seed, control):
        yield _block_match(played, transcripts)


def _among_programs(
    logs: Path,
    connect_seconds: float,
    game: AnyGame,
    entries: Sequence[NamedBot],
    matches: int,
    seed: str,
    control: TimeControl,
    transcripts: bool,
) -> Generator[BlockMatch, None, None]:
    # Imported here: matches in process must not wait for gRPC.
    from arena.home.programs.table import ProgramTable, Seating

    source = Seed(seed)
    seatings = (
        Seating(source, f"match {number}", moved_on(len(entries), number))
        for number in range(matches)
    )
    with ProgramTable(
        game, entries, logs, time_control=control, connect_seconds=connect_seconds
    ) as table:
        for played in table.play(seatings):
            yield _block_match(played, transcripts)


def _block_match(played: PlayedMatch, transcripts: bool) -> BlockMatch:
    written = written_down(played.transcript) if transcripts else None
    luck = luck_of(played.transcript)
    return BlockMatch(played.contenders, played.result, played.refused, written, luck)


def _in_deal_blocks(
    game: AnyGame,
    entries: Sequence[NamedBot],
    matches: int,
    seed: str,
    control: TimeControl,
    transcripts: bool,
) -> Generator[BlockMatch, None, None]:
    lineups, blocks = every_rotation(entries), matches // len(entries)
    with closing(
        play_deal_blocks(game, lineups, seed, blocks, transcripts=transcripts, time_control=control)
    ) as complete:
        for block in complete:
            yield from block
