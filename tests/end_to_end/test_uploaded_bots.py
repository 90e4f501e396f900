"""Bots that are uploaded, and that the arena runs: from the upload to recorded matches."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.end_to_end.conftest import new_home
from tests.end_to_end.programs import Program
from tests.end_to_end.test_hosted_bots import PLAYS, Author, arena_in

pytestmark = pytest.mark.timeout(600)

ESCAPES = """
import os, socket, time
from arena.bot import Bot

def attempt(name, call):
    try:
        call()
        print(name, "SUCCEEDED")
    except OSError as error:
        print(name, "failed:", error.strerror)

class Escapes(Bot):
    def match_started(self, match):
        attempt("the arena's home", lambda: os.listdir({home!r}))
        attempt("the users", lambda: open("/etc/passwd"))
        attempt("the referee's port", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
        attempt("its own file", lambda: open(__file__, "a"))
        attempt("the arena", lambda: os.kill({process}, 0))

    def act(self, turn):
        if os.environ["ARENA_TOKEN"].startswith("arena_shift_"):
            time.sleep(0.05)
        return next(turn.choices())
"""
TRIES = ("the arena's home", "the users", "the referee's port", "its own file", "the arena")
HOGS = """
from arena.bot import Bot

print("I take what is there", flush=True)
kept = []
while True:
    kept.append(bytearray(b"x") * (1 << 20))
"""
BREAKS = """
from arena.bot import Bot

class Breaks(Bot):
    def act(self, turn):
        raise RuntimeError("no table of mine")
"""

_NUMBERS = count(1)


def new(name: str) -> str:
    """A name that a shared arena has not heard; in CI a second try follows on the same arena."""
    return f"{name}-{next(_NUMBERS)}"


@pytest.fixture(scope="module")
def shared_home() -> Iterator[Path]:
    """The home of an arena for several tests."""
    with new_home() as found:
        yield found


@pytest.fixture(scope="module")
def shared(shared_home: Path) -> Iterator[tuple[Program, str]]:
    """An arena for the tests that only upload, and its address."""
    with arena_in(shared_home) as found:
        yield found


@pytest.fixture
def author(shared: tuple[Program, str], shared_home: Path) -> Author:
    """Somebody who has signed up at the shared arena."""
    name = new("author")
    author = Author(shared_home.parent / name, shared[1])
    author.signs_up(name)
    return author


def test_an_uploaded_bot_is_checked_and_plays_and_its_author_sees_what_it_printed(
    author: Author,
) -> None:
    mine = new("mine")
    submitted = author.asks_json("submit", author.file("plays.py", PLAYS), "--name", mine)
    assert (submitted["bot"], submitted["state"]) == (mine, "accepted")
    assert author.matches(mine) > 0
    (build,) = author.asks_json("bot", "builds", mine)
    assert build["sha256"] == submitted["sha256"]
    match_id = author.until(lambda: _printed_in_a_match(author, mine))
    logged = author.asks_json("bot", "logs", mine, "--match", match_id)
    assert logged["log"] == author.printed(mine, match_id)


def _printed_in_a_match(author: Author, bot: str) -> str:
    """A match whose own line is in its log; "" while there is none.

    On a busy machine a line reaches the worker late, and may then be in the log of no match.
    """
    found = ""
    over = [one for one in author.shifts(bot) if one.ended_at is not None and not one.check]
    for shift in over[:1]:
        for match_id in shift.match_ids[::20]:
            printed = author.printed(bot, match_id)
            assert printed in shift.log
            if f"begins: {match_id}" in printed:
                found = match_id
    return found


def test_an_uploaded_bot_that_cannot_play_is_refused_with_the_reason(
    author: Author,
) -> None:
    file = author.file("breaks.py", BREAKS)
    said = author.asks("submit", file, "--name", new("breaks"), code=1)
    assert "Refused." in said
    assert "no table of mine" in said


def test_an_uploaded_bot_that_tries_to_escape_plays_and_its_author_reads_that_it_failed(
    shared_home: Path, shared: tuple[Program, str], author: Author
) -> None:
    port = int(author.address.rpartition(":")[2])
    arena, escapes = shared[0].process.pid, new("escapes")
    text = ESCAPES.format(home=str(shared_home), port=port, process=arena)
    submitted = author.asks_json("submit", author.file("escapes.py", text), "--name", escapes)
    assert submitted["state"] == "accepted"
    log = author.asks("bot", "logs", escapes)
    for name in TRIES:
        assert f"{name} failed: " in log, log
    assert "SUCCEEDED" not in log


def test_an_uploaded_bot_that_takes_all_memory_is_refused_and_others_play_on(
    shared: tuple[Program, str], author: Author
) -> None:
    file, plays = author.file("hogs.py", HOGS), new("plays")
    said = author.asks("submit", file, "--name", new("hogs"), code=1)
    assert "Refused." in said
    assert "It used more than 512 MiB of memory." in said, said
    assert "I take what is there" in said
    author.asks("submit", author.file("plays.py", PLAYS), "--name", plays)
    assert author.matches(plays) > 0
    (version,) = author.asks_json("bot", "show", plays)["versions"]
    assert version["faults"] == 0
    assert shared[0].process.poll() is None
