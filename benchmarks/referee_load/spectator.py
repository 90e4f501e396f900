"""A spectator that reads all that it is sent and does nothing with it.

python -m benchmarks.referee_load.spectator PORT MATCHES SECONDS

MATCHES is how many it is shown at the same time. It prints whether its stream ended too early.
"""

import asyncio
import json
from contextlib import suppress
from typing import Any

import grpc
import grpc.aio

from arena.v1 import spectator_pb2
from benchmarks.options import words


async def watch(port: int, matches: int, seconds: float) -> bool:
    """Watch for `seconds`; return whether the stream ended earlier."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        # Not parsed: the referee is measured.
        call: Any = channel.unary_stream("/arena.v1.SpectatorService/Watch")
        request = spectator_pb2.WatchRequest(max_matches=matches).SerializeToString()
        try:
            async with asyncio.timeout(seconds):
                with suppress(grpc.aio.AioRpcError):
                    async for _ in call(request):
                        pass
        except TimeoutError:
            return False
    return True


if __name__ == "__main__":
    print(json.dumps(asyncio.run(watch(*words()))))
