"""The `arena` command, whose calls are counted between two signals.

COUNTS_FILE=FILE [COUNTS=allocations] python -m benchmarks.referee_load.counted serve …

SIGUSR1 begins the count in the main thread, which runs the event loop; SIGUSR2 ends it and writes
what was counted to FILE: calls, or the allocations that allocations.c counts.
"""

import cProfile
import ctypes
import json
import os
import signal
from dataclasses import asdict
from pathlib import Path

from arena.__main__ import main
from benchmarks.referee_load.layers import ALLOCATIONS, FILE, WHAT, allocated, counted

if __name__ == "__main__":
    file = Path(os.environ[FILE])
    if os.environ.get(WHAT) == ALLOCATIONS:
        clock = ctypes.CDLL(None).allocations
        clock.restype = ctypes.c_long
        profile, sums = cProfile.Profile(clock, 1.0), allocated
    else:
        profile, sums = cProfile.Profile(), counted

    def begin(_number: int, _frame: object) -> None:
        profile.enable()

    def end(_number: int, _frame: object) -> None:
        profile.disable()
        file.write_text(json.dumps(asdict(sums(profile.getstats()))))

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    main()
