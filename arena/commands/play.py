"""`arena play`: matches among bots in this process, without a server or a database."""

import json
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arena.bot.in_process import Contender, Played, UnreadyBotError, play_series
from arena.bot.loading import UnknownBotError, load_bot
from arena.bot.standings import Standing, Standings
from arena.commands.errors import USAGE, CommandError
from arena.games import OptionsError, UnknownGameError, make_game
from arena.games.game import AnyGame
from arena.match.transcript_json import to_json

_SHOW_PROGRESS_AFTER_S = 1.0
_MOST_REASONS = 10


def play(
    bots: Annotated[
        list[str], typer.Argument(help="Sample bots' names or .py files, one for each seat.")
    ],
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, help="How many.")] = 100,
    seed: Annotated[str, typer.Option(help="Anything; the same seed gives the same matches.")] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(help="An option of the game, as NAME=VALUE. May be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    transcripts: Annotated[
        Path | None, typer.Option(help="Write each match to this file, a JSON object a line.")
    ] = None,
) -> None:
    """Play matches among bots right here and compare them. Seats rotate from match to match."""
    seed = seed or secrets.token_hex(4)
    try:
        rules = make_game(game, _options(option or []))
        contenders = _contenders(bots, rules)
        standings, seconds = _play(rules, contenders, matches, seed, transcripts)
    # Not `told_in_a_sentence`, which knows the errors of a server and loads one.
    except (
        CommandError,
        UnknownBotError,
        UnknownGameError,
        OptionsError,
        UnreadyBotError,
    ) as error:
        _leave(str(error))
    except OSError as error:
        _leave(f"{error.filename} cannot be written: {error.strerror}.")
    summary = _summary(rules, standings, seed, seconds)
    if as_json:
        print(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        _print_table(Console(), rules, standings, summary)


def _options(words: Sequence[str]) -> dict[str, object]:
    options: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise CommandError(f"An option is given as NAME=VALUE, not {word!r}.")
        options[name] = value
    return options


def _contenders(bots: Sequence[str], game: AnyGame) -> list[Contender]:
    if len(bots) not in game.seat_counts:
        counts = game.seat_counts
        raise CommandError(
            f"{game.title} is played by {counts[0]} to {counts[-1]} seats under these options; "
            f"{len(bots)} {'bot was' if len(bots) == 1 else 'bots were'} named."
        )
    contenders: list[Contender] = []
    for bot in bots:
        kind, name = load_bot(bot), Path(bot).stem
        if game.name not in kind.games:
            raise CommandError(
                f"{name} does not play {game.title}; it plays {', '.join(kind.games)}."
            )
        taken = [contender.name for contender in contenders]
        copies = (f"{name}-{number}" for number in range(2, len(bots) + 2))
        contenders.append(
            Contender(next(free for free in (name, *copies) if free not in taken), kind)
        )
    return contenders


def _play(
    game: AnyGame, contenders: list[Contender], matches: int, seed: str, transcripts: Path | None
) -> tuple[Standings, float]:
    standings = Standings([contender.name for contender in contenders])
    begun = time.perf_counter()
    with ExitStack() as stack:
        # Opened first: a file that cannot be written should not cost a thousand matches.
        file = stack.enter_context(transcripts.open("w", encoding="utf-8")) if transcripts else None
        series = play_series(game, contenders, matches, seed)
        for played in _with_progress(stack, series, matches):
            standings.add(played)
            if file:
                json.dump(to_json(played.transcript), file, separators=(",", ":"))
                file.write("\n")
    return standings, time.perf_counter() - begun


def _with_progress(stack: ExitStack, series: Iterable[Played], total: int) -> Iterator[Played]:
    """The matches; from the second second on with a bar, on a terminal only."""
    console = Console(stderr=True)
    begun, bar, task = time.perf_counter(), None, None
    for count, played in enumerate(series, start=1):
        yield played
        if bar is not None and task is not None:
            bar.update(task, completed=count)
        elif console.is_terminal and time.perf_counter() - begun > _SHOW_PROGRESS_AFTER_S:
            bar = stack.enter_context(Progress(console=console, transient=True))
            task = bar.add_task("Playing", total=total)


def _summary(game: AnyGame, standings: Standings, seed: str, seconds: float) -> dict[str, Any]:
    return {
        "game": game.name,
        "options": game.options.changed(),
        "matches": standings.matches,
        "seed": seed,
        "matches_per_second": round(standings.matches / seconds, 1),
        "standings": [_standing_json(standing) for standing in standings.table()],
        "faults": [
            {"bot": name, "kind": kind, "reason": reason, "times": times}
            for (name, kind, reason), times in standings.reasons.most_common()
        ],
    }


def _standing_json(standing: Standing) -> dict[str, Any]:
    low, high = standing.interval
    return {
        "bot": standing.name,
        "wins": round(standing.wins, 6),
        "share": round(standing.share, 6),
        "share_low": round(low, 6),
        "share_high": round(high, 6),
        "mean_placing": round(standing.mean_placing, 6),
        "faults": standing.faults,
    }


def _print_table(
    console: Console, game: AnyGame, standings: Standings, summary: dict[str, Any]
) -> None:
    options = ", ".join(f"{name}={value}" for name, value in summary["options"].items())
    table = Table(
        title=f"{game.title}{f' ({options})' if options else ''}: "
        f"{standings.matches:,} matches, seed {summary['seed']}",
        title_justify="left",
    )
    table.add_column("bot")
    for heading in ("wins", "share", "95 % interval", "mean placing"):
        table.add_column(heading, justify="right")
    for standing in standings.table():
        low, high = standing.interval
        table.add_row(
            standing.name,
            f"{standing.wins:,.2f}".removesuffix(".00"),
            f"{standing.share:.1%}",
            f"{low:.1%} to {high:.1%}",
            f"{standing.mean_placing:.2f}",
        )
    console.print(table)
    console.print(f"{summary['matches_per_second']:,.0f} matches a second", highlight=False)
    for fault in summary["faults"][:_MOST_REASONS]:
        console.print(
            f"Faults of {fault['bot']}: {fault['times']} × {fault['kind']}: {fault['reason']}",
            markup=False,
            highlight=False,
        )


def _leave(sentence: str) -> NoReturn:
    typer.echo(f"arena: {sentence}", err=True)
    raise typer.Exit(USAGE)
