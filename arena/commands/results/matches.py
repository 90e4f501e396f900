"""`arena matches` and `arena transcript`: list recorded matches, and print a transcript."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from arena.commands.database import reading
from arena.commands.errors import CommandError
from arena.commands.known_bots import require_bot
from arena.commands.options import AsJson
from arena.commands.terminal import Terminal, members, say_json
from arena.server.results.match_sort import Sort

if TYPE_CHECKING:
    from arena.database.rows import MatchRow
    from arena.server.results.bluffing import Bluffing


def matches(
    bot: Annotated[str | None, typer.Option(help="Only matches of this bot.")] = None,
    opponent: Annotated[
        str | None,
        typer.Option(help="Only with this bot, too, among the newest 20,000 matches of --bot."),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    seats: Annotated[int | None, typer.Option(min=2, help="Only tables of this size.")] = None,
    tournament: Annotated[str | None, typer.Option(help="Only of this tournament.")] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Only with a fault: of --bot if it is given.")
    ] = False,
    since: Annotated[datetime | None, typer.Option(help="Only ended then or later (UTC).")] = None,
    until: Annotated[datetime | None, typer.Option(help="Only ended before then (UTC).")] = None,
    sort: Annotated[
        Sort,
        typer.Option(
            help="closest: fewest points between first and second, among the newest 1,000 that "
            "fit. boldest: the largest false claim that nobody doubted, among the newest 200 that "
            "fit."
        ),
    ] = Sort.NEWEST,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Print finished matches, newest first or in another order."""
    if game is not None:
        # Imported on use, as below: a list of matches needs no games, whose import takes a
        # fifth of its running time.
        from arena.games import make_game

        make_game(game)

    from arena.server.results.match_finding import Bluffs, find
    from arena.server.results.match_search import MatchFilter
    from arena.server.tournaments import tournament_statements

    with reading() as (read, _):
        for option, name in (("--bot", bot), ("--opponent", opponent)):
            if name is not None:
                require_bot(read, name, option)
        if tournament is not None and not read(
            tournament_statements.tournament_list(name=tournament)
        ):
            raise CommandError(
                f"--tournament {tournament}: there is no such tournament "
                "(`arena tournament list` shows all)."
            )
        wanted = MatchFilter(
            bot=bot,
            opponent=opponent,
            game=game,
            seats=seats,
            tournament=tournament,
            faults=faults,
            since=since and since.replace(tzinfo=UTC),
            until=until and until.replace(tzinfo=UTC),
        )
        bluffs = Bluffs(read)
        found = find(read, bluffs, wanted, sort=sort, limit=limit)
        by_bluff = sort is Sort.BOLDEST
        bluffings = bluffs.of([match.match_id for match in found]) if by_bluff else {}
    if as_json:
        objects = [_match_json(match, bluffings.get(match.match_id)) for match in found]
        say_json(objects)
        return
    if not found:
        typer.echo("No finished match fits.")
        return
    columns = ("game", "finished (UTC)", "places", *["boldest bluff"] * bool(bluffings))
    table = Table(Column("match", no_wrap=True, min_width=36), *columns)
    for match in found:
        places = sorted(match.seats, key=lambda seat: seat.placing)
        table.add_row(
            match.match_id,
            match.game,
            f"{match.finished_at:%Y-%m-%d %H:%M:%S}",
            "  ".join(f"{seat.placing}. {seat.bot}" for seat in places)
            + ("  (casual)" if match.casual else "  (unrated)" if match.unrated else ""),
            *([_boldest(match, bluffings[match.match_id])] if bluffings else []),
        )
    Terminal().print_table(table, lesser=("finished (UTC)", "game"))


def _boldest(match: "MatchRow", bluffing: "Bluffing") -> str:
    """Return the boldest false claim of a match in words; "" without one."""
    from arena.server.results.bluffing import off_in_words

    claim = bluffing.boldest
    if claim is None:
        return ""
    return f"{bluffing.entrants[claim.seat].bot}, {off_in_words(match.game, claim.off)}"


def _match_json(match: "MatchRow", bluffing: "Bluffing | None") -> dict[str, Any]:
    claim = None if bluffing is None else bluffing.boldest
    return {
        **members(match, "match_id", "game", "options"),
        "time_control": asdict(match.time_control),
        **members(match, "block_id", "position", "termination", "decided_by_faults"),
        **members(match, "rated", "voided", "unrated", "casual"),
        "started_at": match.started_at.isoformat(),
        "finished_at": match.finished_at.isoformat(),
        "seats": [
            {
                **members(seat, "bot", "version", "owner"),
                **members(seat, "placing", "score", "faults", "forfeited"),
                "luck": None if match.luck is None else round(match.luck[number], 6),
            }
            for number, seat in enumerate(match.seats)
        ],
        "boldest_bluff": None if claim is None else members(claim, "seat", "step", "off"),
    }


def transcript(match_id: Annotated[str, typer.Argument(help="The match.")]) -> None:
    """Print a match's transcript as JSON (docs/transcript.md explains it)."""
    from arena.commands.results.match_argument import recorded
    from arena.match.transcript_json import to_json

    say_json(to_json(recorded(match_id)))
