"""A program that prints more than anybody reads is held up."""

import sys
import time

import pytest

from arena.bridge.lines import LONGEST
from arena.bridge.program import MOST_HELD, Program


def test_lines_that_nobody_reads_are_held_up_to_a_bound() -> None:
    line = "x" * 1000
    program = Program(
        [
            sys.executable,
            "-uc",
            f"import sys\nfor n in range(9000): sys.stdout.write('{line}\\n')\n"
            "print('', end='', flush=True); print('all', file=sys.stderr)",
        ],
        lambda _: None,
    )
    try:
        deadline = time.monotonic() + 20
        while program.held_bytes < MOST_HELD and time.monotonic() < deadline:
            time.sleep(0.01)
        assert MOST_HELD <= program.held_bytes <= MOST_HELD + LONGEST
        heard = 0
        while program.hear(20) is not None:
            heard += 1
            assert program.held_bytes <= MOST_HELD + LONGEST
        assert heard == 9000
    finally:
        program.close()
        program.wait()


@pytest.mark.slow
def test_a_program_that_waits_to_print_is_ended_all_the_same() -> None:
    program = Program([sys.executable, "-uc", "while True: print('x' * 9999)"], lambda _: None)
    assert program.hear(20)
    program.close()
    program.wait()
    assert program.process.poll() is not None
