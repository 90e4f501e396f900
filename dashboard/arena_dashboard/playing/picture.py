"""A session as the JSON that the browser draws: what the seat may know, and nothing else."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from arena.games.game import AnyGame
from arena.match.transcript import Entrant
from arena.person.seat import Heard, PersonSeat
from arena.person.session import PersonSession
from arena_dashboard.playing.controls import controls
from arena_dashboard.playing.reveals import Shown, shown
from arena_dashboard.scenes import SCENES, Scene
from arena_dashboard.scenes.claims import ShownClaim

LOGGED = 400
"""The newest sentences of a match's log."""


def picture(session: PersonSession) -> dict[str, Any]:
    """What the browser of the session's person shows now; `person_types.js` describes its form."""
    with session.lock:
        seat = session.seat
        if session.lost:
            return {"phase": "lost", "notice": session.lost}
        if session.awaited:
            return {"phase": "waiting", "notice": f"Waiting for {session.awaited}…"}
        if session.not_played:
            return {"phase": "off", "notice": _sentence(session.not_played)}
        if seat is not None and seat.called_off:
            return {"phase": "off", "notice": _sentence(seat.called_off)}
        if seat is None or seat.match is None:
            return {"phase": "waiting", "notice": "Waiting for the others to join…"}
        return _match(seat)


def _match(seat: PersonSeat) -> dict[str, Any]:
    assert seat.match is not None
    game, own = seat.game, seat.match.seat
    scene = SCENES[game.name]
    names = names_of(seat.match.entrants, own)
    turn, result = seat.turn, seat.result
    log: list[list[Any]] = []
    frames: list[dict[str, Any]] = []
    number = 0
    view = None
    for heard in seat.heard:
        frames = []
        for one in _shown(heard, view, game):
            started = [n for event in one.told if (n := scene.round_started(event)) is not None]
            number = started[-1] if started else number
            told = [scene.tell(event, names) for event in one.told]
            log += [[number, sentence] for sentence in told]
            frames.append(_frame(one, scene, game, number, told))
        view = heard.view if heard.view is not None else view
    return {
        "phase": "over" if result is not None else "playing",
        "notice": "",
        "match": {
            "match": seat.match_id,
            "game": game.name,
            "title": game.title,
            "view": str(own),
            "names": names,
            "unit": scene.UNIT,
            "roundWord": scene.ROUND,
        },
        "batch": len(seat.heard),
        "frames": frames,
        "log": log[-LOGGED:],
        "faults": [
            f"{_sentence(refusal.reason)} {refusal.legal}".strip() for refusal in seat.refusals
        ],
        "faultLimit": seat.match.fault_limit,
        "turn": None
        if turn is None
        else {
            "number": turn.number,
            "left": list(turn.left_ms(time.monotonic())),
            "choices": controls(game, turn.view, names),
        },
        "result": None
        if result is None
        else {
            "placing": list(result.placing),
            "scores": list(result.scores or ()),
            "scoreUnit": scene.SCORE,
            "forfeited": list(result.forfeited),
            "replay": "replay?" + urlencode({"match": seat.match_id, "view": "everything"}),
        },
    }


def _shown(heard: Heard, before: Any, game: AnyGame) -> list[Shown]:
    return list(shown(heard.events, heard.view, before, game.options))


def _frame(one: Shown, scene: Scene, game: AnyGame, number: int, told: list[str]) -> dict[str, Any]:
    """A frame as the player draws it, see `types.js`."""
    claim: ShownClaim | None = None
    if one.claim is not None:
        claim = scene.claimed(one.claim, None, None, game.options)
    outcome = scene.outcome(one.moment, one.before) if one.moment.events else None
    if claim is not None:
        # How likely it is, the person finds out alone.
        claim = replace(claim, chances=(None,))
        if outcome is not None:
            claim = replace(claim, truth=outcome.truth, verdict=outcome.verdict)
    return {
        "step": 0,
        "round": number,
        "told": told,
        "marks": [] if outcome is None else [mark.value for mark in outcome.marks],
        "claim": None
        if claim is None
        else {
            "seat": claim.seat,
            "text": claim.text,
            "chances": list(claim.chances),
            "truth": claim.truth,
            "verdict": None if claim.verdict is None else claim.verdict.value,
        },
        "standing": list(scene.standing(one.moment.views[0])),
        "luck": [],
        "table": scene.table(one.moment, one.before),
    }


def names_of(entrants: Sequence[Entrant], own: int) -> list[str]:
    """The names by seat, distinct; the person's own says so."""
    bots = Counter(entrant.bot for entrant in entrants)
    names = [one.bot if bots[one.bot] == 1 else str(one) for one in entrants]
    names[own] = f"{names[own]} (you)"
    return names


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
