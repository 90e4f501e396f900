"""`arena play`: matches among bots on this machine, without a server or a database.

In one process, or with `--same-deals` in one for every rotation of the seats; each bot in its own
where one of them is a program.
"""

import json
import secrets
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena.commands.errors import CommandError, exit_with_message
from arena.commands.game_options import OptionList, game_options
from arena.commands.home.faults import fault_json, fault_text
from arena.commands.home.line_up import line_up
from arena.commands.home.logs import LogFolder, log_folder
from arena.commands.home.luck_column import LuckTally, luck_adjusted_cell, luck_adjusted_note
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
from arena.home.win_rates import WinRate, WinRates
from arena.luck import luck_of
from arena.match.clock import TimeControl
from arena.match.score_rule import ScoreRule
from arena.match.seating import moved_on
from arena.scheduling.scoring import points

if TYPE_CHECKING:  # it needs numpy, for which an error need not wait
    from arena.rating.variance_factor import VarianceFactor

_MOST_REASONS = 10
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
    summary = _summary(rules, tally, seed, control, same_deals)
    summary["logs"] = tally.logs and str(tally.logs)
    if as_json:
        print(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        _print_table(Terminal(), rules, tally.win_rates, summary)


class _Tally:
    """Counts of the matches played so far; a block is one rotation of the seats."""

    def __init__(self, entries: Sequence[NamedBot], *, same_deals: bool) -> None:
        self.seats = len(entries)
        # The matches of a deal block are not independent of each other.
        size = self.seats if same_deals else 1
        self.win_rates = WinRates([entry.name for entry in entries], matches_per_block=size)
        self.luck = LuckTally([entry.name for entry in entries])
        self.seconds = 0.0
        self.logs: Path | None = None
        """Where the logs of programs are."""
        self._points = bytearray()
        """Points by match and bot, one byte each: there may be a million matches."""

    def add(self, finished: BlockMatch) -> None:
        self.win_rates.add(finished)
        self.luck.add(finished)
        scored = points(finished.result.placing, ScoreRule.PLACEMENT)
        of_bots = sorted(zip(finished.contenders, scored, strict=True))
        self._points.extend(int(2 * (self.seats - 1) * score) for _, score in of_bots)

    def variance_factor(self) -> "VarianceFactor | None":
        """How much variance the blocks save; an incomplete last block is left out."""
        import numpy as np

        from arena.rating.variance_factor import variance_factor

        size = self.seats**2
        whole = self._points[: len(self._points) // size * size]
        scores = np.frombuffer(whole, np.uint8).reshape(-1, self.seats, self.seats)
        return variance_factor(scores.astype(np.float64))


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
) -> _Tally:
    tally = _Tally(entries, same_deals=same_deals)
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


def _summary(
    game: AnyGame, tally: _Tally, seed: str, control: TimeControl, same_deals: bool
) -> dict[str, Any]:
    win_rates, factor = tally.win_rates, tally.variance_factor()
    return {
        "game": game.name,
        "options": game.options.changed(),
        "time_control": asdict(control),
        "matches": win_rates.matches,
        "seed": seed,
        "matches_per_second": round(win_rates.matches / tally.seconds, 1),
        "win_rates": [_win_rate_json(win_rate) for win_rate in win_rates.table()],
        "faults": [
            fault_json(game, *fault, win_rates.first[fault], times)
            for fault, times in win_rates.reasons.most_common()
        ],
        "blocks": "deal" if same_deals else "seat",
        "variance_factor": factor
        and {
            "factor": round(factor.factor, 6),
            "low": round(factor.interval[0], 6),
            "high": round(factor.interval[1], 6),
            "blocks": factor.blocks,
        },
        "luck_adjusted": tally.luck.summary(),
    }


def _win_rate_json(win_rate: WinRate) -> dict[str, Any]:
    low, high = win_rate.interval
    return {
        "bot": win_rate.name,
        "wins": round(win_rate.wins, 6),
        "share": round(win_rate.share, 6),
        "share_low": round(low, 6),
        "share_high": round(high, 6),
        "mean_placing": round(win_rate.mean_placing, 6),
        "faults": win_rate.faults,
    }


def _print_table(
    console: Terminal, game: AnyGame, win_rates: WinRates, summary: dict[str, Any]
) -> None:
    options = ", ".join(f"{name}={value}" for name, value in summary["options"].items())
    table = Table(
        title=f"{game.title}{f' ({options})' if options else ''}: "
        f"{win_rates.matches:,} matches, seed {summary['seed']}",
        title_justify="left",
    )
    table.add_column("bot")
    adjusted = summary["luck_adjusted"]
    headings = ("wins", "share", "95 % interval", "mean placing")
    for heading in (*headings, "luck-adjusted") if adjusted else headings:
        table.add_column(heading, justify="right")
    for win_rate in win_rates.table():
        low, high = win_rate.interval
        table.add_row(
            win_rate.name,
            f"{win_rate.wins:,.2f}".removesuffix(".00"),
            f"{win_rate.share:.1%}",
            f"{low:.1%} to {high:.1%}",
            f"{win_rate.mean_placing:.2f}",
            *([luck_adjusted_cell(adjusted, win_rate.name)] if adjusted else []),
        )
    console.print_table(table)
    console.print(f"{summary['matches_per_second']:,.0f} matches a second")
    if adjusted:
        console.print(luck_adjusted_note(adjusted))
    if summary["variance_factor"] and summary["blocks"] == "deal":
        console.print(_saved(summary["blocks"], **summary["variance_factor"]))
    for fault in summary["faults"][:_MOST_REASONS]:
        console.print(fault_text(fault))
    if summary["logs"]:
        console.print(f"What the programs printed: {summary['logs']}/NAME.log")


def _saved(kind: str, *, factor: float, low: float, high: float, blocks: int) -> str:
    return (
        f"Variance of a {kind} block's mean: {factor:.2f} ({low:.2f} to {high:.2f}) of that of as "
        f"many independent matches, measured on {blocks:,} blocks"
    )
