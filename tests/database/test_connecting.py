"""A connection that is given up while it is made."""

import asyncio

import pytest

from arena.database.connecting import connect
from tests.bots import PATIENCE


@pytest.mark.usefixtures("no_garbage_collection")
async def test_a_connection_attempt_that_is_cancelled_leaves_no_socket_open() -> None:
    reached, left = asyncio.Event(), asyncio.Event()

    async def silent_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        reached.set()
        await reader.read()
        left.set()
        writer.close()

    async with await asyncio.start_server(silent_server, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        connecting = asyncio.create_task(connect(f"postgresql://me@127.0.0.1:{port}/arena"))
        async with asyncio.timeout(PATIENCE):
            await reached.wait()
            connecting.cancel()
            await asyncio.wait([connecting])
            await left.wait()
