"""Which copies of bots are connected, as a referee tells all who ask."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

from arena.records import Presence
from arena.server.app.presence import KEPT_SECONDS, Presences
from arena.server.app.referees_store import RefereesStore
from tests.server.play.test_lobby import Hall


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


class Told:
    """A store that keeps what it is told."""

    def __init__(self) -> None:
        self.lease = SimpleNamespace(epoch=1, running={1})
        self.told: list[tuple[list[tuple[int, int]], list[int], bool]] = []

    async def tell_presence(
        self, here: Sequence[Presence], gone: Sequence[tuple[int, str]], *, anew: bool
    ) -> None:
        seats = [(int(one.version_id), one.seats) for one in here]
        self.told.append((seats, [version for version, _ in gone], anew))


async def test_a_referee_tells_who_is_connected_when_alone_and_to_others_their_seats_too() -> None:
    store, hall = Told(), Hall()
    presences = Presences(cast(RefereesStore, store), hall.lobby)
    hall.enter(1)
    await presences.tell()
    assert store.told.pop() == ([(1, 0)], [], True)
    second = hall.enter(2)
    await presences.tell()
    assert store.told.pop() == ([(2, 0)], [], False)
    assert await hall.offers(second) == 1  # which takes a seat of both
    await presences.tell()
    assert not store.told, "seats change with every match"
    store.lease.running.add(2)
    await presences.tell()
    assert store.told.pop() == ([(1, 1), (2, 1)], [], True)
    store.lease.running.remove(2)
    await presences.tell()
    second.leave(goodbye=True)
    await presences.tell()
    assert store.told.pop() == ([], [2], False)
