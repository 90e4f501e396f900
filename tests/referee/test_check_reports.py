"""An author's report of a check of a bot, over the wire."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from arena.v1 import registry_pb2 as pb
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.referee.scene import KEY, Scene


@pytest.fixture
async def registry(scene: Scene) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{scene.port}") as channel:
        yield RegistryServiceStub(channel)


def reported(**outcome: Any) -> pb.ReportCheckRequest:
    return pb.ReportCheckRequest(outcome=pb.CheckOutcome(**{"edition": 1, "met": 20} | outcome))


def bearing(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


async def checks(registry: Any) -> list[pb.ConformanceCheck | None]:
    """Of all versions."""
    listed = await registry.ListBots(pb.ListBotsRequest())
    return [line.check if line.HasField("check") else None for line in listed.versions]


async def test_a_report_is_listed_with_the_version_whose_token_it_bears(
    scene: Scene, registry: Any
) -> None:
    token, _ = await scene.token("fox"), await scene.token("hare")
    report = reported(met=13, failed=["drain", "another's fault"], skipped=["tampering"])
    answer = await registry.ReportCheck(report, metadata=bearing(token))
    assert (answer.entrant.bot, answer.entrant.version) == ("fox", "1")
    fox, hare = await checks(registry)
    assert hare is None
    assert fox is not None and fox.outcome == report.outcome
    assert fox.origin == pb.CHECK_ORIGIN_AUTHOR
    assert fox.recorded_ms > 1_700_000_000_000


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ({"edition": 0}, "`edition` is 1 or more, not 0"),
        ({"met": -1}, "`met` is 0 to 1000, not -1"),
        ({"met": 1001}, "`met` is 0 to 1000, not 1001"),
        ({"met": 0, "skipped": ["drain"]}, "at least one scenario was met or failed"),
        ({"failed": ["drain", "drain"]}, "name at most 100, each once"),
        ({"failed": ["drain"], "skipped": ["drain"]}, "name at most 100, each once"),
        ({"failed": [f"scenario {n}" for n in range(101)]}, "name at most 100, each once"),
        ({"failed": ["<b>bold</b>"]}, "'<b>bold</b>' names no scenario"),
        ({"skipped": [""]}, "'' names no scenario"),
        ({"skipped": ["x" * 41]}, "names no scenario"),
    ],
)
async def test_a_report_that_cannot_be_is_refused_and_changes_nothing(
    scene: Scene, registry: Any, outcome: dict[str, Any], words: str
) -> None:
    token = await scene.token("fox")
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await registry.ReportCheck(reported(**outcome), metadata=bearing(token))
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert words in (refusal.value.details() or "")
    assert await checks(registry) == [None]


async def test_only_a_bot_in_service_reports(scene: Scene, registry: Any) -> None:
    token = await scene.token("fox")
    await scene.arena.store.register("fox", "owner-of-fox", "2")
    await scene.arena.store.retire("fox", "1")
    for shown, code in (
        ("wrong", grpc.StatusCode.UNAUTHENTICATED),
        (KEY, grpc.StatusCode.UNAUTHENTICATED),
        (token, grpc.StatusCode.PERMISSION_DENIED),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await registry.ReportCheck(reported(), metadata=bearing(shown))
        assert refusal.value.code() is code
    assert await checks(registry) == [None, None]
