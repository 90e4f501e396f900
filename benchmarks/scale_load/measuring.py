"""Commands, the referee's start and the dashboard on a database: seconds and megabytes, one figure
for each run; and what a second process gains in `arena play`."""

import json
import resource
import time
from functools import partial
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from arena.database.reading import open_reader
from arena.processes import processor_seconds
from arena.rating.ladder_id import LadderId
from arena.server.boards import ladder_statements
from arena.server.boards.board import table_sizes
from arena.server.boards.ladder_log import read_checkpoint, registered
from benchmarks.dashboard.serving import Served, served
from benchmarks.dashboard.visiting import follow_link, visit
from benchmarks.memory import resident_mb
from benchmarks.referee_load.stage import arena, referee
from benchmarks.rounds import Figures, Runs, alternate, together
from benchmarks.scale_load.filling import Filled
from tests.chromium import CHROMIUM

MATCHES: Final = 30_000
"""The number of matches that `arena play` plays for a figure."""
BOT: Final = "bot7"
"""The bot whose matches are listed."""
LINKS: Final = 5
"""How often a link is followed; one figure is the median."""


def referee_start(filled: Filled, times: int) -> Runs:
    """Return the seconds until a referee's port is open, and its CPU and memory then."""

    def start() -> Figures:
        began = time.monotonic()
        with referee(filled.url) as (_, process):
            return {
                "port open, s": time.monotonic() - began,
                "its CPU, s": processor_seconds(process.pid),
                "referee, MB": resident_mb(process.pid),
            }

    return together(start() for _ in range(times))


def commands(filled: Filled, times: int) -> Runs:
    """Return the seconds of each command, from its start to its end, and its CPU."""
    words = {
        "arena leaderboard": ["leaderboard", "--seats", str(filled.seats)],
        "matches --bot": ["matches", "--bot", BOT],
    }

    def once() -> Figures:
        found: Figures = {}
        for name, arguments in words.items():
            found[f"{name}, s"], found[f"{name}, CPU s"] = _seconds(filled.url, arguments)
        return found

    return together(once() for _ in range(times))


def dashboard(filled: Filled, times: int) -> Runs:
    """Seconds until the leaderboard is complete, and the server's memory after it.

    First: in a new browser, the first page of a dashboard that was just started. Later, either
    loaded again (in a new tab of the same browser, which starts the whole application again, as the
    empty page of Streamlit beside it does) or by a link within the dashboard, which is how people
    come to most pages and loads nothing again.
    """
    sizes = table_sizes(filled.seats)
    path = f"/leaderboard?seats={sizes[0]}-{sizes[-1]}"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
        served(filled.url, empty=True) as empty,
    ):
        return together(_visits(browser, filled.url, empty, path) for _ in range(times))


def _visits(browser: Browser, url: str, empty: Served, path: str) -> Figures:
    with served(url) as running, browser.new_context() as context:
        first, _ = visit(context, running, path)
        visit(context, empty)
        nothing, _ = visit(context, empty)
        again, _ = visit(context, running, path)
        linked, cpu = follow_link(context, running, path, LINKS)
        return {
            "first page, s": first,
            "later, by a link, s": linked,
            "its CPU, ms": cpu,
            "later, loaded again, s": again,
            "Streamlit's empty page, s": nothing,
            "of it ours, s": again - nothing,
            "dashboard, MB": running.memory_mb(),
        }


def checkpoint(filled: Filled, times: int) -> Runs:
    """The size of the ladder's checkpoint, and the milliseconds of reading it and of the ratings
    with their intervals from it. Empty before the first match."""
    ladder = LadderId.of("bluff", {}, table_sizes(filled.seats))

    def once() -> Figures:
        with open_reader(filled.url) as read:
            (end,) = read(ladder_statements.log_end())
            began = time.monotonic()
            found = read_checkpoint(read, ladder, end.revision)
            ended = time.monotonic()
            if found is None:
                return {}
            board, _ = found
            versions = registered(read, board.aggregate.bots)
            began_rating = time.monotonic()
            board.ladder(versions)
            return {
                "checkpoint in memory, MB": sum(one.nbytes for one in board.arrays().values())
                / 1e6,
                "reading it, ms": 1e3 * (ended - began),
                "rating from it, ms": 1e3 * (time.monotonic() - began_rating),
            }

    return together(once() for _ in range(times))


def matches_a_second(rounds: int) -> dict[int, Runs]:
    """Return the matches a second that `arena play` prints, by its number of processes."""

    def figures(jobs: int) -> Figures:
        words = ("play", "honest", "honest", "--matches", MATCHES, "--seed", "scale", "--json")
        said = arena(*words, "--jobs", jobs)
        return {"matches a second": json.loads(said)["matches_per_second"]}

    return alternate({jobs: partial(figures, jobs) for jobs in (1, 2)}, rounds)


def _seconds(url: str, arguments: list[str]) -> tuple[float, float]:
    """Return the seconds from the start of a command to its end, and its CPU."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    arena(*arguments, url=url)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, cpu
