"""A watched match as the JSON that the player steps through.

It is made from a `Watched` alone, so it holds only what the viewpoint may know.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from arena.games import make_game
from arena.lab.analysis import AnalysedDecision, Grade, has_values
from arena.showing.claims import Mark, ShownClaim
from arena.showing.scenes import SCENES, sentences
from arena_dashboard.reading.watching import Watched, write_viewpoint


def packed(content: Mapping[str, Any]) -> bytes:
    """Return a `match_json` as sent to the browser: compact JSON, deflated (zlib).

    Each frame but the first has only its changes from the frame before; see `packed.js`.
    """
    frames = content["frames"]
    changes = [_changes(before, after) for before, after in pairwise(frames)]
    lean = {**content, "frames": [*frames[:1], *changes]}
    text = json.dumps(lean, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 9)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of `after` that differ from `before`; of nested mappings, likewise."""
    return {
        key: _changes(before[key], value)
        if isinstance(value, dict) and isinstance(before.get(key), dict)
        else value
        for key, value in after.items()
        if key not in before or before[key] != value
    }


def match_json(match: Watched) -> dict[str, Any]:
    """Return the whole match for the player; `types.js` describes its form."""
    scene = SCENES[match.game]
    result = match.result
    return {
        "match": match.match_id,
        "game": match.game,
        "title": match.title,
        "view": write_viewpoint(match.viewpoint),
        "names": list(match.names),
        "bots": [entrant.bot for entrant in match.entrants],
        "unit": scene.UNIT,
        "scoreUnit": scene.SCORE,
        "roundWord": scene.ROUND,
        "frames": list(_frames(match)),
        "result": None
        if result is None
        else {
            "placing": list(result.placing),
            "scores": list(result.scores) if result.scores else None,
            "faults": list(result.faults),
            "forfeited": list(result.forfeited),
            "byFaults": result.decided_by_faults,
        },
        "live": match.live,
        "over": match.over,
        "luck": None if match.luck is None else [round(one, 3) for one in match.luck],
        "analysable": has_values(make_game(match.game, dict(match.options))),
        "analysed": match.analysed,
        "broken": match.broken,
        "doubt": match.doubt,
        "signedBy": match.signed_by,
    }


def _frames(match: Watched) -> Iterator[dict[str, Any]]:
    scene = SCENES[match.game]
    rules = make_game(match.game, dict(match.options)).options
    number = 0
    standing: ShownClaim | None = None
    opening: list[str] = []
    moments = match.moments
    for at, moment in enumerate(moments):
        before = moments[at - 1] if at else None
        if before is None and moment.step:
            # The spectator joined in the middle: the events are those of the whole match so far.
            rounds = [*map(scene.round_started, moment.events)]
            number = max((one for one in rounds if one is not None), default=0)
            moment = replace(moment, events=())
        after = moments[at + 1] if at + 1 < len(moments) else None
        outcome = scene.outcome(moment, before)
        told = opening + sentences(moment, match.game, match.names)
        if before is None and moment.step:
            told = ["Watched from here on."]
        opening = []
        starts = [event for event in moment.events if scene.round_started(event) is not None]
        if starts and outcome is not None:
            # The end of a round starts the next one, whose sentences belong to the next moment.
            opening = [scene.tell(event, match.names) for event in starts]
            told = [sentence for sentence in told if sentence not in opening]
        elif starts:
            number = scene.round_started(starts[0]) or number
        made = scene.claimed(moment, before, after, rules)
        standing = made or standing
        marks: list[Mark] = [] if made is None or made.verdict is None else [made.verdict]
        if outcome is not None:
            marks += outcome.marks
            if standing is not None and outcome.verdict is not None:
                standing = replace(standing, truth=outcome.truth, verdict=outcome.verdict)
        if moment.fault is not None:
            marks.append(Mark.FAULT)
        yield {
            "step": moment.step,
            "round": number,
            "told": told,
            "marks": [mark.value for mark in marks],
            "claim": None if standing is None else claim_json(standing),
            "standing": list(scene.standing(moment.views[0])),
            "luck": [round(one, 3) for one in moment.luck or ()],
            "decision": None if moment.decision is None else _decision_json(moment.decision),
            "table": scene.table(moment, before),
        }
        if outcome is not None:
            standing = None
            number = next(map(scene.round_started, starts), None) or number


def claim_json(claim: ShownClaim) -> dict[str, Any]:
    """Return a claim in the form that the player draws; see `types.js`."""
    return {
        "seat": claim.seat,
        "text": claim.text,
        "chances": list(claim.chances),
        "truth": claim.truth,
        "verdict": None if claim.verdict is None else claim.verdict.value,
    }


def _decision_json(decision: AnalysedDecision) -> dict[str, Any]:
    assert decision.win is not None and decision.loss is not None and decision.grade is not None
    return {
        "seat": decision.seat,
        "action": in_words(decision.action),
        "forced": decision.forced,
        "win": round(decision.win, 4),
        "loss": round(decision.loss, 4),
        "grade": decision.grade.value,
        "better": None if decision.grade is Grade.BEST else in_words(decision.best),
    }


def in_words(action: Any) -> str:
    """Return an action as text for visitors."""
    return str(action).replace("*", "★")
