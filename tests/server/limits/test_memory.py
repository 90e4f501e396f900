"""Memory stays flat under churn."""

import asyncio
import gc
import importlib
import pkgutil
from typing import Any

import pytest

import arena
from arena.server.limits.limits import Limits
from arena.server.requests.errors import ProtocolError
from tests.bots import PATIENCE, Peer
from tests.scene import opened


def test_no_module_keeps_an_error_to_raise() -> None:
    # Each raise of one and the same error adds to its traceback, for ever.
    for found in pkgutil.walk_packages(arena.__path__, "arena."):
        if "migrations" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            assert not isinstance(value, BaseException), f"{found.name}.{name}"


@pytest.mark.system  # an attack
@pytest.mark.slow
async def test_streams_that_take_over_from_each_other_leave_nothing_behind(database: str) -> None:
    async with opened(database, limits=Limits(streams_burst=1_000)) as scene:
        token = await scene.token("churning")

        async def take_over(times: int) -> int:
            older = Peer(scene.port, token)
            await older.greet()
            for _ in range(times):
                newer = Peer(scene.port, token)
                await newer.greet()
                await older.status()
                await older.channel.close()
                older = newer
            await older.channel.close()
            gc.collect()
            return sum(isinstance(one, ProtocolError) for one in gc.get_objects())

        before = await take_over(3)
        after = await take_over(30)
    assert after <= before + 3


def tasks_of_the_referee() -> set[asyncio.Task[Any]]:
    """Those that its own code has begun, not grpc's."""
    code = ((task, getattr(task.get_coro(), "cr_code", None)) for task in asyncio.all_tasks())
    return {task for task, of in code if "/arena/server/" in getattr(of, "co_filename", "")}


async def test_a_bot_that_waits_takes_no_task_beside_those_of_grpc(database: str) -> None:
    async with opened(database) as scene:
        before = tasks_of_the_referee()
        peers = [Peer(scene.port, await scene.token(f"bot{number}")) for number in range(3)]
        for peer in peers:
            await peer.greet()
        if writing := tasks_of_the_referee() - before:
            _, left = await asyncio.wait(writing, timeout=PATIENCE)
            assert not left
        for peer in peers:
            await peer.channel.close()
