"""Hosted bots when a worker, or the whole arena, ends."""

import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.builds.hosted import HostedBuild, HostedShift
from arena.clients.owner_client import OwnerClient, VersionSeen
from arena.clients.upload_client import UploadClient
from tests.end_to_end.programs import PATIENCE, SHORT_MATCHES, Program, program
from tests.free_port import free_port
from tests.waiting import T, until

pytestmark = pytest.mark.timeout(600)

UP = ("up", "--no-dashboard", *SHORT_MATCHES)
SHIFT_SECONDS = 10
# In shifts it plays as long as the arena runs: at full speed the processors would have no time for
# other tests.
PLAYS = """
import os, time
from arena.bot import Bot

class Plays(Bot):
    def match_started(self, match):
        print("a match begins:", match.match_id)

    def act(self, turn):
        if os.environ["ARENA_TOKEN"].startswith("arena_shift_"):
            time.sleep(0.05)
        return next(turn.choices())
"""
SLOW_IN_SHIFTS = """
import os, time
from arena.bot import Bot

class Slow(Bot):
    def act(self, turn):
        if os.environ["ARENA_TOKEN"].startswith("arena_shift_"):
            time.sleep(1.5)
        return next(turn.choices())
"""


class Author:
    """Somebody with bots, on a machine without an arena."""

    def __init__(self, home: Path, address: str) -> None:
        self._home, self.address = home, address
        self._owners = OwnerClient.at(address, {})
        self._uploads = UploadClient.at(address, {})
        self._key = ""
        home.mkdir()

    def signs_up(self, name: str) -> None:
        """Become an owner."""
        self._key = self.asks_json("signup", name)["key"]

    def until(self, condition: Callable[[], T]) -> T:
        """Wait for what a call says; a command would take a second of a core each time."""
        return until(condition, 3 * PATIENCE, pause=0.2)

    def asks(self, *arguments: str, code: int = 0) -> str:
        """What a command says on stdout; its complaints are in the message if it fails."""
        with program(self._home, *arguments, ARENA_ADDRESS=self.address) as command:
            assert command.process.wait(3 * PATIENCE) == code, command.complained
            return command.said + (command.complained if code else "")

    def asks_json(self, *arguments: str) -> Any:
        return json.loads(self.asks(*arguments, "--json"))

    def file(self, name: str, text: str) -> str:
        file = self._home / name
        file.write_text(text)
        return str(file)

    def versions(self, bot: str) -> Sequence[VersionSeen]:
        """Return the versions of a bot, newest first."""
        return self._owners.bot(self._key, bot).versions

    def matches(self, bot: str) -> int:
        """How many matches of a bot are recorded."""
        return sum(one.matches for one in self.versions(bot))

    def build(self, bot: str) -> HostedBuild:
        """Return the newest upload of a bot."""
        return self._uploads.builds(self._key, bot)[0]

    def shifts(self, bot: str) -> Sequence[HostedShift]:
        """Return the last shifts of the newest upload of a bot, newest first."""
        return self._uploads.shifts(self._key, bot)

    def printed(self, bot: str, match_id: str) -> str:
        """Return the log of a bot for one match, once the shift is over."""
        return self._uploads.match_log(self._key, bot, match_id).log


@contextmanager
def arena_in(home: Path, shift_seconds: int = SHIFT_SECONDS) -> Iterator[tuple[Program, str]]:
    """A whole arena with its own worker, and its address."""
    port = str(free_port())
    shifts = {"ARENA_SHIFT_SECONDS": str(shift_seconds)}
    with program(home, *UP, "--port", port, **shifts) as up:
        up.wait_for("Ctrl-C stops everything")
        if not any(" arena work" in one for one in up.running()):
            assert not os.environ.get("CI"), f"CI must be able to confine programs: {up.complained}"
            pytest.skip(f"nothing can be confined here: {up.complained}")
        yield up, f"127.0.0.1:{port}"
        assert up.stop() == 0
        assert "Traceback" not in up.complained


@pytest.fixture
def up(home: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Program, Author]]:
    """An arena of the test's own, and an author who has signed up."""
    with arena_in(home, getattr(request, "param", SHIFT_SECONDS)) as (arena, address):
        author = Author(home.parent / "author", address)
        author.signs_up("Ann")
        yield arena, author


def test_when_a_worker_is_killed_its_bots_play_on_with_the_next(
    home: Path, up: tuple[Program, Author]
) -> None:
    arena, author = up
    author.asks("submit", author.file("plays.py", PLAYS), "--name", "mine")
    for process in Path("/proc").glob("[0-9]*"):
        if _is_worker(process, home):
            os.kill(int(process.name), signal.SIGKILL)
    until(lambda: "worker ended with code -9" in arena.said + arena.complained)
    # Not `program`, which makes sure at its end that nothing of this home runs any more.
    added = Program(home, "worker", "add", "second")
    assert added.ended() == 0
    before, token = author.matches("mine"), added.said.split()[-1]
    environment = {"ARENA_WORKER_TOKEN": token, "ARENA_ADDRESS": author.address}
    second = Program(home, "work", **environment)
    second.wait_for("Running hosted bots")
    # The queue waits some time for a sign of life.
    author.until(lambda: author.matches("mine") > before)
    assert second.stop() == 0


def test_hosted_bots_play_their_matches_to_the_end_before_the_arena_stops(
    home: Path, up: tuple[Program, Author]
) -> None:
    arena, author = up
    author.asks("submit", author.file("plays.py", PLAYS), "--name", "mine")
    author.until(lambda: author.build("mine").running)
    assert arena.stop() == 0
    port = author.address.rpartition(":")[2]
    with program(home, *UP, "--port", port) as again:
        again.wait_for("Ctrl-C stops everything")
        last = author.asks_json("bot", "logs", "mine", "--limit", "10")
        outcomes = [one["outcome"] for one in last if not one["check"] and one["ended"]]
        assert set(outcomes) == {"It played its shift."}
        assert again.stop() == 0


@pytest.mark.parametrize("up", [120], indirect=True)  # it must not be over by itself
def test_ctrl_c_pressed_again_waits_for_no_hosted_bot_and_the_next_start_ends_its_shift(
    home: Path, up: tuple[Program, Author]
) -> None:
    arena, author = up
    file = author.file("slow.py", SLOW_IN_SHIFTS)
    author.asks("submit", file, "--name", "slow", "--no-wait")
    author.until(lambda: author.versions("slow")[0].playing > 0)
    arena.process.send_signal(signal.SIGINT)
    arena.wait_for("Ctrl-C again stops at once")
    arena.process.send_signal(signal.SIGINT)
    assert arena.ended() == 0
    with program(home, *UP, "--port", author.address.rpartition(":")[2]) as again:
        again.wait_for("Ctrl-C stops everything")
        # The next shift may have begun already.
        author.until(
            lambda: "The worker was lost." in {one.outcome for one in author.shifts("slow")}
        )
        assert again.stop() == 0


def _is_worker(process: Path, home: Path) -> bool:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
        return b"work" in words and str(home).encode() in (process / "environ").read_bytes()
    except OSError:  # it is gone, or not ours to look into
        return False
