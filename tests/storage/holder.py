"""A process that holds the lease of a database: `python -m tests.storage.holder URL`."""

import asyncio
import sys

from arena.storage.async_engine import async_engine
from arena.storage.errors import LeaseTakenError
from arena.storage.lease import held_lease

TAKEN = 7
"""Its exit code when another has taken over."""


async def main(url: str) -> int:
    try:
        async with held_lease(async_engine(url)) as lease:
            print("holding", flush=True)
            await lease.keep()
    except LeaseTakenError:
        return TAKEN
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
