"""`wait_at_most`: waiting for an event with a time limit."""

import asyncio
from contextlib import suppress


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, for this many seconds at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
