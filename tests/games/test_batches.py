"""Batches of matches play by the rules; compiled as they are for learners, see tests/learn."""

import os
import subprocess
import sys


def test_uncompiled_batches_play_as_the_pure_rules_do() -> None:
    """To compile them takes many times longer."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.learn.as_the_rules"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
