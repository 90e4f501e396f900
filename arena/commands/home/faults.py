"""A bot's faults in local matches, as JSON and as text."""

from typing import Any

from arena.commands.terminal import json_text
from arena.games.game import AnyGame
from arena.match.flow import Refused


def fault_json(
    game: AnyGame, bot: str, kind: str, reason: str, first: Refused, times: int
) -> dict[str, Any]:
    """Return a fault as JSON; its seat, turn, view and actions are of its first occurrence."""
    return {
        "bot": bot,
        "kind": kind,
        "reason": reason,
        "legal": first.legal,
        "times": times,
        "seat": first.seat,
        "turn": first.turn_number,
        "view": game.view_notation.to_json(first.view),
        "sent": _sent(game, first.sent),
        "played": game.notation.to_json(first.played),
    }


def _sent(game: AnyGame, sent: Any) -> Any:
    """Return the action as JSON, or the text of another object that a .py file returned."""
    known = game.notation.name_of(type(sent)) is not None
    return game.notation.to_json(sent) if known else sent


def fault_text(fault: dict[str, Any]) -> str:
    """Return a fault as two or three lines of text."""
    lines = [
        f"Faults of {fault['bot']}: {fault['times']} × {fault['kind']}: {fault['reason']} "
        f"(the first time: {fault['legal']})",
        f"  its view then, in turn {fault['turn']}: {json_text(fault['view'])}",
    ]
    if fault["sent"] is not None:
        lines.append(f"  it sent: {json_text(fault['sent'])}")
    return "\n".join(lines)
