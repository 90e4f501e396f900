"""From an upload to the first rated match, by the commands that an author uses."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.processes import spawn, stop
from benchmarks.hosted_load.programs import GOOD
from tests.free_port import free_port

IDLE_SECONDS: Final = 5.0
"""Before each upload."""


@dataclass(frozen=True, slots=True)
class FirstMatch:
    """Seconds after `arena submit` was started."""

    uploaded: float
    began: float
    """The check."""
    accepted: float
    played: float
    """Its first rated match is recorded."""


def first_matches(count: int) -> Iterator[FirstMatch]:
    """Upload bots one after the other to an `arena up` whose sample bots rest."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        home = Path(name)
        home.chmod(0o711)
        port = free_port()
        with _arena(home / "arena", port):
            author = os.environ | {
                "ARENA_HOME": str(home / "author"),
                "ARENA_ADDRESS": f"127.0.0.1:{port}",
                "PYTHONUNBUFFERED": "1",
            }
            arena = (sys.executable, "-m", "arena")
            subprocess.run([*arena, "signup", "Ann"], env=author, check=True, capture_output=True)
            time.sleep(IDLE_SECONDS)
            for number in range(count):
                file = home / f"bot{number}.py"
                file.write_text(f"# {number}\n{GOOD}")
                yield _submit([*arena, "submit", str(file)], author)
                # The arena is to be idle for the next one.
                words = [*arena, "bot", "retire", file.stem]
                subprocess.run(words, env=author, check=True, capture_output=True)
                time.sleep(IDLE_SECONDS)


def _submit(words: list[str], environment: dict[str, str]) -> FirstMatch:
    began = time.monotonic()
    times: dict[str, float] = {}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr is not None
        for line in command.stderr:
            for words_ in ("Uploaded", "Checking", "Accepted", "It has played"):
                if line.startswith(words_):
                    times.setdefault(words_, time.monotonic() - began)
    if command.returncode:
        raise SystemExit(f"arena submit ended with code {command.returncode}")
    uploaded = times["Uploaded"]
    checking = times.get("Checking", uploaded)
    return FirstMatch(uploaded, checking, times["Accepted"], times["It has played"])


@contextlib.contextmanager
def _arena(home: Path, port: int) -> Iterator[None]:
    """`arena up` whose sample bots play a match every two seconds."""
    process = spawn(
        [sys.executable, "-m", "arena", "up", "--no-dashboard", "--port", str(port)],
        env=os.environ | {"ARENA_HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if b"Ctrl-C" in line:
                break
        for line in process.stdout:
            # Sample bots play their first matches at full speed.
            if b"matches recorded" in line and int(line.split()[0]) >= 600:
                break
        yield
    finally:
        stop(process)
