"""From an upload to the first rated match, by the commands that an author uses."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

from arena.processes import spawn, stop
from benchmarks.hosted_load.programs import GOOD
from tests.free_port import free_port

IDLE_SECONDS: Final = 5.0
"""Before each upload."""


STEPS: Final = {
    "Uploaded": "uploaded",
    "Checking": "the check began",
    "Accepted": "accepted",
    "It has played": "first rated match",
}
"""What happens to a bot, by how `arena submit` begins to say so."""


def print_first_matches(count: int) -> None:
    """Print how long after `arena submit` was started each step was."""
    found = list(_first_matches(count))
    print("\n| after | median | longest |\n| --- | --- | --- |")
    for words, step in STEPS.items():
        times = [one[words] for one in found]
        print(f"| {step} | {median(times):.1f} s | {max(times):.1f} s |", flush=True)


def _first_matches(count: int) -> Iterator[dict[str, float]]:
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


def _submit(words: list[str], environment: dict[str, str]) -> dict[str, float]:
    began = time.monotonic()
    times: dict[str, float] = {}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr is not None
        for line in command.stderr:
            for step in filter(line.startswith, STEPS):
                times.setdefault(step, time.monotonic() - began)
    if command.returncode:
        raise SystemExit(f"arena submit ended with code {command.returncode}")
    return {"Checking": times["Uploaded"]} | times  # it may not see how the check begins


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
