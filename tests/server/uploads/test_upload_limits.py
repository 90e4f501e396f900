"""Limits of an upload: its size and form, how fast it comes, and how many come at once."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from arena.builds.hosted import HostingTerms
from arena.server.uploads import upload_service
from arena.server.uploads.upload_service import (
    _FAST_AS_STREAMS,
    MOST_AT_ONCE,
    MOST_OF_AN_OWNER,
    PAUSE_SECONDS,
)
from arena.v1 import upload_pb2 as pb
from tests.bots import PATIENCE
from tests.server.uploads.hosting import hosting, parts_of
from tests.service_calls import bearing, refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "the first message must describe the build"),
        ([pb.UploadBuildRequest(data=b"x")], "the first message must describe the build"),
        (list(parts_of("mine", b"pass", size=3)), "all together the size that the first one gives"),
        (list(parts_of("mine", b"pass", size=5)), "4 bytes came instead of 5"),
        (list(parts_of("mine", b"pass", size=2_000)), ".py file has 2,000 bytes, and 1,000 are"),
        (
            list(parts_of("mine", b"PK", "b.zip", size=2_000)),
            "build has 2,000 bytes, and 1,000 are",
        ),
        (list(parts_of("mine", b"pass", "bot.exe")), "neither a .py file"),
        (list(parts_of("mine", b"PK", "bot.zip")), "not a .zip that can be read"),
        (list(parts_of("mine", b"pass", size=-1)), "A file of -1 bytes cannot be"),
        (list(parts_of("a/b", b"pass")), "'a/b' cannot name the bot"),
    ],
)
async def test_a_refused_upload_says_why_and_changes_nothing(
    database: str, parts: list[pb.UploadBuildRequest], words: str
) -> None:
    async with hosting(database, HostingTerms(build_bytes=1_000)) as host:
        key = bearing(await host.scene.key("me"))
        code, said = await refused(host.uploads.UploadBuild(iter(parts), metadata=key))
        assert (code, words in said) == ("INVALID_ARGUMENT", True), said
        assert await host.builds("me") == []


@pytest.mark.slow
async def test_uploads_that_bring_nothing_keep_nobody_waiting_for_long(database: str) -> None:
    async with hosting(database) as host:
        keys = [bearing(await host.scene.key(f"slow {number}")) for number in range(4)]

        async def nothing_more() -> AsyncIterator[pb.UploadBuildRequest]:
            yield pb.UploadBuildRequest(bot="slow", file_name="b.py", size=1_000)
            await asyncio.Event().wait()

        async with asyncio.TaskGroup() as tasks:
            slow = [
                tasks.create_task(refused(host.uploads.UploadBuild(nothing_more(), metadata=key)))
                for key in keys * MOST_OF_AN_OWNER
            ]
            assert len(slow) == MOST_AT_ONCE
            async with asyncio.timeout(PAUSE_SECONDS + PATIENCE):
                await host.upload("me", "mine")
        assert {one.result() for one in slow} == {
            ("DEADLINE_EXCEEDED", "the build came too slowly: 175 kB a second are needed")
        }


async def test_an_owner_has_only_so_many_uploads_at_once(database: str) -> None:
    async with hosting(database) as host:
        key = bearing(await host.scene.key("me"))

        async def nothing_more() -> AsyncIterator[pb.UploadBuildRequest]:
            yield pb.UploadBuildRequest(bot="slow", file_name="b.py", size=1_000)
            await asyncio.Event().wait()

        uploads = [
            asyncio.ensure_future(refused(host.uploads.UploadBuild(nothing_more(), metadata=key)))
            for _ in range(MOST_OF_AN_OWNER + 1)
        ]
        done, waiting = await asyncio.wait(uploads, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()
        assert [one.result() for one in done] == [
            ("RESOURCE_EXHAUSTED", "too many uploads of yours at once: come back in 1 s")
        ]


async def test_bytes_that_are_no_message_are_refused(database: str) -> None:
    async with hosting(database) as host:
        upload = host.scene.channel.stream_unary("/arena.v1.UploadService/UploadBuild")
        key = bearing(await host.scene.key("me"))
        assert await refused(upload(iter([b"\xff"]), metadata=key)) == (
            "INVALID_ARGUMENT",
            "these bytes are no arena.v1.UploadBuildRequest",
        )


async def test_a_build_as_big_as_is_allowed_arrives_whole(database: str) -> None:
    """Its connection brings far more than a stranger's may."""
    async with hosting(database) as host:
        data = random.Random(1).randbytes(HostingTerms().build_bytes)
        code, said = await refused(host.upload("me", "mine", data, "bot.zip"))
        # All of it was read: it is no archive.
        assert (code, "not a .zip" in said) == ("INVALID_ARGUMENT", True)
        assert host.scene.arena.gate.connections.cuts == 0


async def test_a_connection_may_send_fast_for_a_while_after_its_uploads_and_once_for_all_of_them(
    database: str,
) -> None:
    async with hosting(database) as host:
        for number in range(3):
            await host.upload("me", f"mine {number}")
        known = host.scene.arena.gate.connections._known
        assert set(known.values()) == {_FAST_AS_STREAMS}


async def test_an_allowance_to_send_fast_ends_once_however_many_there_were(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_service, "_FAST_AFTERWARDS_SECONDS", 0.0)
    async with hosting(database) as host:
        for number in range(2):
            await host.upload("me", f"mine {number}")
            await host.builds("me")  # by then it is over
            assert host.scene.arena.gate.connections._known == {}


@pytest.mark.slow
async def test_a_class_of_thirty_submits_at_once(database: str) -> None:
    async with hosting(database) as host:
        names = [f"owner {number}" for number in range(30)]
        for name in names:
            await host.scene.key(name)
        made = await asyncio.gather(
            *(host.upload(name, f"bot {name}", f"# {name}".encode()) for name in names)
        )
        assert {one.bot for one in made} == {f"bot {name}" for name in names}
        begun = [await host.begin(check_version_id=number) for number in range(1, 31)]
        assert len({one.sha256 for one in begun}) == 30
