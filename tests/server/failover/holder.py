"""A process that holds the lease of a database: `python -m tests.server.failover.holder URL`."""

import asyncio
import sys

from arena.database.async_engine import async_engine
from arena.database.errors import LeaseTakenError
from arena.server.failover.lease import held_lease

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
