"""The lines in which a bot says that the check of a finished match failed."""

from typing import Final

from arena.conformance.scripted_referee import ScriptedReferee, UnmetError

FAILED: Final = "verification failed"
"""What such a line says, beside the match's id."""


def quiet_about(referee: ScriptedReferee, match_id: str, which: str) -> None:
    """Raise UnmetError if the bot says that a sound match is wrong."""
    line = line_about(referee, match_id)
    if line is not None:
        raise UnmetError(f"of {which} it printed: {line}")


def line_about(referee: ScriptedReferee, match_id: str) -> str | None:
    """What the bot printed of a match that it found to be wrong."""
    lines = referee.log.read_text(errors="replace").splitlines()
    return next((one for one in lines if match_id in one and FAILED in one.lower()), None)
