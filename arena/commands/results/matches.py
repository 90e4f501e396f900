"""`arena matches` and `arena transcript`: lists recorded matches, prints a transcript."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from arena.commands.bots import require_bots
from arena.commands.database import with_store
from arena.commands.errors import exit_with_message
from arena.commands.results.match_argument import recorded
from arena.commands.terminal import Terminal
from arena.games import make_game
from arena.match.transcript_json import to_json

if TYPE_CHECKING:
    from arena.storage.rows import MatchRow
    from arena.storage.store import Store

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def matches(
    bot: Annotated[str | None, typer.Option(help="Only matches of this bot.")] = None,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Print finished matches, newest first."""
    with exit_with_message():
        if game is not None:
            make_game(game)

    async def read(store: "Store") -> "list[MatchRow]":
        if bot is not None:
            require_bots({one.bot for one in await store.bots()}, [bot])
        return await store.matches(bot=bot, game=game, limit=limit)

    found = with_store(read)
    if as_json:
        typer.echo(json.dumps([_match_json(match) for match in found], indent=2))
        return
    if not found:
        typer.echo("No such match.")
        return
    table = Table(Column("match", no_wrap=True, min_width=36), "game", "finished (UTC)", "places")
    for match in found:
        places = sorted(match.seats, key=lambda seat: seat.placing)
        table.add_row(
            match.match_id,
            match.game,
            f"{match.finished_at:%Y-%m-%d %H:%M:%S}",
            "  ".join(f"{seat.placing}. {seat.bot}" for seat in places),
        )
    Terminal().print_table(table, lesser=("finished (UTC)", "game"))


def _match_json(match: "MatchRow") -> dict[str, Any]:
    return {
        "match_id": match.match_id,
        "game": match.game,
        "options": match.options,
        "block_id": match.block_id,
        "position": match.position,
        "termination": match.termination,
        "decided_by_faults": match.decided_by_faults,
        "rated": match.rated,
        "voided": match.voided,
        "started_at": match.started_at.isoformat(),
        "finished_at": match.finished_at.isoformat(),
        "seats": [
            {
                "bot": seat.bot,
                "version": seat.version,
                "owner": seat.owner,
                "placing": seat.placing,
                "score": seat.score,
                "faults": seat.faults,
                "forfeited": seat.forfeited,
                "luck": None if match.luck is None else round(match.luck[number], 6),
            }
            for number, seat in enumerate(match.seats)
        ],
    }


def transcript(match_id: Annotated[str, typer.Argument(help="The match.")]) -> None:
    """Print a match's transcript as JSON (docs/transcript.md explains it)."""
    with exit_with_message():
        typer.echo(json.dumps(to_json(recorded(match_id)), indent=2))
