"""`arena play`: plays matches among bots on this machine, without a server or a database.

Matches run in one process and, if that is faster, in further ones: see `--jobs`. With
`--same-deals`, at least one process plays each rotation of the seats; each bot has its own process
if one of them is a program.
"""

import secrets
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.game_options import OptionList, game_options
from arena.commands.home.line_up import line_up
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.home.play_report import PlayTally, print_table, summary_of
from arena.commands.jobs_option import (
    PROGRAMS_ELSEWHERE,
    Cluster,
    Jobs,
    cluster_of,
    processor_count,
)
from arena.commands.progress import with_progress
from arena.commands.terminal import Terminal, say_json
from arena.commands.time_option import TimeOption, time_control
from arena.executors import WorkPool
from arena.games import make_game
from arena.games.game import AnyGame
from arena.lab.luck import luck_of
from arena.local.apart import play_deal_blocks_apart
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import (
    BlockMatch,
    DealBlocks,
    Lineup,
    NamedBot,
    every_rotation,
    written_down,
)
from arena.local.in_process import Contender, PlayedMatch, Seed, play_series
from arena.local.lineup_processes import play_deal_blocks
from arena.local.loading import load_bot
from arena.match.clock import TimeControl
from arena.match.seating import moved_on

_ALONE_SECONDS = 0.5
_WORTH_SECONDS = 1.0
"""The remaining work that justifies further processes, which take half a second to start."""
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
    jobs: Jobs = None,
    cluster: Cluster = None,
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
            folder = log_folder(logs) if any(entry.command for entry in entries) else None
            if cluster is not None and folder is not None:
                raise CommandError(PROGRAMS_ELSEWHERE)
            with cluster_of(cluster) as workers:
                series = _Series(rules, entries, matches, seed, control, transcripts, jobs, workers)
                if folder is not None:
                    played = _among_programs(series, folder, connect_seconds)
                elif same_deals:
                    played = _in_processes(series, every_rotation(entries))
                else:
                    played = _one_by_one(series)
                tally = PlayTally(entries, same_deals=same_deals, logs=folder)
                tally = _count(played, series, tally)
        except BotFileError as error:
            raise CommandError(f"{error}{_NEVER_TWICE if same_deals else ''}") from error
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from error
    summary = summary_of(rules, tally, seed, control, same_deals)
    summary["logs"] = tally.logs and str(tally.logs)
    if as_json:
        say_json(summary)
    else:
        print_table(Terminal(), rules, tally.win_rates, summary)


@dataclass(frozen=True, slots=True)
class _Series:
    """The requested matches."""

    game: AnyGame
    entries: Sequence[NamedBot]
    matches: int
    seed: str
    control: TimeControl
    transcripts: Path | None
    """The file to which each match is written once it is over."""
    jobs: int | None
    """The number of processes; None for as many as there are cores, if that is faster."""
    workers: WorkPool | None
    """The cluster that plays instead."""

    def finished(self, played: PlayedMatch) -> BlockMatch:
        """Return a match in the form in which it is counted."""
        written = written_down(played.transcript) if self.transcripts else None
        luck = luck_of(played.transcript)
        return BlockMatch(played.contenders, played.result, played.refused, written, luck)


_Matches: TypeAlias = Generator[BlockMatch, None, None]


def _count(played: _Matches, series: _Series, tally: PlayTally) -> PlayTally:
    """Play the matches, and count and write each."""
    begun = time.perf_counter()
    with ExitStack() as stack:
        stack.enter_context(closing(played))
        # The file is opened first: if it cannot be written, this fails before any match.
        path = series.transcripts
        file = stack.enter_context(path.open("w", encoding="utf-8")) if path else None
        for finished in with_progress(played, series.matches, "Playing"):
            tally.add(finished)
            if file:
                file.write(f"{finished.written}\n")
    tally.seconds = time.perf_counter() - begun
    return tally


def _one_by_one(series: _Series) -> _Matches:
    """Play in this process, and in others as soon as these are clearly faster."""
    begun, played = time.perf_counter(), 0
    if series.workers is None and series.jobs in (None, 1):
        contenders = [Contender(entry.name, load_bot(entry.bot)) for entry in series.entries]
        in_turn = play_series(series.game, contenders, series.matches, series.seed, series.control)
        for played, match in enumerate(in_turn, start=1):
            yield series.finished(match)
            if series.jobs is None and _help_pays(
                time.perf_counter() - begun, played, series.matches
            ):
                break
    yield from _in_processes(series, [Lineup(tuple(series.entries), moves_on=True)], first=played)


def _help_pays(seconds: float, played: int, matches: int) -> bool:
    """Return whether further processes would save time."""
    return (
        processor_count() > 1
        and seconds >= _ALONE_SECONDS
        and seconds / played * (matches - played) >= _WORTH_SECONDS
    )


def _in_processes(series: _Series, lineups: Sequence[Lineup], *, first: int = 0) -> _Matches:
    """Play blocks of matches in processes or on the cluster, and yield their matches."""
    blocks = series.matches // len(lineups)
    if first == blocks:
        return
    asked = DealBlocks(
        game=series.game,
        lineups=lineups,
        seed=series.seed,
        blocks=blocks,
        first=first,
        transcripts=series.transcripts is not None,
        luck=len(lineups) == 1,
        time_control=series.control,
    )
    with closing(
        play_deal_blocks(asked, jobs=series.jobs or processor_count())
        if series.workers is None
        else play_deal_blocks_apart(series.workers, asked)
    ) as complete:
        for block in complete:
            yield from block


def _among_programs(series: _Series, logs: Path, connect_seconds: float) -> _Matches:
    """Play matches among programs that connect, and yield them."""
    # The import is here: matches in this process must not wait for gRPC.
    from arena.local.programs.table import ProgramTable, Seating

    source, seats = Seed(series.seed), len(series.entries)
    seatings = (
        Seating(source, f"match {number}", moved_on(seats, number))
        for number in range(series.matches)
    )
    with ProgramTable(
        series.game,
        series.entries,
        logs,
        time_control=series.control,
        connect_seconds=connect_seconds,
    ) as table:
        for played in table.play(seatings):
            yield series.finished(played)
