"""A spectator that reads all that it is sent and does nothing with it.

python -m benchmarks.referee_load.spectator PORT MATCHES SECONDS

MATCHES is how many it is shown at the same time. It prints how many messages and bytes came a
second, and how its stream ended if it did.
"""

import asyncio
import json
import sys
from time import monotonic
from typing import Any

import grpc
import grpc.aio

from arena.v1 import spectator_pb2


async def watch(port: int, matches: int, seconds: float) -> dict[str, float | str]:
    """What came in that time."""
    count = size = 0
    ended, began = "", monotonic()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        # Not parsed: the referee is measured.
        call: Any = channel.unary_stream("/arena.v1.SpectatorService/Watch")
        request = spectator_pb2.WatchRequest(max_matches=matches).SerializeToString()
        stream = call(request)
        try:
            async with asyncio.timeout(seconds):
                async for message in stream:
                    count += 1
                    size += len(message)
        except TimeoutError:
            pass
        except grpc.aio.AioRpcError as error:
            ended = error.code().name
    lasted = monotonic() - began
    return {"messages": count / lasted, "kilobytes": size / lasted / 1000, "ended": ended}


if __name__ == "__main__":
    port, matches, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    print(json.dumps(asyncio.run(watch(port, matches, seconds))))
