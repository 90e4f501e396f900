"""What a bot did wrong in matches at home, as JSON and as text."""

import json
from typing import Any

from arena.games.game import AnyGame
from arena.match.flow import Refused


def fault_json(
    game: AnyGame, bot: str, kind: str, reason: str, first: Refused, times: int
) -> dict[str, Any]:
    """A fault; its seat, turn, view and actions are those of the first time."""
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


def _sent(game: AnyGame, action: Any) -> Any:
    """The action as JSON; as Python shows it where a .py file returned what is no action."""
    known = game.notation.name_of(type(action)) is not None
    return game.notation.to_json(action) if known else action and repr(action)


def fault_text(fault: dict[str, Any]) -> str:
    """A fault in two or three lines."""
    lines = [
        f"Faults of {fault['bot']}: {fault['times']} × {fault['kind']}: {fault['reason']} "
        f"(the first time: {fault['legal']})",
        f"  its view then, in turn {fault['turn']}: {json.dumps(fault['view'])}",
    ]
    if fault["sent"] is not None:
        lines.append(f"  it sent: {json.dumps(fault['sent'])}")
    return "\n".join(lines)
