"""Who asks over gRPC or HTTP is told when the database is away; the process itself lives on."""

import asyncio
import re
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import urlopen

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.match.notes import Note
from arena.records import VersionId
from arena.server.app.assembly import running_arena
from arena.server.app.metrics import Metrics, MetricsPortTakenError, metrics_served
from arena.server.app.referee_settings import RefereeSettings
from tests.bots import PATIENCE
from tests.commands.running import beside
from tests.databases import unreachable
from tests.free_port import free_port
from tests.recorded_results import finished
from tests.scene import BLUFF, CALM, Scene, good_pair
from tests.server.play.test_restarts import Silent
from tests.waiting import until

SERVICES = (
    "",
    "arena.v1.ChallengeService",
    "arena.v1.RefereeService",
    "arena.v1.RegistryService",
)


def got(port: int, page: str) -> tuple[int, str]:
    try:
        with urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


async def serving(port: int, service: str) -> bool:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        asked = health_pb2.HealthCheckRequest(service=service)
        answer = await health_pb2_grpc.HealthStub(channel).Check(asked)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def until_ready_is(expected: bool, port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while await serving(port, "") is not expected:  # noqa: ASYNC110  seen from outside
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_referee_without_its_database_is_alive_and_not_ready(database: str) -> None:
    metrics = free_port()
    address = ("127.0.0.1", metrics)
    async with running_arena(
        database, RefereeSettings(table_types=[BLUFF], terms=CALM, metrics_address=address)
    ) as arena:
        assert await asyncio.to_thread(got, metrics, "ready") == (200, "ready\n")

        async def exit_code(*options: str) -> int:
            words = ("--address", f"127.0.0.1:{arena.port}", *options)
            return (await beside("health", *words)).exit_code

        with unreachable(database):
            await until_ready_is(False, arena.port)
            assert [await serving(arena.port, name) for name in SERVICES] == [False] * len(SERVICES)
            assert await asyncio.to_thread(got, metrics, "ready") == (
                503,
                "the database does not answer\n",
            )
            assert (await asyncio.to_thread(got, metrics, "live"))[0] == 200
            assert await exit_code() == 0
            assert await exit_code("--ready") == 1
        await until_ready_is(True, arena.port)
        assert [await serving(arena.port, name) for name in SERVICES] == [True] * len(SERVICES)
        assert await exit_code("--ready") == 0


@pytest.mark.slow
async def test_the_figures_tell_what_was_played(database: str) -> None:
    metrics = free_port()

    def figures() -> dict[str, float]:
        _, text = got(metrics, "metrics")
        assert "# TYPE arena_connections_cut_total counter" in text
        found = re.findall(r"^([^#\s]+) ([0-9.e+-]+)$", text, re.M)
        return {name: float(value) for name, value in found}

    def at_rest() -> bool:
        changing = ("arena_connected_bots", "arena_matches_running", "arena_results_waiting")
        read = figures()
        return not any(read[name] for name in changing)

    settings = RefereeSettings(
        table_types=[BLUFF], terms=CALM, metrics_address=("127.0.0.1", metrics)
    )
    async with running_arena(database, settings) as arena:
        async with good_pair(Scene(arena, database)):
            stranger = Scene(arena, database, tokens={"stranger": "not a token"})
            refused = await stranger.peer("stranger")
            await refused.status()
            await refused.channel.close()
            assert (await asyncio.to_thread(figures))["arena_connected_bots"] == 2
        # One figure is read after the other while matches go on: only at rest are they of one time.
        await asyncio.to_thread(until, at_rest)
        end = await asyncio.to_thread(figures)
    assert end["arena_matches_finished_total"] == end["arena_matches_recorded_total"] >= 3
    assert end["arena_recording_seconds_count"] == end["arena_matches_recorded_total"]
    assert end["arena_decision_seconds_count"] == end["arena_decisions_total"]
    assert end["arena_decisions_total"] > end["arena_matches_finished_total"]
    assert end["arena_send_queue_seconds_count"] > end["arena_matches_finished_total"]
    waited = end["arena_send_queue_seconds_sum"] / end["arena_send_queue_seconds_count"]
    assert 0 < waited < PATIENCE
    assert end["arena_matches_resumed_total"] == 0
    assert end['arena_refusals_total{code="UNAUTHENTICATED"}'] == 1
    assert "arena_results_spooled" in end
    assert 0 <= end["arena_load"] <= 1
    assert end["arena_connections_cut_total"] == 0


@pytest.mark.slow
async def test_matches_that_an_earlier_referee_left_are_counted(database: str) -> None:
    metrics = free_port()
    async with running_arena(database, RefereeSettings(table_types=[BLUFF], terms=CALM)) as arena:
        scene = Scene(arena, database)
        silent = await Silent(
            *[await scene.peer(name, max_matches=1) for name in "ab"]
        ).__aenter__()
    await silent.__aexit__()
    address = ("127.0.0.1", metrics)
    async with running_arena(
        database, RefereeSettings(table_types=[BLUFF], terms=CALM, metrics_address=address)
    ):
        _, text = await asyncio.to_thread(got, metrics, "metrics")
    assert "arena_matches_resumed_total 1.0" in text


@pytest.mark.slow
def test_a_proxy_is_told_at_which_address_bots_reach_it() -> None:
    with metrics_served(Metrics(), lambda: "the database does not answer", "127.0.0.1", 0, 2) as at:
        found = [got(at, f"address/{number}")[0] for number in (1, 2, 3)]
        assert found == [404, 200, 404]
    with metrics_served(Metrics(), lambda: None, "127.0.0.1", 0) as at:
        assert got(at, "address/None")[0] == 404


def test_whoever_asks_for_some_figures_gets_these_alone() -> None:
    with metrics_served(Metrics(), lambda: None, "127.0.0.1", 0) as at:
        for name in ("arena_decision_seconds_bucket", "arena_matches_recorded_total"):
            code, text = got(at, f"metrics?name[]={name}")
            names = {
                line.partition("{")[0].split()[0] for line in text.splitlines() if line[0] != "#"
            }
            assert (code, names) == (200, {name})


def test_a_taken_port_for_metrics_is_a_sentence() -> None:
    with metrics_served(Metrics(), lambda: None, "127.0.0.1", 0) as port:
        assert got(port, "elsewhere")[0] == 404
        with (
            pytest.raises(MetricsPortTakenError, match="ARENA_METRICS_PORT"),
            metrics_served(Metrics(), lambda: None, "127.0.0.1", port),
        ):
            pass


def test_notes_are_counted_by_whether_they_were_cut_off() -> None:
    metrics = Metrics()
    notes = (Note(0, 1, "whole"), Note(0, 3, "cut…"), Note(1, 2, "whole, too"))
    metrics.finished(replace(finished([VersionId(1), VersionId(2)]), notes=notes))
    counted = {
        cut: metrics.registry.get_sample_value("arena_notes_total", {"cut": cut})
        for cut in ("yes", "no")
    }
    assert counted == {"yes": 1, "no": 2}
