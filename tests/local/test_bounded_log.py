"""The output of programs does not fill the disk."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.local.programs.bounded_log import LEFT_OUT, BoundedLog


@pytest.mark.slow
def test_the_newest_lines_are_kept_and_the_file_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "bot.log"
    log = BoundedLog(path, most=100_000, kept=20_000)
    program = "for n in range(200_000): print(f'line {n}')"
    with log as output:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=output)
    assert process.wait() == 0
    log.close()
    text = path.read_bytes()
    assert len(text) <= 100_000
    assert text.startswith(LEFT_OUT)
    assert text.endswith(b"line 199999\n")


def test_what_is_short_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "bot.log"
    path.write_text("of an earlier run")
    log = BoundedLog(path)
    with log as output:
        process = subprocess.Popen([sys.executable, "-c", "print('hello')"], stdout=output)
    assert process.wait() == 0
    log.close()
    assert path.read_text() == "hello\n"
