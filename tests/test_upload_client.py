"""`UploadClient`: how big a build it sends, and how long it waits."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import grpc
import pytest

from arena.bot.address import Address
from arena.builds.hosted import SLOWEST_UPLOAD, HostingTerms
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient
from arena.records import Owner
from arena.server.accounts.owner_calls import OwnerCalls
from arena.server.limits.connections import ROUND_SECONDS
from arena.server.limits.limits import Limits
from arena.server.uploads.upload_service import PAUSE_SECONDS
from arena.v1 import upload_pb2 as pb
from arena.v1.upload_pb2_grpc import UploadServiceServicer, add_UploadServiceServicer_to_server
from tests.scene import opened
from tests.worker.hosting import zipped


def build(size: int) -> bytes:
    """One that cannot be packed tighter, a little bigger than this."""
    tables = random.Random(1).randbytes(size)
    toml = 'command = ["python", "bot.py"]'
    return zipped({"bot.toml": toml, "bot.py": "pass", "tables": tables})


@pytest.mark.slow
async def test_it_sends_what_the_operator_allows_and_no_more(database: str) -> None:
    terms = HostingTerms(build_bytes=22 * 1024 * 1024)
    allowed, too_big = build(21 * 1024 * 1024), build(terms.build_bytes)
    async with opened(database, hosting=terms) as scene:
        client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
        upload = partial(client.upload, await scene.key(), "mine", "b.zip")
        made = await asyncio.to_thread(upload, allowed)
        assert made.version == "1"
        with pytest.raises(OwnerCallError, match="bytes, and 23,068,672 are allowed"):
            await asyncio.to_thread(upload, too_big)


@pytest.mark.slow
async def test_an_upload_waits_until_its_owner_is_known(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner_of = OwnerCalls.owner

    async def slowly(calls: OwnerCalls, context: Any) -> Owner:
        await asyncio.sleep(2 * ROUND_SECONDS + 0.2)  # connections are looked at meanwhile
        return await owner_of(calls, context)

    async with opened(database, hosting=HostingTerms()) as scene:
        key = await scene.key()
        monkeypatch.setattr(OwnerCalls, "owner", slowly)
        client = UploadClient(Address(f"127.0.0.1:{scene.port}"))
        data = build(5 * Limits().strangers_bytes_burst)
        made = await asyncio.to_thread(client.upload, key, "mine", "b.zip", data)
        assert made.version == "1"


class Terms(UploadServiceServicer):
    """Tells a limit, and notes how long the client would wait for its upload."""

    seconds = 0.0

    def GetUploadTerms(self, request: Any, context: Any) -> pb.GetUploadTermsResponse:  # noqa: N802  gRPC's
        return pb.GetUploadTermsResponse(hosting=True, build_bytes=100 * 1024 * 1024)

    def UploadBuild(self, request_iterator: Any, context: Any) -> pb.UploadBuildResponse:  # noqa: N802
        self.seconds = context.time_remaining()
        return pb.UploadBuildResponse()


@pytest.mark.slow
def test_it_waits_for_a_big_build_as_long_as_the_referee() -> None:
    data = build(30_000_000)
    terms = Terms()
    server = grpc.server(ThreadPoolExecutor(2))
    add_UploadServiceServicer_to_server(terms, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    UploadClient(Address(f"127.0.0.1:{port}")).upload("arena_owner_x", "mine", "b.zip", data)
    server.stop(0)
    assert terms.seconds > PAUSE_SECONDS + len(data) / SLOWEST_UPLOAD
