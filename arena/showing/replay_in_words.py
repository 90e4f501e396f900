"""`replay_in_words`: a finished match step by step in words, for commands and agents."""

import json
from typing import Any

from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.showing.scenes import SCENES


def replay_in_words(transcript: Transcript) -> dict[str, Any]:
    """Return the steps of a match, with all secrets open, and the bots and their faults by seat.

    They are JSON; what was rolled, dealt or drawn is an action of the game as JSON. Raises
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
