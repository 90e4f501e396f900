"""A bare grpc.aio echo stream: no referee can be faster, or take less memory.

python -m benchmarks.referee_load.echo serve PORT
python -m benchmarks.referee_load.echo load PORT STREAMS SECONDS BYTES
python -m benchmarks.referee_load.echo hold PORT STREAMS
"""

import asyncio
import contextlib
import json
import statistics
from collections.abc import Callable, Coroutine, Sequence
from time import perf_counter
from typing import Any

import grpc
import grpc.aio

from benchmarks.options import words

METHOD = "/benchmark.Echo/Echo"
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Otherwise a process's channels to one address share a connection, which carries 100 streams."""


async def serve(port: int) -> None:
    """Echo every message with as little code as grpc.aio allows."""

    async def echo(_requests: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        while (message := await context.read()) is not grpc.aio.EOF:
            await context.write(message)

    await serve_streams(port, METHOD, echo)


async def serve_streams(
    port: int, method: str, handle: Any, options: Sequence[tuple[str, Any]] = ()
) -> None:
    """Serve one method, whose messages are not parsed, until killed."""
    server = grpc.aio.server(options=options)
    handler: Any = grpc.stream_stream_rpc_method_handler(handle)
    _, service, name = method.split("/")
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {name: handler}),)
    )
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    print("ready", flush=True)
    await server.wait_for_termination()


async def load(port: int, streams: int, seconds: float, size: int) -> None:
    """Load the server with one message in flight per stream.

    Prints round trips/s and their median time in µs.
    """
    message = b"x" * size
    times: list[float] = []
    counting = False

    async def talk() -> None:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call: Any = channel.stream_stream(METHOD)()
            while True:
                started = perf_counter()
                await call.write(message)
                await call.read()
                if counting:
                    times.append(perf_counter() - started)

    talks = [asyncio.create_task(talk()) for _ in range(streams)]
    await asyncio.sleep(0.5)
    counting = True
    await asyncio.sleep(seconds)
    for task in talks:
        task.cancel()
    await asyncio.gather(*talks, return_exceptions=True)
    median_us = statistics.median(times) * 1e6
    print(json.dumps({"per_second": len(times) / seconds, "median_us": median_us}), flush=True)


async def hold(port: int, streams: int) -> None:
    """Open that many streams, each over a connection of its own, print a line, and stay connected
    until killed."""
    async with contextlib.AsyncExitStack() as stack:
        calls: list[Any] = []
        for _ in range(streams):
            channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", OWN_CONNECTION)
            await stack.enter_async_context(channel)
            calls.append(channel.stream_stream(METHOD)())
            await calls[-1].write(b"hello")
            await calls[-1].read()
        print("connected", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    mode, *numbers = words()
    modes: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
        "serve": serve,
        "load": load,
        "hold": hold,
    }
    asyncio.run(modes[mode](*numbers))
