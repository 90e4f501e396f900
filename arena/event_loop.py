"""How the referee's process runs: the event loop, and when Python looks for garbage."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

_COLLECT_AFTER = 50_000
"""Objects allocated between looks at the youngest garbage. A match is thousands of small values in
no cycles; at Python's default of 700 a tenth of the referee's time goes into looking at them."""


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run `main` to its end, on uvloop where there is one (not on Windows)."""
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    try:
        import uvloop
    except ModuleNotFoundError:
        asyncio.run(main)
    else:
        uvloop.run(main)
