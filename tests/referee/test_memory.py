"""Memory stays flat under churn."""

import gc
import importlib
import pkgutil

import pytest

import arena
from arena.referee.errors import ProtocolError
from arena.referee.limits import Limits
from tests.bots import Peer
from tests.referee.scene import opened


def test_no_module_keeps_an_error_to_raise() -> None:
    # Each raise of one and the same error adds to its traceback, for ever.
    for found in pkgutil.walk_packages(arena.__path__, "arena."):
        if "migrations" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            assert not isinstance(value, BaseException), f"{found.name}.{name}"


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
