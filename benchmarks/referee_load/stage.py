"""The setup of a load test: the real referee on a database, registered bots, client processes."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from arena.processes import spawn, stop
from arena.server.app.store import open_store
from benchmarks.rounds import Figures
from tests.free_port import free_port

Serving = tuple[int, subprocess.Popen[bytes]]
"""The port and the process of a server."""


@contextlib.contextmanager
def database() -> Iterator[str]:
    """Yield the URL of a new, migrated database."""
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
    """Return the figures that a client of benchmarks.referee_load prints."""
    with client(*arguments, tokens=tokens) as process:
        answer, _ = process.communicate()
    figures: Figures = json.loads(answer)
    return figures


@contextlib.contextmanager
def client(*arguments: object, tokens: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """Run a client process, given its module and arguments; tokens are written to its input."""
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


def next_line(process: subprocess.Popen[str]) -> str:
    """Wait for the next line that a client prints, and return it."""
    assert process.stdout is not None
    return process.stdout.readline()


@contextlib.contextmanager
def referee(
    url: str, program: str = "arena", open_files: int | None = None, **settings: str
) -> Iterator[Serving]:
    """Run `arena serve` on the database; yield (port, process). `program` is its module,
    `open_files` a hard limit, `settings` are further environment variables."""
    limited = ["bash", "-c", 'ulimit -n "$0"; exec "$@"', str(open_files)] if open_files else []
    words = [*limited, sys.executable, "-m", program, "serve", "--port"]
    with tempfile.TemporaryDirectory() as home:
        given = {"ARENA_HOME": home, "ARENA_DATABASE_URL": url, "ARENA_LOG_LEVEL": "ERROR"}
        with _running(words, given | settings) as at:
            yield at


def bare_server(*words: str) -> contextlib.AbstractContextManager[Serving]:
    """Run a bare gRPC server: `echo serve`, or `bare`, which exchanges a referee's messages."""
    module, *rest = words
    return _running([sys.executable, "-m", f"benchmarks.referee_load.{module}", *rest])


@contextlib.contextmanager
def _running(words: Sequence[str], environment: Mapping[str, str] = {}) -> Iterator[Serving]:
    port = free_port()
    process = spawn([*words, str(port)], env=os.environ | environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield port, process
    finally:
        stop(process)


def arena(*words: object, url: str = "") -> str:
    """Run a command, on the database at `url` if one is given; return what it prints."""
    command = [sys.executable, "-m", "arena", *map(str, words)]
    given = os.environ | ({"ARENA_DATABASE_URL": url} if url else {})
    return subprocess.run(command, env=given, stdout=subprocess.PIPE, text=True, check=True).stdout
