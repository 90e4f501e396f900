"""The environment of child processes."""

import sys

import pytest

from arena.isolation import bypass_proxies
from arena.processes import (
    PIPE,
    forget_libpq_variables,
    own_environment,
    program_environment,
    spawn,
    spawn_program,
)

LIBPQ = (
    *("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGSERVICEFILE", "PGPASSFILE", "PGSSLMODE"),
    *("PGTZ", "PGOPTIONS", "PGDATESTYLE", "PGGEQO", "PGUSER", "PGPASSWORD", "PGDATA"),
)


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*LIBPQ, "STREAMLIT_SERVER_PORT", "PYTHONPATH", "ARENA_DATABASE_URL"):
        monkeypatch.setenv(name, "somewhere")
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:3128")


@pytest.mark.usefixtures("surroundings")
def test_a_users_program_gets_no_variables_of_databases_and_pages_and_no_secrets() -> None:
    found = program_environment({"ARENA_TOKEN": "its own"})
    assert not {*LIBPQ, "STREAMLIT_SERVER_PORT", "ARENA_DATABASE_URL"} & set(found)
    assert found["PYTHONPATH"] == "somewhere"
    assert found["ARENA_TOKEN"] == "its own"
    assert found["PATH"]


@pytest.mark.usefixtures("surroundings")
def test_a_program_of_ours_gets_no_variables_of_python_and_pages() -> None:
    found = own_environment()
    assert not {"STREAMLIT_SERVER_PORT", "PYTHONPATH"} & set(found)
    # An operator's own database may need them.
    assert found["PGSSLMODE"] == found["ARENA_DATABASE_URL"] == "somewhere"


@pytest.mark.usefixtures("surroundings")
def test_variables_of_libpq_are_forgotten_where_the_built_in_database_is_used() -> None:
    forget_libpq_variables()
    assert not set(LIBPQ) & set(own_environment())


@pytest.mark.usefixtures("surroundings")
def test_no_child_asks_a_proxy_for_this_machine() -> None:
    script = "import os; print(os.environ['no_proxy'], os.environ['NO_PROXY'])"
    for start in (spawn, spawn_program):
        said = start([sys.executable, "-c", script], stdout=PIPE).communicate()[0]
        assert said.decode().split() == ["localhost,127.0.0.1,::1"] * 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({"no_proxy": "corp.example"}, {"no_proxy": "corp.example"}),
        (
            {"HTTPS_PROXY": "http://p", "NO_PROXY": "corp.example"},
            dict.fromkeys(("no_proxy", "NO_PROXY"), "corp.example,localhost,127.0.0.1,::1"),
        ),
        (
            {"all_proxy": "p", "no_proxy": "*"},  # which gRPC does not know
            {"no_proxy": "*", "NO_PROXY": "*", "no_grpc_proxy": "localhost,127.0.0.1,::1"},
        ),
        (
            {"grpc_proxy": "p", "no_grpc_proxy": "a, ::1"},
            dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1")
            | {"no_grpc_proxy": "a,::1,localhost,127.0.0.1"},
        ),
    ],
)
def test_this_machine_is_exempted_from_proxies_where_there_are_any(
    before: dict[str, str], after: dict[str, str]
) -> None:
    environment = dict(before)
    bypass_proxies(environment)
    bypass_proxies(environment)
    assert environment == before | after
