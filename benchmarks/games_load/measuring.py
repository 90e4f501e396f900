"""Measurement of decisions per CPU time. Imports nothing of this project or of the others."""

import json
import time
from collections.abc import Callable

WARM_UP_S = 0.2


def measure(playout: Callable[[], int], seconds: float) -> None:
    """Play matches for `seconds` of CPU time and print decisions, matches and the time used.

    `playout` plays one match and returns its number of decisions. CPU time is used because elapsed
    time on a shared core depends on the other processes.
    """
    _play(playout, WARM_UP_S)
    decisions, matches, used = _play(playout, seconds)
    print(json.dumps({"decisions": decisions, "matches": matches, "seconds": used}))


def _play(playout: Callable[[], int], seconds: float) -> tuple[int, int, float]:
    decisions = matches = 0
    used, begun = 0.0, time.process_time()
    while used < seconds:
        decisions += playout()
        matches += 1
        used = time.process_time() - begun
    return decisions, matches, used
