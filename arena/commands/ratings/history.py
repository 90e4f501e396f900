"""`arena history`: the ratings of a ladder over time, replayed from its log."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from arena.commands.database import reading
from arena.commands.errors import CommandError
from arena.commands.known_bots import require_bot
from arena.commands.options import AsJson, OptionList, TimeOption, game_options, time_control
from arena.commands.ratings.leaderboard import Score, Seats, require_seats, title
from arena.commands.terminal import Terminal, excess, say_json
from arena.database.names import folded
from arena.games import make_game
from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.rating.methods import ScoreRule

if TYPE_CHECKING:
    from arena.server.boards.details import LadderHistory

_BARS = "▁▂▃▄▅▆▇█"


def history(
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    seats: Seats = None,
    option: OptionList = None,
    time: TimeOption = "",
    score: Score = ScoreRule.PLACEMENT,
    bot: Annotated[
        list[str] | None, typer.Option(help="Only this bot, all its versions. May be repeated.")
    ] = None,
    points: Annotated[int, typer.Option(min=1, max=50, help="The most points to print.")] = 50,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many bots, best first; --json has them all.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Print the ratings of a ladder over time, recomputed from its log of results."""
    control = time_control(time)
    rules = make_game(game, game_options(option))
    require_seats(rules, seats)
    # Imported here: an error in the options must not wait for numpy.
    from arena.server.boards.details import ladder_history
    from arena.server.boards.live_board import LiveBoard, ladder_of_table

    changed = rules.options.changed()

    with reading() as (read, _):
        # Check the names before the log is replayed, which can take seconds.
        for name in bot or ():
            require_bot(read, name)
        size, ladder = ladder_of_table(read, game, changed, seats, score, control)
        found = ladder_history(read, LiveBoard(ladder, read), points)
    chosen = _chosen(found, bot or ())
    if as_json:
        say_json(_json(rules, size, score, control, found, chosen))
    elif not found.points:
        typer.echo(f"{title(rules, size, score, control)}: no rated match yet.")
    else:
        console, named = Terminal(), title(rules, size, score, control)
        table = _table(named, found, chosen, limit, len(found.points))
        if too_wide := excess(console, table):
            # A narrow terminal shows the newest points.
            fewer = max(1, len(found.points) - too_wide)
            table = _table(named, found, chosen, limit, fewer)
        console.print_table(table)


def _chosen(found: "LadderHistory", names: Sequence[str]) -> set[int]:
    """Return the versions of the bots with these names; all versions if no name is given."""
    rated = {rating.version_id for point in found.points for rating in point.ratings}
    if not names:
        return set(rated)
    chosen: set[int] = set()
    for name in names:
        versions = {
            version
            for version in rated
            if folded(found.versions[version].entrant.bot) == folded(name)
        }
        if not versions:
            raise CommandError(f"--bot {name}: no match of this ladder counts for such a bot.")
        chosen |= versions
    return chosen


def _json(
    rules: AnyGame,
    size: int,
    score: ScoreRule,
    control: TimeControl,
    found: "LadderHistory",
    chosen: set[int],
) -> dict[str, Any]:
    from arena.server.boards.board import table_sizes

    ends = {match.sequence: match for match in found.matches}
    return {
        "game": rules.name,
        "options": rules.options.changed(),
        "seats": size,
        "table_sizes": [seats for seats in table_sizes(size) if seats in rules.seat_counts],
        "score": score.value,
        "time_control": asdict(control),
        "points": [
            {
                "matches": point.matches,
                "sequence": point.sequence,
                "match_id": ends[point.sequence].match_id,
                "finished_at": ends[point.sequence].finished_at.isoformat(),
                "ratings": [
                    {
                        "bot": found.versions[rating.version_id].entrant.bot,
                        "version": found.versions[rating.version_id].entrant.version,
                        "elo": rating.elo,
                        "interval": rating.interval,
                        "matches": rating.matches,
                    }
                    for rating in point.ratings
                    if rating.version_id in chosen
                ],
            }
            for point in found.points
        ],
    }


def _table(title: str, found: "LadderHistory", chosen: set[int], limit: int, points: int) -> Table:
    """Return a table with a line per bot, currently best first; the newest `points` are bars."""
    of_all = f" of {len(found.points)}" if points < len(found.points) else ""
    heads = [Column(head, no_wrap=True) for head in ("bot", "first", "way", "now")]
    table = Table(*heads, title=f"{title}, {points}{of_all} points")
    now = [one.version_id for one in found.points[-1].ratings if one.version_id in chosen]
    if len(now) > limit:
        table.caption = f"{limit} of {len(now):,} bots: --limit shows more, --bot NAME one of them."
    then = [{one.version_id: one.elo for one in point.ratings} for point in found.points]
    ways = {version: [elos.get(version) for elos in then] for version in now[:limit]}
    known = [elo for way in ways.values() for elo in way if elo is not None]
    low, span = min(known), max(max(known) - min(known), 1e-9)
    last = {rating.version_id: rating for rating in found.points[-1].ratings}
    for version, way in ways.items():
        entrant = found.versions[version].entrant
        bars = "".join(
            " " if elo is None else _BARS[round((elo - low) / span * (len(_BARS) - 1))]
            for elo in way[-points:]
        )
        first = next(elo for elo in way if elo is not None)
        (start, end) = last[version].interval
        reach = f" ± {(end - start) / 2:.0f}" if end > start else " anchor"
        table.add_row(
            f"{entrant.bot} {entrant.version}",
            f"{first:.0f}",
            bars,
            f"{last[version].elo:.0f}{reach}",
        )
    return table
