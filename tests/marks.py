"""Marks of tests that follow from the folder they are in."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

SYSTEM = ("attacks", "browser", "chaos", "end_to_end", "packaging", "starters", "worker")
"""Folders whose tests need a browser, a toolchain, environments, a sandbox or minutes of chaos.
`make test` leaves them out."""
SLOW = (*SYSTEM, "agents", "lab/solver", "learn")
"""Folders whose tests take many seconds. Others are marked one by one."""
ALONE = ("attacks",)
"""Folders whose tests measure what they start: nothing runs beside them. Others are marked one by
one."""
RETRIED = ("browser", "end_to_end")
"""Folders whose tests get a second try in CI, as a busy machine may delay the programs that they
start. `pytest -rR` names those that needed it."""


def mark(items: Iterable[pytest.Item], tests: Path) -> None:
    """Mark the tests below the directory `tests`."""
    for item in items:
        if tests not in item.path.parents:
            continue
        folder = item.path.parent.relative_to(tests).as_posix()
        if folder in SYSTEM:
            item.add_marker(pytest.mark.system)
        if folder in SLOW:
            item.add_marker(pytest.mark.slow)
        if folder in ALONE:
            item.add_marker(pytest.mark.alone)
        if "CI" in os.environ and folder in RETRIED:
            item.add_marker(pytest.mark.flaky(reruns=1))
