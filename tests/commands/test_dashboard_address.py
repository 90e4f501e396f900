"""The address of the pages is told when they answer."""

import asyncio
import socket

from arena.commands.serving.dashboard import where_it_answers
from tests.bots import PATIENCE

HOST = "127.0.0.1"


async def test_it_is_waited_for_until_they_answer() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readline()).startswith(b"GET ")
        if serves.is_set():
            writer.write(b"HTTP/1.0 200 OK\r\n\r\n")
        writer.close()

    with socket.socket() as taken:
        taken.bind((HOST, 0))  # nothing listens there yet
        port = taken.getsockname()[1]
        serves = asyncio.Event()
        waiting = asyncio.create_task(where_it_answers(HOST, port, lambda: True))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        async with await asyncio.start_server(answer, sock=taken):
            await asyncio.sleep(0.2)
            assert not waiting.done()  # who listens does not answer yet
            serves.set()
            async with asyncio.timeout(PATIENCE):
                assert await waiting == f"http://{HOST}:{port}"


async def test_it_is_not_waited_for_longer_than_it_may_take_nor_after_its_end() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        port = taken.getsockname()[1]
        async with asyncio.timeout(PATIENCE):
            assert await where_it_answers(HOST, port, lambda: True, 0.2) is None
            assert await where_it_answers(HOST, port, lambda: False) is None
