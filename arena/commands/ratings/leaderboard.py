"""`arena leaderboard`: the current ladder, with details, or live."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from arena.commands.database import reading
from arena.commands.errors import CommandError
from arena.commands.options import AsJson, OptionList, TimeOption, game_options, time_control
from arena.commands.ratings.leaderboard_json import ladder_json, luck_of_lines
from arena.commands.ratings.page import Page
from arena.commands.terminal import Terminal, excess, fitted, say, say_json, say_json_line
from arena.games import make_game
from arena.games.game import AnyGame
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.rating.ladder_id import LadderId
from arena.rating.methods import ScoreRule
from arena.wording import number_of

# Imported where it is needed: `arena up` prints leaderboards only at its end, if at all.
if TYPE_CHECKING:
    from arena.database.reading import Read, Reader
    from arena.server.boards.board import BoardLine
    from arena.server.boards.remarks import Remarks
    from arena.server.results.benchmarks import BenchmarkFigure
    from arena.server.uploads.checks import RecordedCheck

Score = Annotated[
    ScoreRule, typer.Option(help="Every pair of a match counts, or only its first place.")
]
Seats = Annotated[int | None, typer.Option(help="The table size; by default the smallest played.")]

_LESSER = ("mean place", "owner", "check", "wins", "benchmark", "matches", "flags")
"""The columns that a narrow terminal omits, from left to right."""


def leaderboard(
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    seats: Seats = None,
    option: OptionList = None,
    time: TimeOption = "",
    score: Score = ScoreRule.PLACEMENT,
    details: Annotated[
        bool,
        typer.Option("--details", help="Who beat whom, first places, faults, Nash weights."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Details, and a comparison with the exact model: some seconds."
        ),
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Print it again whenever it changes, until Ctrl-C.")
    ] = False,
    bot: Annotated[str | None, typer.Option(help="Show the lines around this bot's best.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many lines; --json has them all.")
    ] = 50,
    old: Annotated[
        bool,
        typer.Option(
            "--old", help="The old versions, which are not ranked by `arena policy`, instead."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the leaderboard of one game, its options, a table size and a time control."""
    control = time_control(time)
    rules = make_game(game, game_options(option))
    require_seats(rules, seats)
    if follow and (details or check or old):
        raise CommandError(
            "--follow shows only the leaderboard: omit --details, --check and --old."
        )
    # Imported here: an error in the options must not wait for numpy.
    from arena.server.boards.live_board import LiveBoard, ladder_of_table

    changed = rules.options.changed()
    page = Page(bot, limit)
    if follow:
        _follow(rules, seats, score, control, page, as_json=as_json)
        return

    with reading() as (read, _):
        size, ladder = ladder_of_table(read, game, changed, seats, score, control)
        found = None
        if details or check:
            from arena.commands.ratings.leaderboard_details import details_json, print_details
            from arena.server.boards.details import details as details_of

            found = details_of(read, ladder, check=check)
        board = LiveBoard(ladder, read).now() if found is None else found.board
        lines = board.old if old else board.ranked
        remarks = remarks_on(read, ladder, lines if found is None else board.lines)
    if as_json:
        document = ladder_json(rules, size, score, control, lines, remarks)
        say_json(document | ({} if found is None else {"details": details_json(found)}))
        return
    print_leaderboard(rules, title(rules, size, score, control), lines, remarks, page)
    if board.old and not old:
        say(
            f"{number_of(len(board.old), 'old version is', 'old versions are')} not ranked: "
            "--old lists them."
        )
    if found is not None:
        print_details(Terminal(), found, page)


def _follow(
    rules: AnyGame,
    seats: int | None,
    score: ScoreRule,
    control: TimeControl,
    page: Page,
    *,
    as_json: bool,
) -> None:
    from arena.server.boards.live_board import LiveBoard, follow, ladder_of_table

    async def run(url: str, read: "Reader") -> None:
        changed = rules.options.changed()
        size, ladder = ladder_of_table(read, rules.name, changed, seats, score, control)
        named, console = title(rules, size, score, control), Terminal()
        # Only a terminal can replace a board; elsewhere each board is printed after the last one.
        on_terminal = console.is_terminal and not as_json
        with Live(console=console, auto_refresh=False) if on_terminal else nullcontext() as live:
            async for board in follow(url, LiveBoard(ladder, read)):
                remarks = remarks_on(read, ladder, board.ranked)
                if as_json:
                    document = ladder_json(rules, size, score, control, board.ranked, remarks)
                    ends = {"matches": board.matches, "sequence": board.sequence}
                    say_json_line(document | ends)
                elif live is None:
                    print_leaderboard(rules, named, board.ranked, remarks, page)
                else:
                    tables, note = _tables_and_note(
                        rules, named, board.ranked, remarks, console, page
                    )
                    live.update(Group(*tables, note), refresh=True)

    with reading() as (read, url):
        try:
            asyncio.run(run(url, read))
        except KeyboardInterrupt:
            return


def require_seats(rules: AnyGame, seats: int | None) -> None:
    """Raise CommandError if the game does not allow a table of that size."""
    if seats is not None and seats not in rules.seat_counts:
        raise CommandError(
            f"--seats {seats}: {rules.title} is played by {rules.seat_counts.start} to "
            f"{rules.seat_counts.stop - 1} seats."
        )


def title(
    rules: AnyGame,
    size: int,
    score: ScoreRule = ScoreRule.PLACEMENT,
    control: TimeControl = DEFAULT_TIME_CONTROL,
) -> str:
    """Return the title of a ladder: its game and table sizes.

    It includes the time control and the score rule if they are not the default.
    """
    from arena.server.boards.board import table_sizes

    sizes = [seats for seats in table_sizes(size) if seats in rules.seat_counts] or [size]
    seats = f"{sizes[0]}–{sizes[-1]}" if len(sizes) > 1 else f"{size}"
    said = f"{rules.title}, {seats} seats" + (f", {control}" if control.name else "")
    return said if score is ScoreRule.PLACEMENT else f"{said}, only first place counts"


def remarks_on(read: "Read", ladder: LadderId, lines: Sequence["BoardLine"]) -> "Remarks":
    """Return the remarks on the versions of a leaderboard."""
    from arena.server.boards.remarks import remarks_of

    return remarks_of(read, [line.version_id for line in lines], ladder.game, ladder.seats)


def print_leaderboard(
    rules: AnyGame,
    title: str,
    lines: Sequence["BoardLine"],
    remarks: "Remarks",
    page: Page = Page(),
) -> None:
    """Print a page of a leaderboard as a table. Raises CommandError if its bot has no line."""
    if not lines:
        typer.echo(f"{title}: no rated match yet.")
        return
    console = Terminal()
    tables, note = _tables_and_note(rules, title, lines, remarks, console, page)
    for table in tables:
        console.print_table(table)
    console.print(note, end="")


def _tables_and_note(
    rules: AnyGame,
    title: str,
    lines: Sequence["BoardLine"],
    remarks: "Remarks",
    console: Terminal,
    page: Page,
) -> tuple[list[Table], Text]:
    """Return the tables of a leaderboard, and a note.

    The luck-adjusted column is in the table or, if that is too wide, in a table of its own below.
    The note explains that column, and says which lines are shown if not all.
    """
    luck = luck_of_lines(rules, lines)
    count, shown = len(lines), page.of(lines)
    lines = lines[shown.start : shown.stop]
    more = ""
    if len(lines) < count:
        more = (
            f"Lines {lines[0].rank:,} to {lines[-1].rank:,} of {count:,}: --limit shows more, "
            "--bot NAME those around a bot.\n"
        )
    narrow = fitted(console, _table(title, lines, remarks, adjusted=False), _LESSER)
    if luck is None:
        return [narrow], Text(more, end="")
    note = Text(luck.note() + "\n" + more, end="")
    whole = _table(title, lines, remarks, adjusted=True)
    if not excess(console, whole):
        return [whole], note
    return [narrow, fitted(console, _adjusted_table(lines))], note


def _adjusted_table(lines: Sequence["BoardLine"]) -> Table:
    table = Table("#", Column("bot", no_wrap=True), "Elo", "luck-adjusted")
    for line in lines:
        bot = f"{line.bot} {line.version}"
        table.add_row(str(line.rank), bot, _elo(line), _adjusted(line))
    return table


def _table(
    title: str, lines: Sequence["BoardLine"], remarks: "Remarks", *, adjusted: bool
) -> Table:
    from arena.server.boards.remarks import NO_REMARK

    checked = any(remark.check for remark in remarks.values())
    measured = any(remark.benchmark for remark in remarks.values())
    elos = [Column(head, no_wrap=True) for head in ["Elo", "luck-\nadjusted"][: 1 + adjusted]]
    table = Table(
        "#",
        Column("bot", no_wrap=True),
        "owner",
        *elos,
        "matches",
        "wins",
        "mean place",
        *([Column("benchmark", no_wrap=True)] if measured else []),
        *(["check"] if checked else []),
        title=title,
    )
    if any(line.flags for line in lines):
        table.add_column("flags")
    for line in lines:
        remark = remarks.get(line.version_id, NO_REMARK)
        marks = ["house"] * line.house + ["frozen"] * remark.frozen + ["paused"] * remark.paused
        marks += ["banned"] * remark.banned
        ranks = f" ({line.rank_low}–{line.rank_high})" if line.rank_low < line.rank_high else ""
        table.add_row(
            f"{line.rank}{ranks}",
            f"{line.bot} {line.version}" + (f" ({', '.join(marks)})" if marks else ""),
            line.owner,
            _elo(line),
            *([_adjusted(line)] if adjusted else []),
            str(line.matches),
            f"{line.win_share:.1%}",
            f"{line.mean_placing:.2f}",
            *([_benchmark(remark.benchmark)] if measured else []),
            *([_checked(remark.check)] if checked else []),
            *([", ".join(sorted(flag.value for flag in line.flags))] if line.flags else []),
        )
    return table


def _checked(check: "RecordedCheck | None") -> str:
    from arena.server.uploads.checks import check_mark

    return "" if check is None else check_mark(check)


def _benchmark(figure: "BenchmarkFigure | None") -> str:
    if figure is None:
        return ""
    return f"{figure.share:.1%} ± {(figure.high - figure.low) / 2:.1%}"


def _elo(line: "BoardLine") -> str:
    if line.anchor:
        return f"{line.elo:.0f} anchor"
    low, high = line.interval
    return f"{line.elo:.0f} ± {(high - low) / 2:.0f}"


def _adjusted(line: "BoardLine") -> str:
    return str(line.luck_adjusted or "")
