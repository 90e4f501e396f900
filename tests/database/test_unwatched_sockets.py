"""An event loop that can watch no further socket, as when other processes used up the user's."""

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Any, NoReturn

import psycopg
import pytest

from arena.database.async_engine import async_engine
from arena.database.connecting import connect
from arena.database.errors import DatabaseUnreachableError
from arena.database.transaction import transaction
from tests.bots import PATIENCE


class UnwatchedSockets:
    """Lets a loop watch no socket, from `begin` until `end`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def begin(self) -> None:
        loop = asyncio.get_running_loop()
        self._patch.setattr(loop, "add_reader", _refuse)
        self._patch.setattr(loop, "add_writer", _refuse)

    def end(self) -> None:
        self._patch.undo()


def _refuse(*_: Any) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> UnwatchedSockets:
    return UnwatchedSockets(monkeypatch)


async def test_the_database_is_unreachable_meanwhile_and_reached_again_afterwards(
    database: str, sockets: UnwatchedSockets
) -> None:
    engine = async_engine(database)

    async def ask(meanwhile: Callable[[], None]) -> None:
        async with transaction(engine) as connection:
            await connection.exec_driver_sql("SELECT 1")
            meanwhile()
            await connection.exec_driver_sql("SELECT 2")

    with pytest.raises(DatabaseUnreachableError):
        await ask(sockets.begin)
    with pytest.raises(DatabaseUnreachableError):
        await ask(lambda: None)
    sockets.end()
    await ask(lambda: None)
    await engine.dispose()


async def test_a_connection_whose_statement_is_half_done_is_closed(
    database: str, sockets: UnwatchedSockets
) -> None:
    connection = await connect(database)
    sockets.begin()
    with pytest.raises(psycopg.OperationalError):
        await connection.execute("SELECT 1")
    assert connection.closed


@pytest.mark.usefixtures("no_garbage_collection")
async def test_a_connection_attempt_leaves_no_socket_open(
    sockets: UnwatchedSockets,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        port = server.getsockname()[1]
        sockets.begin()
        with pytest.raises(psycopg.OperationalError) as kept:
            await connect(f"postgresql://me@127.0.0.1:{port}/arena")
        line, _ = server.accept()
        with line:
            line.settimeout(PATIENCE)
            while line.recv(4096):
                pass
        assert kept  # with the frames of its traceback
