"""Runs tests on mutants, one mutant at a time per copy of the project.

Libraries that are slow to import are imported once, and every mutant is tried in a fork of this
process. The project itself must not be imported here: the fork imports its own copy.
"""

import compileall
import enum
import importlib
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path

import pytest

from tools.mutation.mutants import Mutant

_PRELOADED = (
    *("alembic.command", "alembic.config", "choix", "google.protobuf.message", "grpc.aio"),
    *("hypothesis", "networkx", "numpy", "openskill", "psycopg", "pydantic_settings"),
    *("pytest_asyncio", "rich", "scipy.optimize", "scipy.stats", "sqlalchemy.ext.asyncio"),
    *("structlog.testing", "typer.testing", "uvloop", "zstandard"),
)
_SLOWER = 5
"""A test that takes this many times its usual time counts as stuck."""
_START_SECONDS = 60.0
_FIRST = 12
_DATABASE = "arena/database/"
_SHARED = "ARENA_TESTS_POSTGRES"  # of tests/postgres_server.py


class Outcome(enum.StrEnum):
    """The outcome of a mutant's trial."""

    KILLED = enum.auto()
    TIMED_OUT = "timed out"
    SURVIVED = enum.auto()


@dataclass(frozen=True)
class Trial:
    """A mutant and its outcome."""

    mutant: Mutant
    outcome: Outcome
    seconds: float
    tests: int
    """The number of tests selected for it."""
    failed: str
    """The id of the test that failed; empty if none did, or none by name."""


@contextmanager
def copy_of_project(root: Path) -> Iterator[Path]:
    """A copy of all files that git tracks or would add; removed afterwards."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    home = Path(tempfile.mkdtemp(prefix="mutants-"))
    home.chmod(0o755)  # a test's Postgres may run as nobody
    try:
        for name in filter(None, listed.stdout.split("\0")):
            if (root / name).is_file():
                (home / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, home / "tree" / name)
        home.joinpath("tmp").mkdir()
        compileall.compile_dir(home / "tree", quiet=1)
        yield home / "tree"
    finally:
        shutil.rmtree(home, ignore_errors=True)


@dataclass(frozen=True)
class _Running:
    mutant: Mutant
    tree: Path
    tests: Sequence[str]
    began: float
    deadline: float
    process: multiprocessing.process.BaseProcess
    source: str
    modified: int


def try_all(
    mutants: Iterable[Mutant],
    trees: Iterable[Path],
    tests_for: Callable[[Mutant], tuple[Sequence[str], float]],
) -> Generator[Trial]:
    """Try mutants, one at a time in each copy of the project; each until a test fails.

    `tests_for` returns the tests for a mutant and the seconds that they take without it.
    """
    for name in _PRELOADED:
        importlib.import_module(name)
    assert "arena" not in sys.modules, "a fork must import its own"
    waiting, free = iter(mutants), list(trees)
    running: list[_Running] = []
    with ExitStack() as stack:
        servers = {tree: stack.enter_context(_database_server(tree)) for tree in free}
        try:
            while True:
                while free and (mutant := next(waiting, None)) is not None:
                    tree = free.pop()
                    running.append(_start(mutant, tree, servers[tree], *tests_for(mutant)))
                if not running:
                    return
                patience = min(one.deadline for one in running) - time.monotonic()
                connection.wait([one.process.sentinel for one in running], max(0, patience))
                for one in list(running):
                    if not one.process.is_alive() or time.monotonic() > one.deadline:
                        running.remove(one)
                        free.append(one.tree)
                        yield _ended(one)
        finally:
            for one in running:
                _ended(one)


@contextmanager
def _database_server(tree: Path) -> Iterator[str]:
    """The URL of a Postgres server that one trial after the other uses."""
    command = [sys.executable, "-m", "tests.postgres_server"]
    with subprocess.Popen(
        command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()


def _start(
    mutant: Mutant, tree: Path, server: str, tests: Sequence[str], seconds: float
) -> _Running:
    path = tree / mutant.path
    source, modified = path.read_text(), path.stat().st_mtime_ns
    path.write_text(mutant.applied(source))
    fork = multiprocessing.get_context("fork")
    # A mutant of the code that starts or migrates a server needs a server of its own.
    environment = {} if mutant.path.startswith(_DATABASE) else {_SHARED: server}
    process = fork.Process(target=_run, args=(tree, environment, tests, seconds))
    process.start()
    began = time.monotonic()
    deadline = began + _START_SECONDS + _SLOWER * seconds
    return _Running(mutant, tree, tests, began, deadline, process, source, modified)


def _run(tree: Path, environment: dict[str, str], tests: Sequence[str], seconds: float) -> None:
    """In the fork: run the tests, and end with the exit code of pytest."""
    os.setsid()
    os.chdir(tree)
    for stream in (1, 2):
        os.dup2(os.open(tree.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    # CI makes hypothesis try the same examples for every mutant. No bytecode is written, because
    # a mutant of the same size in the same second would load the bytecode of the previous one.
    os.environ |= {"PYTHONPATH": str(tree), "TMPDIR": str(tree.parent / "tmp"), "CI": "true"}
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1"} | environment
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(tree))
    # The first few tests kill most mutants, so the other test modules are imported only if needed.
    code = _pytest(tests[:_FIRST], seconds) or _pytest(tests[_FIRST:], seconds)
    sys.exit(code)


def _pytest(tests: Sequence[str], seconds: float) -> int:
    if not tests:
        return 0
    options = ["-x", "-q", "-n0", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    options += ["-o", f"timeout={20 + _SLOWER * seconds:.0f}"]
    code = pytest.main([*options, *tests])
    if code == pytest.ExitCode.USAGE_ERROR:  # a mutant can change how a case of a test is called
        code = pytest.main([*options, *dict.fromkeys(test.partition("[")[0] for test in tests)])
    return code


def _ended(one: _Running) -> Trial:
    """Restore the source, and kill the processes that the tests have started."""
    outcome, failed = Outcome.TIMED_OUT, None
    if not one.process.is_alive():
        outcome = Outcome.KILLED if one.process.exitcode else Outcome.SURVIVED
        output = (one.tree.parent / "output").read_text(errors="replace")
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    assert one.process.pid is not None
    with suppress(ProcessLookupError):
        os.killpg(one.process.pid, signal.SIGKILL)
    one.process.join()
    path = one.tree / one.mutant.path
    path.write_text(one.source)
    os.utime(path, ns=(one.modified, one.modified))  # its bytecode is valid again
    seconds = time.monotonic() - one.began
    return Trial(one.mutant, outcome, seconds, len(one.tests), failed[1] if failed else "")
