"""The builds that a worker keeps: what was used lately stays, and is whole."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from arena.builds import BuildRefusedError
from arena.worker.kept_builds import KeptBuilds


def source(number: int) -> bytes:
    return f"NUMBER = {number}\n".encode()


async def fetched(number: int) -> bytes:
    return source(number)


async def get(kept: KeptBuilds, number: int) -> Path:
    sha256 = hashlib.sha256(source(number)).digest()
    _, folder = await kept.get(sha256, "bot.py", lambda: fetched(number))
    return folder


async def test_the_build_that_was_used_longest_ago_goes(tmp_path: Path) -> None:
    kept = KeptBuilds(tmp_path / "builds", most=3)
    folders = [await get(kept, number) for number in range(3)]
    assert await get(kept, 0) == folders[0]
    newest = await get(kept, 3)
    assert [folder.is_dir() for folder in folders] == [True, False, True]
    assert (newest / "bot.py").read_bytes() == source(3)


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
