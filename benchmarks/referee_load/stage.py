"""The setup of a load test: the real referee on a database, registered bots, client processes."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from arena.processes import spawn, stop
from arena.server.app.store import open_store
from tests.free_port import free_port

Figures = dict[str, float]


@contextlib.contextmanager
def database() -> Iterator[str]:
    """The URL of a database of its own, migrated."""
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(Path(home) / "postgres") as url:
        migrate(url)
        yield url


async def register(url: str, count: int, name: str, owner: str | None = None) -> list[str]:
    """Register new bots, of one owner or with an owner each; returns their tokens."""
    async with open_store(url) as store:
        return [
            (await store.register(f"{name}{n}", owner or f"{name}-owner{n}"))[1]
            for n in range(count)
        ]


def measure(*arguments: object, tokens: Sequence[str] = ()) -> Figures:
    """The figures that a client of benchmarks.referee_load prints."""
    with client(*arguments, tokens=tokens) as process:
        answer, _ = process.communicate()
    figures: Figures = json.loads(answer)
    return figures


@contextlib.contextmanager
def client(*arguments: object, tokens: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """A client process, given its module and arguments; tokens are written to its input."""
    module, *rest = map(str, arguments)
    with subprocess.Popen(
        [sys.executable, "-m", f"benchmarks.referee_load.{module}", *rest],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("\n".join(tokens))
        process.stdin.close()
        process.stdin = None
        yield process


@contextlib.contextmanager
def referee(
    url: str, program: str = "arena", open_files: int | None = None, **settings: str
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A running `arena serve` on the database, as (port, process); `program` is its module,
    `open_files` a hard limit, `settings` are further ones by name."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        environment = (
            os.environ
            | {
                "ARENA_HOME": home,
                "ARENA_DATABASE_URL": url,
                "ARENA_LOG_LEVEL": "ERROR",
            }
            | settings
        )
        limited = ["bash", "-c", 'ulimit -n "$0"; exec "$@"', str(open_files)] if open_files else []
        process = spawn(
            [*limited, sys.executable, "-m", program, "serve", "--port", str(port)],
            env=environment,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield port, process
        finally:
            stop(process)


def echo_server() -> contextlib.AbstractContextManager[tuple[int, subprocess.Popen[bytes]]]:
    """A bare gRPC server that echoes, as (port, process)."""
    return _server("echo", "serve")


def bare_server() -> contextlib.AbstractContextManager[tuple[int, subprocess.Popen[bytes]]]:
    """A bare gRPC server that exchanges a referee's messages, as (port, process)."""
    return _server("bare")


@contextlib.contextmanager
def _server(module: str, *arguments: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    port = free_port()
    server = spawn(
        [sys.executable, "-m", f"benchmarks.referee_load.{module}", *arguments, str(port)],
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    server.stdout.readline()
    try:
        yield port, server
    finally:
        stop(server)
