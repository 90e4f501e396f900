"""Waiting by polling, for conditions that give no notice."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(
    condition: Callable[[], T],
    seconds: float = 60.0,
    pause: float = 0.01,
    why: str = "it did not happen in time",
) -> T:
    """Wait until a condition holds, which is polled every `pause` seconds; return its value."""
    deadline = time.monotonic() + seconds
    while not (said := condition()):
        assert time.monotonic() < deadline, why
        time.sleep(pause)
    return said


async def until_async(
    condition: Callable[[], object],
    seconds: float = 60.0,
    pause: float = 0.01,
    why: str = "it did not happen in time",
) -> None:
    """Wait in the same way while other tasks run."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, why
        await asyncio.sleep(pause)
