"""`arena benchmark`: what a bot of Bluff wins against the house bots, with most luck removed."""

import hashlib
import time
from collections import Counter
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from arena.commands.errors import CommandError
from arena.commands.home.benchmark_on_arena import measured_on_arena
from arena.commands.home.faults import fault_json, fault_text
from arena.commands.home.line_up import entries
from arena.commands.home.logs import LogFolder, log_folder, where_printed
from arena.commands.progress import progress
from arena.commands.results.match_argument import transcripts_in
from arena.commands.terminal import Terminal, say_json
from arena.games import make_game
from arena.lab.analysis.bluff.solved_play import chosen_file
from arena.local.benchmark import (
    CERTIFIED,
    GAME,
    PROTOCOL,
    RUNGS,
    Benchmarked,
    RungShare,
    benchmark_of_recorded,
)
from arena.local.benchmark import benchmark as measured
from arena.local.match_luck import ESTIMATOR
from arena.local.playing import Where
from arena.match.replay import TranscriptError

_MATCHES = 2 * sum(rung.blocks for rung in RUNGS)


def benchmark(
    bot: Annotated[
        str, typer.Argument(help="A sample bot's name, a .py file or a command for a program.")
    ],
    seed: Annotated[
        str, typer.Option(help="Other deals than those of the protocol, to repeat a measurement.")
    ] = PROTOCOL,
    recorded: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Play nothing: BOT is a bot's name on an arena, and FILE has transcripts of its "
            "matches, as `arena export --transcripts` writes them. May be repeated.",
        ),
    ] = None,
    rated: Annotated[
        bool,
        typer.Option(
            "--rated",
            help="Play nothing: BOT is a bot of this arena, or BOT:VERSION, by default the newest. "
            "Takes its rated matches, and shows its figure on the leaderboard.",
        ),
    ] = False,
    declared: Annotated[
        bool,
        typer.Option(
            "--declared",
            help="BOT declares its play (`probabilities`): take out the luck of its own hands and "
            "choices as well. It is asked for every hand that it may hold, which takes longer.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    logs: LogFolder = None,
    connect_seconds: Annotated[
        float, typer.Option(min=0.1, help="How long a program may take to connect.")
    ] = 15.0,
) -> None:
    """Measure a bot of Bluff at two seats against the house bots, in under a minute.

    The house bots declare how they play, so most of the luck is known and taken out: a
    match against the strongest tells as much as 4 to 90 would. The opponents, the numbers of
    matches and the deals are the same for everybody.
    """
    begun = time.perf_counter()
    name, folder = bot, None
    if recorded or rated:
        option = "--recorded" if recorded else "--rated"
        if seed != PROTOCOL or logs is not None or declared or (recorded and rated):
            raise CommandError(
                f"{option} plays nothing, and takes matches of one place: leave out --seed, "
                "--logs, --declared and --" + ("rated." if recorded else "recorded.")
            )
        try:
            if recorded:
                transcripts = (
                    transcript
                    for file in recorded
                    for _, transcript in transcripts_in(str(file), _unreadable)
                )
                with progress(None, "Measuring") as advance:
                    found = benchmark_of_recorded(bot, transcripts, advance)
            else:
                name, found = measured_on_arena(bot)
        except TranscriptError as error:
            raise CommandError(f"A match cannot be replayed: {error}.") from error
    else:
        (entry,) = entries([bot], make_game(GAME))
        name = entry.name
        if declared and entry.command:
            raise CommandError(
                "--declared asks the bot for its play: it must be a sample bot or a .py file, "
                "without `python` before it."
            )
        folder = log_folder(logs) if entry.command else None
        where = Where(logs=folder, connect_seconds=connect_seconds)
        with progress(2 * _MATCHES, "Measuring") as advance:
            found = measured(entry, seed=seed, where=where, declared=declared, advance=advance)
    summary = _summary(name, found)
    played = not (recorded or rated)
    summary["protocol"] = PROTOCOL if played else None
    summary["seed"] = seed if played else None
    summary["declared"] = declared
    summary["logs"] = folder and str(folder)
    summary["seconds"] = round(time.perf_counter() - begun, 1)
    if as_json:
        say_json(summary)
    else:
        _print(Terminal(), summary, found)


def _unreadable(file: str, error: OSError) -> CommandError:
    return CommandError(f"{file} cannot be read: {error.strerror}.")


def _summary(name: str, found: Benchmarked) -> dict[str, Any]:
    faults = Counter((rung, one.kind.value, one.reason) for rung, one in found.faults)
    first = {(rung, one.kind.value, one.reason): one for rung, one in reversed(found.faults)}
    return {
        "bot": name,
        "estimator": ESTIMATOR,
        "values": hashlib.sha256(chosen_file() or b"").hexdigest(),
        "rungs": [_share_json(share) for share in found.shares],
        "reached": found.reached,
        "loss": found.loss and round(found.loss.mean, 6),
        "loss_error": found.loss and round(found.loss.error, 6),
        "faults": [
            {"against": rung, **fault_json(make_game(GAME), name, kind, reason, first[key], times)}
            for key, times in faults.most_common()
            for rung, kind, reason in (key,)
        ],
    }


def _share_json(share: RungShare) -> dict[str, Any]:
    return {
        "bot": share.rung,
        "matches": share.matches,
        "raw_share": round(share.raw, 6),
        "share": round(share.share, 6),
        "share_low": round(share.low, 6),
        "share_high": round(share.high, 6),
        "variance_factor": round(share.variance_factor, 6),
        "behind": share.behind,
    }


def _title(summary: dict[str, Any]) -> str:
    if summary["protocol"] is None:
        return "recorded matches"
    return PROTOCOL if summary["seed"] == PROTOCOL else f"{PROTOCOL}, seed {summary['seed']}"


def _print(console: Terminal, summary: dict[str, Any], found: Benchmarked) -> None:
    table = Table(
        title=f"{summary['bot']}: {_title(summary)}",
        title_justify="left",
    )
    for heading in ("against", "matches", "won", "without luck", "95 % interval", "variance"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for share in reversed(found.shares):
        table.add_row(
            share.rung,
            f"{share.matches:,}",
            f"{share.raw:.1%}",
            f"{share.share:.1%}",
            f"{share.low:.1%} to {share.high:.1%}",
            f"{share.variance_factor:.2f}",
        )
    console.print_table(table)
    best = found.shares[-1]
    if best.rung == CERTIFIED:
        console.print(
            f"Against {CERTIFIED}, which looks for no weakness: {best.share:.1%} "
            f"({best.low:.1%} to {best.high:.1%})."
        )
    if found.loss is not None:
        error = f" ± {found.loss.error:.2%}" if isfinite(found.loss.error) else ""
        console.print(
            f"A decision against {CERTIFIED} loses {found.loss.mean:.2%}{error} of a match."
        )
    if found.reached is None:
        console.print(f"It is behind {found.shares[0].rung}, the weakest rung.")
    else:
        console.print(f"Rung reached: {found.reached}, the last one that it is not behind.")
    for fault in summary["faults"]:
        console.print(f"Against {fault['against']}: {fault_text(fault)}")
    if summary["logs"] and (printed := where_printed(summary["logs"])):
        console.print(f"What the program printed: {printed}")
