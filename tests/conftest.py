"""A real Postgres for the tests that ask for one: one server per run, one database per test."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest
from sqlalchemy import make_url

from arena.database.reading import Reader, open_reader
from tests.bot.scribe import Scribe
from tests.budgets import Spent
from tests.compiled_statements import share_compiled_statements
from tests.databases import TEMPLATE, Copies
from tests.fault_proxy import FaultProxy
from tests.left_memory import LeftMemory
from tests.marks import SLOW, mark
from tests.postgres_server import SHARED, migrated_server
from tests.thoroughness import only_quick, tries
from tests.turns import Turns, turns_of_this_run

TURNS = pytest.StashKey[Turns]()
SPENT = pytest.StashKey[Spent]()


def pytest_configure(config: pytest.Config) -> None:
    """Settings of every process that runs tests."""
    # Not for a pytest that a test starts: the two would wait for each other.
    if hasattr(config, "workerinput"):
        config.stash[TURNS] = turns_of_this_run()
    if _whole_run(config):
        a_core = (config.option.numprocesses or 1) / len(os.sched_getaffinity(0))
        config.stash[SPENT] = Spent(a_core=max(1.0, a_core))
        config.pluginmanager.register(Budgets(config), "budgets")
    config.pluginmanager.register(LeftMemory(), "left memory")
    only_quick(_quick(config))
    # Tests press Ctrl-C, which must work where SIGINT was ignored: `nohup make test &`.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Tests start hundreds of programs: each would compile all that it imports again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # The imported libraries are many objects: walks over them took a fifth of the time.
    gc.set_threshold(20_000, 20, 20)
    share_compiled_statements()
    # No deadline: a busy machine is no failure.
    hypothesis.settings.register_profile("arena", deadline=None, max_examples=tries(100, quick=25))
    hypothesis.settings.load_profile("arena")


class Budgets:
    """Counts the time of all tests, and fails CI where a tier of them has outgrown its budget."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._config.stash[SPENT].add(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._lines, within = self._config.stash[SPENT].summary()
        if not within and "CI" in os.environ and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("time of the tests by tier")
        terminalreporter.write_line("\n".join(self._lines))


def _whole_run(config: pytest.Config) -> bool:
    """Return whether all tests run, in the process that collects their reports."""
    options = config.option
    chosen = options.markexpr or options.keyword or options.collectonly
    return not (chosen or hasattr(config, "workerinput")) and config.args == config.getini(
        "testpaths"
    )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """As many processes as cores, and two more with slow tests, which wait half of their time."""
    cores = len(os.sched_getaffinity(0))
    return 0 if config.option.usepdb else cores if _quick(config) else cores + 2


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Waits for the test's turn; that does not count for its timeout."""
    turns = item.config.stash.get(TURNS, None)
    if turns is None:
        return (yield)
    with turns.turn(alone=item.get_closest_marker("alone") is not None):
        return (yield)


def pytest_collection_finish() -> None:
    """Exclude what was imported from every later garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip slow folders in a run of the quick tests, which then need not import them."""
    slow = collection_path in [Path(__file__).parent / folder for folder in SLOW]
    return True if slow and _quick(config) else None


def _quick(config: pytest.Config) -> bool:
    return config.option.markexpr == "not slow"


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Marks tests by their folder before `-m` chooses among them, and orders what was chosen."""
    mark(items, Path(__file__).parent)
    yield
    # First the file that builds the starters, then other slow tests: no process waits for another
    # at the end, nor for another's build. Tests that must run alone are last, and delay no others.
    items.sort(
        key=lambda item: (
            item.get_closest_marker("alone") is not None,
            item.path.parts[-2:] != ("starters", "test_connections.py"),
            item.get_closest_marker("slow") is None,
        )
    )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server for its superuser; its template database is migrated once."""
    if SHARED in os.environ:
        yield os.environ[SHARED]
    else:
        with migrated_server() as url:
            yield url


@pytest.fixture(scope="session")
def copies(postgres_server: str) -> Iterator[Copies]:
    """Makes databases of the tests' own."""
    with Copies.made_on(postgres_server) as made:
        yield made


@pytest.fixture
def empty_database(copies: Copies) -> Iterator[str]:
    """The URL of a database without tables."""
    with copies.of("template1") as url:
        yield url


@pytest.fixture
def database(copies: Copies) -> Iterator[str]:
    """The URL of a migrated database of the test's own."""
    with copies.of(TEMPLATE) as url:
        yield url


@pytest.fixture
def other_database(copies: Copies) -> Iterator[str]:
    """The URL of a second migrated database."""
    with copies.of(TEMPLATE) as url:
        yield url


@pytest.fixture
def proxy(database: str) -> Iterator[FaultProxy]:
    """Stands before the test's database; `behind` is the address that leads through it."""
    sockets = make_url(database).query["host"]
    proxy = FaultProxy(f"{sockets}/.s.PGSQL.5432")
    try:
        yield proxy
    finally:
        proxy.close()


@pytest.fixture
def behind(database: str, proxy: FaultProxy) -> str:
    """The URL of the test's database through the proxy."""
    url = make_url(database).set(host="127.0.0.1", port=proxy.port, query={})
    return url.render_as_string(hide_password=False)


@pytest.fixture
def read(database: str) -> Iterator[Reader]:
    """Reads the test's database as boards and pages do."""
    with open_reader(database) as reader:
        yield reader


@pytest.fixture
def scribes() -> list[Scribe]:
    """A fresh list of the bots that a test makes."""
    Scribe.made = []
    return Scribe.made


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """Only what nothing refers to any more is freed."""
    gc.disable()
    yield
    gc.enable()
