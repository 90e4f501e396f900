"""The referee's event loop, with fewer garbage collections."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

_COLLECT_AFTER = 50_000
"""The number of objects allocated between collections of the youngest generation.

A match creates thousands of small values without cycles; at Python's default of 700, garbage
collection takes a tenth of the referee's time.
"""


def runner() -> asyncio.Runner:
    """Return a runner of coroutines on one loop: uvloop's if it is available (not on Windows).

    It also makes garbage collections rarer.
    """
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 10, 3)
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run `main` to its end."""
    with runner() as loop:
        loop.run(main)
