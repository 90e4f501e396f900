"""Waiting for an event with a time limit, or for the first of several things."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, for this many seconds at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


@asynccontextmanager
async def first_of(
    *waits: Coroutine[Any, Any, Any], seconds: float | None = None
) -> AsyncIterator[list[asyncio.Task[Any]]]:
    """Wait until the first of these is done, for `seconds` at most, and yield all their tasks.

    At the end of the block the unfinished ones are cancelled.
    """
    tasks = [asyncio.create_task(one) for one in waits]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
