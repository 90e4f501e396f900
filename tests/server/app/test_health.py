"""What tools ask a server: is it well, and what does it serve?"""

import json

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from tests.commands.running import beside
from tests.scene import Scene
from tests.service_calls import refused


async def test_it_says_that_it_is_well_as_a_whole_and_by_service(scene: Scene) -> None:
    stub = health_pb2_grpc.HealthStub(scene.channel)
    for service in ("", "arena.v1.RefereeService", "arena.v1.RegistryService"):
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_watching_its_health_is_refused(scene: Scene) -> None:
    stub = health_pb2_grpc.HealthStub(scene.channel)
    code, why = await refused(stub.Watch(health_pb2.HealthCheckRequest()).read())
    assert (code, "Check instead of Watch" in why) == ("UNIMPLEMENTED", True)


async def test_it_tells_its_services_and_their_messages(scene: Scene) -> None:
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="arena.v1.PlayRequest"),
    ]
    stub = reflection_pb2_grpc.ServerReflectionStub(scene.channel)
    services, file = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]
    names = {service.name for service in services.list_services_response.service}
    assert {"arena.v1.RefereeService", "arena.v1.RegistryService", "grpc.health.v1.Health"} <= names
    assert file.file_descriptor_response.file_descriptor_proto


async def test_the_command_asks_the_referee_that_bots_of_this_environment_play_with(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
    answer = await beside("health")
    assert (answer.exit_code, answer.output) == (0, f"127.0.0.1:{scene.port}: SERVING\n")
    ready = await beside("health", "--ready")
    assert ready.exit_code == 0
    monkeypatch.setenv("ARENA_ADDRESS", "nowhere")
    assert (await beside("health")).exit_code == 2


async def test_the_command_asks_all_referees_on_the_database(
    database: str, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    monkeypatch.setenv("ARENA_ADDRESS", "nowhere")
    not_asked = "a referee without an address of its own: not asked\n"
    answer = await beside("health", "--all")
    assert (answer.exit_code, answer.output) == (0, not_asked)
    answer = await beside("health", "--all", "--json")
    why = "it has no address of its own"
    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {
        "well": True,
        "referees": [{"address": None, "status": None, "why": why}],
    }
    own = f"127.0.0.1:{scene.port}"
    await scene.arena.store.lease.announce(own)
    async with running_arena(
        database, RefereeSettings(public_addresses=lambda port: [f"127.0.0.1:{port}"])
    ) as second:
        other = f"127.0.0.1:{second.port}"
        answer = await beside("health", "--all", "--ready")
        assert answer.output == f"{own}: SERVING\n{other}: SERVING\n"
        await scene.arena.store.lease.announce("127.0.0.1:1")
        answer = await beside("health", "--all")
        assert answer.exit_code == 1
        assert f"{other}: SERVING\n" in answer.output
        answer = await beside("health", "--all", "--json")
    assert answer.exit_code == 1
    found = json.loads(answer.stdout)
    silent, serving = found["referees"]
    assert not found["well"]
    assert (silent["address"], silent["status"]) == ("127.0.0.1:1", None)
    assert silent["why"].startswith("UNAVAILABLE. The referee at 127.0.0.1:1 ")
    assert serving == {"address": other, "status": "SERVING", "why": ""}
