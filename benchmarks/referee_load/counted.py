"""The `arena` command, whose calls are counted between two signals.

COUNTS_FILE=FILE python -m benchmarks.referee_load.counted serve …

SIGUSR1 begins the count in the main thread, which runs the event loop; SIGUSR2 ends it and writes
what was counted to FILE.
"""

import cProfile
import os
import signal
from pathlib import Path

from arena.__main__ import main
from benchmarks.referee_load.layers import FILE, counted

if __name__ == "__main__":
    profile, file = cProfile.Profile(), Path(os.environ[FILE])

    def begin(_number: int, _frame: object) -> None:
        profile.enable()

    def end(_number: int, _frame: object) -> None:
        profile.disable()
        file.write_text(counted(profile.getstats()).to_json())

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    main()
