"""Every way in which an uploaded program fails its check: the reason says what was wrong, and ends
with what the program printed."""

import json
import re
import sys
from pathlib import Path

import pytest

from arena.builds.build import Build, read_build, unpack
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import Manifest, Protocol
from arena.worker.checking import CheckPlan, check_build
from arena.worker.limits import START_SECONDS
from arena.worker.program import command_of
from arena.worker.referee import ShiftEnd
from tests.worker.hosting import zipped

pytestmark = pytest.mark.timeout(600)

HANG_SECONDS = 3
ONLY_IN_MATCHES = """
import os
from arena.bot import Bot
from arena.games.bluff import Bet, Face

class Mine(Bot):
    def match_started(self, match):
        self.earnest = any(one.bot == "opponent1" for one in match.entrants)

    def act(self, turn):
        return %s if self.earnest else next(turn.choices())
"""
"""A bot that conforms to the protocol in all scenarios, and plays badly after them."""
REFUSED = {
    "no bot": (
        "class Other: pass",
        ["It did not start: it ended with code 1 after ", "exactly one bot"],
    ),
    "two bots": (
        "from arena.bot import Bot\nclass A(Bot):\n    def act(self, turn): ...\n"
        "class B(Bot):\n    def act(self, turn): ...",
        ["It did not start", "exactly one bot"],
    ),
    "syntax error": ("def bot(:", ["It did not start", "SyntaxError"]),
    "exits": ("import sys\nsys.exit('no table of mine')", ["no table of mine"]),
    "breaks at import": ("import numpy_of_mine", ["No module named 'numpy_of_mine'"]),
    "hangs at start": (
        "print('I think')\nimport time\ntime.sleep(600)",
        ["it opened no stream within 3 s", "I think"],
    ),
    "breaks in a turn": (
        "from arena.bot import Bot\nclass Mine(Bot):\n    def act(self, turn): raise KeyError('x')",
        ["Scenario “", "KeyError: 'x'"],
    ),
    "illegal": (
        "from arena.bot import Bot\nfrom arena.games.bluff import Bet, Face\nclass Mine(Bot):\n"
        "    def act(self, turn): return Bet(9999, Face.ONE)",
        ["Scenario “"],
    ),
    "illegal in a match": (
        ONLY_IN_MATCHES % "Bet(9999, Face.ONE)",
        ["A fault in a match of Bluff: illegal: "],
    ),
    "ends in a match": (
        ONLY_IN_MATCHES % "(print('I give up', flush=True), os._exit(3))",
        ["bot ended with code 3 after ", "I give up"],
    ),
    "takes too much": (
        "taken = [bytearray(b'x') * 50_000_000 for _ in range(30)]",
        ["It did not start"],
    ),
}


def check(
    build: Build,
    folder: Path,
    scratch: Path,
    start_seconds: float = START_SECONDS,
) -> ShiftEnd:
    folder.chmod(0o755)
    unpack(build, folder)
    return check_build(CheckPlan(folder, tuple(command_of(build)), scratch, start_seconds))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "build"
    folder.mkdir()
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_cannot_play_is_refused_with_what_it_printed(
    name: str, folder: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, expected = REFUSED[name]
    seconds = HANG_SECONDS if name == "hangs at start" else START_SECONDS
    result = check(read_build("bot.py", text.encode()), folder, scratch, seconds)
    assert not result.accepted
    for words in expected:
        assert words in result.outcome
    # All of it is kept, and shown: a page and a terminal have room for so much.
    assert len(result.outcome) < 2_000
    steps = [json.loads(line)["step"] for line in capsys.readouterr().out.splitlines()]
    so_far = re.compile(r"\d+ of 20 scenarios met so far(; running: [a-z', ]+)?")
    assert all(so_far.fullmatch(one) for one in steps[1:-1])
    assert len(steps) == 1 or "; running: tampering" in steps[1]
    if name.endswith("in a match"):
        assert steps[-1] == "all scenarios are met, 20 matches of Bluff follow"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('["./bot"]', "No such file"),
        ('["python", "absent.py"]', "absent.py"),
    ],
)
def test_a_command_that_cannot_be_started_is_named(
    command: str, expected: str, folder: Path, scratch: Path
) -> None:
    # A script whose interpreter is not there.
    data = zipped({"bot.toml": f"command = {command}\n", "bot": "#!/nowhere/ruby\n"})
    result = check(read_build("bot.zip", data), folder, scratch)
    assert not result.accepted
    assert "It did not start" in result.outcome
    assert expected in result.outcome


def test_a_runtime_that_the_machine_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    manifest = Manifest(("node", "bot.js"), Protocol.GRPC)
    with pytest.raises(BuildRefusedError, match="no Node: ask the operator"):
        command_of(Build("bot.zip", b"", manifest))
