"""The lines that a bot prints about matches that it finds to be wrong."""

import asyncio
import time
from typing import Final

from arena.conformance.scripted_referee import ScriptedReferee, UnmetError

NOTICED: Final = "verification failed"
"""The words that a line about a wrong match contains, together with the match's id."""
_SOON_SECONDS: Final = 3.0


async def names(referee: ScriptedReferee, match_id: str, what: str) -> None:
    """Raise UnmetError unless the bot soon prints that a match is wrong; `what` names the error."""
    deadline = time.monotonic() + _SOON_SECONDS
    while line_about(referee, match_id) is None:
        if time.monotonic() > deadline:
            raise UnmetError(
                f"it printed no line with “{NOTICED}” and the id of the match with {what}"
            )
        await asyncio.sleep(0.02)


def quiet_about(referee: ScriptedReferee, match_id: str, which: str) -> None:
    """Raise UnmetError if the bot printed that a sound match is wrong."""
    line = line_about(referee, match_id)
    if line is not None:
        raise UnmetError(f"it reported as wrong {which}: {line}")


def line_about(referee: ScriptedReferee, match_id: str) -> str | None:
    """Return the line that the bot printed about a wrong match; None if there is none.

    It is always None for a bot that was not started here, as its output is not known.
    """
    if referee.log is None:
        return None
    lines = referee.log.read_text(errors="replace").splitlines()
    return next((one for one in lines if match_id in one and NOTICED in one.lower()), None)
