"""An author who has a Python and an arena's address has a bot there: no checkout, no index with the
package."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena.local.starters import starter_archive
from arena.local.wheel import wheel_name
from tests.dashboard_server import wait_for
from tests.end_to_end.programs import Program, program
from tests.free_port import free_port
from tests.packaging.conftest import newest
from tests.packaging.environments import Environment, install, interpreter
from tests.packaging.test_wheel import first_bot

pytestmark = pytest.mark.timeout(600)

OF_INSTALLERS = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_PROXY")
"""Variables by which this machine reaches its index."""


@pytest.fixture(scope="module")
def arena(place: Path) -> Iterator[tuple[Program, str, str]]:
    """A whole arena, the referee's address and that of the pages."""
    port, pages = str(free_port()), str(free_port())
    home = place / "arena"
    ports = ("--port", port, "--dashboard-port", pages)
    with program(home, "up", *ports, "--table", "bluff:2") as up:
        up.wait_for("Ctrl-C stops everything")
        wait_for(f"http://127.0.0.1:{pages}/_stcore/health", up.process)
        yield up, f"127.0.0.1:{port}", f"http://127.0.0.1:{pages}"


class Author:
    """Somebody with the package of the arena's own pages, on another machine as it were."""

    def __init__(self, environment: Environment, address: str) -> None:
        self.home, self._environment, self.address = environment.home, environment, address

    def asks(self, *arguments: str) -> str:
        done = self._environment.run("arena", *arguments, ARENA_ADDRESS=self.address)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def matches(self, bot: str) -> int:
        (version,) = json.loads(self.asks("bot", "show", bot, "--json"))["versions"]
        return int(version["matches"])


@pytest.fixture(scope="module")
def author(place: Path, arena: tuple[Program, str, str]) -> Author:
    python = interpreter(newest())
    assert python
    wheel = f"{arena[2]}/download/{wheel_name()}"
    author = Author(install(place / "author", wheel, "", python), arena[1])
    author.asks("signup", "A Stranger")
    return author


def test_the_arenas_own_package_submits_a_bot(
    author: Author, arena: tuple[Program, str, str]
) -> None:
    if not any(" arena work" in one for one in arena[0].running()):
        pytest.skip("no bots are hosted here")
    (author.home / "mine.py").write_text(first_bot())
    author.asks("submit", "mine.py")
    assert author.matches("mine") > 0


def test_a_downloaded_starter_installs_what_it_needs_and_plays(author: Author) -> None:
    token = author.asks("bot", "new", "fox").strip()
    unpacked = author.home / "downloaded"
    variables = {"ARENA_ADDRESS": author.address, "ARENA_TOKEN": token}
    with ZipFile(BytesIO(starter_archive("python", "fox", variables))) as archive:
        archive.extractall(unpacked)
    python = interpreter(newest())
    assert python
    environment = {
        "PATH": f"{Path(python).parent}{os.pathsep}{os.defpath}",
        "HOME": str(author.home),
        **{name: value for name, value in os.environ.items() if name.startswith(OF_INSTALLERS)},
    }
    log = unpacked / "log"
    with log.open("wb") as out:
        running = subprocess.Popen(
            ["sh", "fox/run.sh"], cwd=unpacked, env=environment, stdout=out, stderr=out
        )
    try:
        while not author.matches("fox"):
            assert running.poll() is None, log.read_text()
            time.sleep(0.2)
        assert (unpacked / "fox" / ".venv").is_dir()
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0, log.read_text()
    finally:
        running.kill()
        running.wait()
