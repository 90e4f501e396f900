"""Environments of child processes: for programs of ours, and for programs of users."""

import os
import re
from collections.abc import Mapping

from arena.isolation import bypass_proxies

_LIBPQ = re.compile(r"PG[A-Z0-9]+")
"""Whatever libpq, and the server, read by such a name: PGHOSTADDR, PGSERVICE, PGTZ, …"""
_OF_PYTHON = frozenset({"PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONSAFEPATH"})
"""Variables that change which modules an interpreter finds, or what it does besides. Where modules
of ours are looked for, `module_command` says."""
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
    """Return the environment for a program of ours.

    That of this process with `changes`, without what configures Streamlit or Python.

    The variables of libpq are in it, unless `forget_libpq_variables` was called: an operator's own
    database may need them.
    """
    return _changed(
        {name: value for name, value in os.environ.items() if not _configures(name)}, changes
    )


def program_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a user's program.

    That of this process with `changes`, without variables of libpq and Streamlit, and without an
    operator's secrets.
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

    For processes that use the built-in database: whatever its address leaves open, the variables
    would fill in.
    """
    for name in filter(_LIBPQ.fullmatch, list(os.environ)):
        del os.environ[name]
