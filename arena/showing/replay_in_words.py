"""`replay_in_words`: a finished match step by step in words, for commands and agents."""

import json
from typing import Any

from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.showing.scenes import SCENES


def replay_in_words(transcript: Transcript) -> dict[str, Any]:
    """Return, as JSON, the bots and their faults by seat, and the steps in words, secrets included.

    Rolls, deals and other draws are also given as the game's actions in JSON. Raises
    TranscriptError.
    """
    setup = transcript.setup
    names = [str(entrant) for entrant in setup.entrants]
    scene, notation = SCENES[setup.game], setup.make_game().notation
    told = []
    for frame in replay(transcript):
        said: list[str | None] = []
        if frame.step is not None:
            said = [scene.reveal(frame.step, names)]
            if not isinstance(frame.step.actor, int):
                said.append(f"Drawn: {json.dumps(notation.to_json(frame.step.action))}")
        said += [scene.tell(event, names) for event in frame.events]
        told += [f"{frame.index}: {one}" for one in said if one]
    return {"seats": names, "faults": list(transcript.result.faults), "steps": told}
