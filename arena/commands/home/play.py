"""`arena play`: plays matches among bots on this machine, without a server or a database.

Matches run in one process and, if that is faster, in further ones: see `--jobs`. With
`--same-deals`, each rotation of the seats has at least one process. If a bot is a program, each bot
has a process of its own.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.home.line_up import line_up
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.home.play_report import PlayTally
from arena.commands.home.variants import Variants, VariantsTally
from arena.commands.jobs_option import Cluster, Jobs, check_cluster, where_of
from arena.commands.options import OptionList, TimeOption, game_options, time_control
from arena.commands.progress import with_progress
from arena.commands.terminal import Terminal, say_json
from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import Series
from arena.local.playing import PlaySeries, playing

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
    notes: Annotated[
        Path | None,
        typer.Option(help="Write what bots note to this file, a JSON object a match and line."),
    ] = None,
    same_deals: Annotated[
        bool,
        typer.Option(
            "--same-deals",
            help="Play every deal once in each rotation of the seats, and only whole rotations.",
        ),
    ] = False,
    variants: Annotated[
        str,
        typer.Option(
            metavar="NAME=VALUE,VALUE,…",
            help="Play the first bot with each value of a setting, the same deals in the same "
            "seats, and compare them. The value takes the place of {NAME} in the bot's words; "
            "without that it is an environment variable.",
        ),
    ] = "",
    jobs: Jobs = None,
    cluster: Cluster = None,
    logs: LogFolder = None,
    connect_seconds: Annotated[
        float, typer.Option(min=0.1, help="How long a program may take to connect.")
    ] = 15.0,
) -> None:
    """Play matches among bots on this machine and compare them. Seats rotate after each match."""
    seed = seed or secrets.token_hex(4)
    rules = make_game(game, game_options(option))
    control = time_control(time_text)
    try:
        tally = _tally(bots, rules, variants, same_deals=same_deals)
        programs = any(entry.command for entry in tally.entries)
        if same_deals and programs:
            raise BotFileError("A program cannot play a deal twice.")
        check_cluster(cluster, programs=programs)
        tally.logs = log_folder(logs) if programs else None
        with where_of(jobs, cluster, tally.logs, if_it_pays=jobs is None) as where:
            where = replace(where, connect_seconds=connect_seconds)
            blocks = -(-matches // tally.matches_of_a_bot)
            series = Series(
                tally.lineups,
                seed,
                blocks,
                transcripts=transcripts is not None or tally.needs_transcripts,
                notes=notes is not None,
                luck=tally.needs_luck,
            )
            at_play = playing(rules, tally.entries, len(tally.lineups), where, control)
            matches = blocks * len(tally.lineups)
            _count(at_play, series, matches, transcripts, notes, tally)
        summary = tally.summary(rules, seed, control)
    except BotFileError as error:
        raise CommandError(f"{error}{_NEVER_TWICE if same_deals else ''}") from error
    except OSError as error:
        if error.filename is None:
            raise
        raise cannot_be_written(Path(error.filename), error) from error
    summary["logs"] = tally.logs and str(tally.logs)
    if as_json:
        say_json(summary)
    else:
        tally.print(Terminal(), rules, summary)


def _tally(
    bots: list[str], rules: AnyGame, variants: str, *, same_deals: bool
) -> PlayTally | VariantsTally:
    """Return the tally, with the line-ups to play. Raises CommandError and BotFileError."""
    if not variants:
        return PlayTally(line_up(bots, rules), same_deals=same_deals)
    if same_deals:
        raise CommandError("--variants plays the same deals anyway: leave out --same-deals.")
    return VariantsTally(Variants.read(variants), bots, rules)


def _count(
    at_play: AbstractContextManager[PlaySeries],
    series: Series,
    matches: int,
    transcripts: Path | None,
    notes: Path | None,
    tally: PlayTally | VariantsTally,
) -> None:
    """Play the matches; count each, and write it once it is over."""
    begun = time.perf_counter()
    with ExitStack() as stack:
        # The files are opened first: if one cannot be written, this fails before any match.
        write, note = (stack.enter_context(_line_file(path)) for path in (transcripts, notes))
        played = stack.enter_context(closing(stack.enter_context(at_play)([series])))
        for finished in with_progress(chain.from_iterable(played), matches, "Playing"):
            tally.add(finished)
            write(finished.written)
            note(finished.noted)
    tally.seconds = time.perf_counter() - begun


@contextmanager
def _line_file(path: Path | None) -> Iterator[Callable[[str | None], None]]:
    """Provide a function that writes a line to the file; without a path it writes nothing.

    If a write fails, the partial file is removed. Raises CommandError.
    """
    if path is None:
        yield lambda _line: None
        return
    file = path.open("w", encoding="utf-8")

    def all_or_none(write: Callable[[], object]) -> None:
        try:
            write()
        except OSError as error:
            if path.is_file() and not path.is_symlink():  # not a device such as /dev/stdout
                path.unlink()
            raise cannot_be_written(path, error) from error

    try:
        yield lambda line: all_or_none(lambda: file.write(f"{line}\n"))
    finally:
        all_or_none(file.close)
