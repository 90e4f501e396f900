"""How many copies of bots are connected, as all who ask at once are told."""

import asyncio
from types import SimpleNamespace
from typing import cast

from arena.presence import KEPT_SECONDS, Presences
from arena.storage.referees_store import RefereesStore
from tests.referee.test_lobby import Hall


class Counting:
    """A store of one of two referees, which counts how often it is asked."""

    lease = SimpleNamespace(epoch=1, running=frozenset((1, 2)))

    def __init__(self) -> None:
        self.asked = 0
        self.answers = asyncio.Event()

    async def copies_connected(self) -> int:
        self.asked += 1
        await self.answers.wait()
        return 2 + self.asked


async def test_all_who_ask_meanwhile_share_one_count_which_is_kept_for_a_second() -> None:
    store, clock = Counting(), [0.0]
    presences = Presences(cast(RefereesStore, store), Hall().lobby, lambda: clock[0])
    asking = [asyncio.create_task(presences.copies()) for _ in range(40)]
    await asyncio.sleep(0)
    asking.pop(0).cancel()  # the first, for whom the others wait no less
    store.answers.set()
    assert await asyncio.gather(*asking) == [3] * 39
    assert await presences.copies() == 3
    assert store.asked == 1
    clock[0] += KEPT_SECONDS
    assert await presences.copies() == 4
    assert store.asked == 2
