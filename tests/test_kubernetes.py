"""deploy/kubernetes/arena.yaml: about settings, commands and ports that exist, and applied as its
first lines say. `make check-kubernetes` compares it with Kubernetes' own schemas."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.deployed import require_command, require_settings

FILE = Path(__file__).parents[1] / "deploy/kubernetes/arena.yaml"


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    return list(YAML(typ="safe", pure=True).load_all(FILE))


@pytest.fixture
def pods(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in manifests if "template" in one["spec"]]


@pytest.fixture
def containers(pods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [container for pod in pods for container in pod["containers"]]


def test_every_pod_runs_without_rights_that_it_does_not_need(pods: list[dict[str, Any]]) -> None:
    for pod in pods:
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["resources"]["limits"]["memory"]


def test_every_pod_may_write_to_bounded_volumes_at_its_home_and_tmp(
    pods: list[dict[str, Any]],
) -> None:
    for pod in pods:
        bounded = {one["name"] for one in pod["volumes"] if one["emptyDir"]["sizeLimit"]}
        for container in pod["containers"]:
            mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
            assert set(mounts) == {"/var/lib/arena", "/tmp"}
            assert set(mounts.values()) == bounded


def test_every_container_runs_a_command_of_arena(containers: list[dict[str, Any]]) -> None:
    assert [one["args"][0] for one in containers] == ["migrate", "serve", "dashboard"]
    for container in containers:
        require_command(container["args"])


def test_every_variable_is_a_setting_or_is_used_by_one(containers: list[dict[str, Any]]) -> None:
    for container in containers:
        names = [one["name"] for one in container["env"]]
        require_settings(names)
        values = " ".join(one.get("value", "") for one in container["env"])
        assert set(re.findall(r"\$\((\w+)\)", values)) == {
            name for name in names if not name.startswith("ARENA_")
        }


def test_what_the_secret_must_hold_is_said_in_the_first_lines(
    containers: list[dict[str, Any]],
) -> None:
    keys = {
        one["valueFrom"]["secretKeyRef"]["key"]
        for container in containers
        for one in container["env"]
        if "secretKeyRef" in one.get("valueFrom", {})
    }
    assert keys == set(re.findall(r"--from-literal=([\w-]+)=", FILE.read_text()))


def test_ports_that_are_named_are_those_that_the_settings_say(
    containers: list[dict[str, Any]],
) -> None:
    referee = containers[1]
    ports = {one["name"]: one for one in referee["ports"]}
    settings = {one["name"]: one.get("value") for one in referee["env"]}
    assert settings["ARENA_METRICS_PORT"] == str(ports["metrics"]["containerPort"])
    assert settings["ARENA_PUBLIC_ADDRESS"] == f"$(NODE):{ports['bots']['hostPort']}"


def test_authors_are_shown_the_address_of_a_node_on_which_a_referee_runs(
    manifests: list[dict[str, Any]], containers: list[dict[str, Any]]
) -> None:
    referee, dashboard = containers[1:]
    (port,) = [one["hostPort"] for one in referee["ports"] if one["name"] == "bots"]
    (shown,) = [one["value"] for one in dashboard["env"] if one["name"] == "ARENA_PUBLIC_ADDRESS"]
    assert shown == f"$(NODE):{port}"
    pods = {
        one["metadata"]["name"]: one["spec"]["template"]
        for one in manifests
        if one["kind"] == "Deployment"
    }
    beside = pods["dashboard"]["spec"]["affinity"]["podAffinity"]
    (rule,) = beside["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["topologyKey"] == "kubernetes.io/hostname"
    assert rule["labelSelector"]["matchLabels"] == pods["referee"]["metadata"]["labels"]


def test_a_job_is_removed_before_it_is_applied_again(manifests: list[dict[str, Any]]) -> None:
    # Its template cannot be changed: with another image `kubectl apply` would be refused.
    head = FILE.read_text().split("apiVersion:")[0]
    for one in manifests:
        if one["kind"] == "Job":
            delete = f"kubectl delete job {one['metadata']['name']} --ignore-not-found"
            assert head.index(delete) < head.index("kubectl apply")


def test_the_dashboard_alone_has_the_address_of_the_reader(
    containers: list[dict[str, Any]],
) -> None:
    keys = {
        container["name"]: one["valueFrom"]["secretKeyRef"]["key"]
        for container in containers
        for one in container["env"]
        if one["name"] == "ARENA_DATABASE_URL"
    }
    url = "database-url"
    assert keys == {"migrate": url, "referee": url, "dashboard": f"reader-{url}"}
    head = FILE.read_text().split("apiVersion:")[0]
    assert "--from-literal=reader-database-url=postgresql://arena_reader:" in head
