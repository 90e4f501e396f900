"""`arena faults`: prints the latest faults of a bot with its view, answer and legal actions."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.database import reading
from arena.commands.known_bots import require_bot
from arena.commands.options import AsJson
from arena.commands.terminal import json_text, members, say, say_json

if TYPE_CHECKING:
    from arena.server.results.faults import SeenFault


def faults(
    bot: Annotated[str, typer.Option(help="The bot.")],
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Print the latest faults of a bot in finished matches, newest first."""
    from arena.server.results.faults import faults_of

    with reading() as (read, _):
        require_bot(read, bot)
        found = faults_of(read, bot, limit)
    if as_json:
        say_json([_json(fault) for fault in found])
        return
    if not found:
        typer.echo("No fault of this bot is recorded.")
    for fault in found:
        say(fault_text(fault))


def fault_text(fault: "SeenFault") -> str:
    """Return a fault as several lines of text."""
    seated = fault.match.seats[fault.seat]
    lines = [
        f"{fault.match.finished_at:%Y-%m-%d %H:%M:%S} UTC  {fault.match.game}  match "
        f"{fault.match.match_id}, turn {fault.turn}, step {fault.step}: {seated.bot} "
        f"{seated.version} in seat {fault.seat}",
        f"  {fault.kind.value}: {fault.reason or 'the reason was not kept'}",
        f"  {fault.legal}",
        f"  sent:   {'no action' if fault.sent is None else json_text(fault.sent)}",
        f"  played: {json_text(fault.played)}",
        f"  view:   {json_text(fault.view)}",
    ]
    return "\n".join(lines)


def _json(fault: "SeenFault") -> dict[str, Any]:
    seated = fault.match.seats[fault.seat]
    return {
        "match_id": fault.match.match_id,
        "game": fault.match.game,
        "finished_at": fault.match.finished_at.isoformat(),
        **members(seated, "bot", "version"),
        **members(fault, "seat", "turn", "step"),
        "kind": fault.kind.value,
        **members(fault, "reason", "view", "sent", "legal", "played"),
    }
