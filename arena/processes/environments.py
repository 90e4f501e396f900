"""Environments of child processes: for programs of ours, and for programs of users."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from arena.isolation import bypass_proxies

_LIBPQ = re.compile(r"PG[A-Z0-9]+")
"""The variables that libpq, and the server, read: PGHOSTADDR, PGSERVICE, PGTZ, …"""
_OF_PYTHON = frozenset({"PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONSAFEPATH"})
"""The variables that change which modules an interpreter finds, or what it runs in addition.
`module_command` sets the search path of our modules.
"""
_SECRETS = frozenset(
    {
        "ARENA_DATABASE_URL",
        "ARENA_DASHBOARD_SECRET",
        "ARENA_OIDC_CLIENT_SECRET",
        "ARENA_PERSON_TOKEN",
        "ARENA_WORKER_TOKEN",
    }
)
"""Variables of an operator's environment that no bot needs."""


def own_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a program of ours: this process's environment with `changes`.

    Variables that configure Streamlit or Python are left out. Those of libpq are kept, unless
    `forget_libpq_variables` was called, because an operator's own database may need them.
    """
    return _changed(
        {name: value for name, value in os.environ.items() if not _configures(name)}, changes
    )


def program_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a user's program: this process's environment with `changes`.

    The variables of libpq and Streamlit, and an operator's secrets, are left out.
    """
    plain = {
        name: value
        for name, value in os.environ.items()
        if not _LIBPQ.fullmatch(name) and not _of_streamlit(name) and name not in _SECRETS
    }
    return _changed(plain, changes)


def _changed(environment: dict[str, str], changes: Mapping[str, str] | None) -> dict[str, str]:
    environment |= changes or {}
    bypass_proxies(environment)
    return environment


def _configures(name: str) -> bool:
    return name in _OF_PYTHON or _of_streamlit(name)


def _of_streamlit(name: str) -> bool:
    return name.upper().startswith("STREAMLIT_")


def forget_libpq_variables() -> None:
    """Remove libpq's variables from this process's environment.

    This is for processes that use the built-in database: the variables would fill in parameters
    that its address leaves open.
    """
    for name in filter(_LIBPQ.fullmatch, list(os.environ)):
        del os.environ[name]


@contextmanager
def changed_variables(variables: Mapping[str, str | None]) -> Iterator[None]:
    """Set variables of this process's environment while the context lasts; None removes one."""
    before = {name: os.environ.get(name) for name in variables}
    set_variables(variables)
    try:
        yield
    finally:
        set_variables(before)


def set_variables(variables: Mapping[str, str | None]) -> None:
    """Set variables of this process's environment; None removes one."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
