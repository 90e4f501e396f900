"""An author's report of a check of a bot, over the wire."""

from typing import Any

import pytest

from arena.codec.checks import MOST_NAMED
from arena.records import EDITION
from arena.server.requests.paging import MOST_LINES
from arena.v1 import registry_pb2 as pb
from arena.v1.owner_pb2 import ListOwnBotsRequest
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.scene import Scene
from tests.service_calls import bearing, refused


@pytest.fixture
def registry(scene: Scene) -> Any:
    return RegistryServiceStub(scene.channel)


def reported(**outcome: Any) -> pb.ReportCheckRequest:
    told = {"edition": EDITION, "met": 20} | outcome
    return pb.ReportCheckRequest(outcome=pb.CheckOutcome(**told))


async def checks(registry: Any) -> list[pb.ConformanceCheck | None]:
    """Of all versions."""
    listed = await registry.ListBots(pb.ListBotsRequest())
    return [line.check if line.HasField("check") else None for line in listed.versions]


async def test_a_report_is_listed_with_the_version_whose_token_it_bears(
    scene: Scene, registry: Any
) -> None:
    owner = bearing(await scene.key("ann"))
    token, _ = await scene.token("fox", "ann"), await scene.token("hare")
    report = reported(met=13, failed=["drain", "another's fault"], skipped=["tampering"])
    answer = await registry.ReportCheck(report, metadata=bearing(token))
    assert (answer.entrant.bot, answer.entrant.version) == ("fox", "1")
    fox, hare = await checks(registry)
    assert hare is None
    assert fox is not None and fox.outcome == report.outcome
    assert fox.origin == pb.CHECK_ORIGIN_AUTHOR
    assert fox.recorded_ms > 1_700_000_000_000
    asked = OwnerServiceStub(scene.channel).ListOwnBots(ListOwnBotsRequest(), metadata=owner)
    ((version,),) = [bot.versions for bot in (await asked).bots]
    assert "13 of 15 scenarios met; failed: drain, another's fault" in version.check


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"edition": 0}, "`edition` is 1 or more, not 0"),
    ({"met": -1}, "`met` is 0 to 1000, not -1"),
    ({"met": 1001}, "`met` is 0 to 1000, not 1001"),
    ({"met": 0, "skipped": ["drain"]}, "at least one scenario was met or failed"),
    ({"failed": ["drain", "drain"]}, "name at most 50, each once"),
    ({"failed": ["drain"], "skipped": ["drain"]}, "name at most 50, each once"),
    ({"failed": [f"scenario {n}" for n in range(51)]}, "name at most 50, each once"),
    ({"failed": ["<b>bold</b>"]}, "'<b>bold</b>' names no scenario"),
    ({"skipped": [""]}, "'' names no scenario"),
    ({"skipped": ["x" * 41]}, "names no scenario"),
]


async def test_a_report_that_cannot_be_is_refused_and_changes_nothing(
    scene: Scene, registry: Any
) -> None:
    token = await scene.token("fox")
    for outcome, words in IMPOSSIBLE:
        call = registry.ReportCheck(reported(**outcome), metadata=bearing(token))
        code, why = await refused(call)
        assert (code, words in why) == ("INVALID_ARGUMENT", True), outcome
        assert await checks(registry) == [None], outcome


def test_a_page_of_bots_with_the_longest_reports_is_within_what_clients_take() -> None:
    page = pb.ListBotsResponse()
    failed = [f"{number:040d}" for number in range(MOST_NAMED)]
    for _ in range(MOST_LINES):
        line = page.versions.add(house=True, retired=True, matches=2**31 - 1)
        name = "\U00020000" * 40
        line.entrant.bot, line.entrant.owner, line.entrant.version = name, name, "9" * 40
        line.check.outcome.CopyFrom(reported(met=1000, failed=failed).outcome)
        line.check.recorded_ms = 2**62
    assert page.ByteSize() < 4 * 1024 * 1024


async def test_only_a_bot_in_service_reports(scene: Scene, registry: Any) -> None:
    token = await scene.token("fox")
    await scene.arena.store.register("fox", "owner-of-fox", "2")
    await scene.arena.store.retire("fox", "1")
    for shown, code in (
        ("wrong", "UNAUTHENTICATED"),
        ("arena_owner_guessed", "UNAUTHENTICATED"),
        (token, "PERMISSION_DENIED"),
    ):
        call = registry.ReportCheck(reported(), metadata=bearing(shown))
        assert (await refused(call))[0] == code
    assert await checks(registry) == [None, None]
