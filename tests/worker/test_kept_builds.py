"""The builds that a worker keeps: what was used lately stays, and is whole."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from arena.builds.errors import BuildRefusedError
from arena.worker.kept_builds import KeptBuilds


def source(number: int) -> bytes:
    return f"NUMBER = {number}\n".encode()


async def fetched(number: int) -> bytes:
    return source(number)


async def get(kept: KeptBuilds, number: int) -> Path:
    sha256 = hashlib.sha256(source(number)).digest()
    _, folder = await kept.get(sha256, "bot.py", lambda: fetched(number))
    return folder


@asynccontextmanager
async def used(kept: KeptBuilds, number: int) -> AsyncIterator[Path]:
    sha256 = hashlib.sha256(source(number)).digest()
    async with kept.used(sha256, "bot.py", lambda: fetched(number)) as (_, folder):
        yield folder


async def test_the_build_that_was_used_longest_ago_goes(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds", most=3)
    folders = [await get(kept, number) for number in range(3)]
    assert await get(kept, 0) == folders[0]
    newest = await get(kept, 3)
    assert [folder.is_dir() for folder in folders] == [True, False, True]
    assert (newest / "bot.py").read_bytes() == source(3)


async def test_a_build_in_use_stays_however_many_others_are_used(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds", most=3)
    async with AsyncExitStack() as stack:
        folders = [await stack.enter_async_context(used(kept, number)) for number in range(6)]
        # Another worker of the same ARENA_HOME removes what it needs no more.
        another = KeptBuilds(tmp_path / "builds", most=3)
        for number in range(10, 15):
            await get(another, number)
        assert [(folder / "bot.py").read_bytes() for folder in folders] == [
            source(number) for number in range(6)
        ]
    # Four of those in use were too many, and go once nobody uses them.
    await get(kept, 20)
    assert len(list((tmp_path / "builds").iterdir())) == 3


async def test_a_build_that_goes_as_it_is_asked_for_is_fetched_again(tmp_path: Path) -> None:
    kept, another = (KeptBuilds(tmp_path / "builds", most=1) for _ in range(2))

    async def use_often(one: KeptBuilds, first: int) -> None:
        for number in range(first, first + 40):
            async with used(one, number % 4) as folder:
                await asyncio.sleep(0)
                assert (folder / "bot.py").read_bytes() == source(number % 4)

    await asyncio.gather(*(use_often(one, n) for n in range(4) for one in (kept, another)))


async def test_what_a_killed_worker_left_half_unpacked_goes(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds", most=1)
    (tmp_path / "builds/left/files").mkdir(parents=True)
    folder = await get(kept, 0)
    assert list((tmp_path / "builds").iterdir()) == [folder.parent]


async def test_many_slots_fetch_and_drop_builds_at_the_same_time(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds", most=8)
    for _ in range(3):
        folders = await asyncio.gather(*(get(kept, number % 20) for number in range(40)))
        assert len(set(folders)) == 20
    assert len(list((tmp_path / "builds").iterdir())) == 8


async def test_another_build_than_the_one_that_was_asked_for_is_not_kept(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds")
    with pytest.raises(BuildRefusedError, match="another build"):
        await kept.get(bytes(32), "bot.py", lambda: fetched(1))
    assert list((tmp_path / "builds").iterdir()) == []
