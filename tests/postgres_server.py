"""A Postgres server for tests, with a template database that is migrated once.

    python -m tests.postgres_server

prints the URL of such a server, which runs until the standard input ends; with that URL in the
environment as ARENA_TESTS_POSTGRES, consecutive runs of tests share it.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from tests.databases import TEMPLATE, administrator, execute, let_everybody_in, named

SHARED: Final = "ARENA_TESTS_POSTGRES"


@contextmanager
def migrated_server() -> Iterator[str]:
    """Run a server, and return its URL for its superuser."""
    # Not under pytest's own directory, which only root may enter: where user namespaces are denied
    # the server runs as nobody.
    home = Path(tempfile.mkdtemp(prefix="arena-tests-", dir=_memory()))
    home.chmod(0o711)
    try:
        with EmbeddedPostgres(home / "postgres", durable=False) as url:
            let_everybody_in(home / "postgres", url)
            execute(administrator(url), f"CREATE DATABASE {TEMPLATE} OWNER arena")
            migrate(named(url, TEMPLATE))
            yield administrator(url)
    finally:
        shutil.rmtree(home)


def _memory() -> Path | None:
    """A directory kept in memory, if there is room for the server: a copy of the template takes
    20 times as long on a slow disk."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK)
    return memory if roomy and shutil.disk_usage(memory).free > 2**31 else None


if __name__ == "__main__":
    with migrated_server() as made:
        print(made, flush=True)
        sys.stdin.read()
