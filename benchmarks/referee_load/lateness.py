"""Whether a referee under full load calls answers late that were not, and the memory that it takes.

The bots answer at once, so every LATE is the referee's own delay.
"""

import json
from dataclasses import dataclass

from benchmarks.referee_load.stage import client, referee, resident_mb

MATCHES_AT_ONCE = 32


@dataclass(frozen=True)
class FullLoad:
    """What a run found."""

    decisions: int
    refused: dict[str, int]
    """Refusals by kind of fault."""
    resident_mb: float
    """Memory of the referee at the end."""


def full_load(url: str, tokens: list[str], decisions: int) -> FullLoad:
    """Let bots with many matches each make so many decisions; the database must be migrated."""
    with referee(url) as (port, process):
        playing = ("players", "until", port, MATCHES_AT_ONCE, decisions)
        with client(*playing, tokens=tokens) as players:
            answer, _ = players.communicate()
        found = json.loads(answer)
        return FullLoad(found["decisions"], found["refused"], resident_mb(process.pid))
