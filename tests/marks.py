"""Marks of tests that follow from the folder they are in."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

SLOW = ("browser", "chaos", "end_to_end", "packaging", "solver", "worker")
"""Folders whose tests start programs, browsers or environments, or wait for compilers. Others are
marked one by one."""
ALONE = ("attacks", "chaos", "end_to_end", "worker")
"""Folders whose tests measure what they start, or wait for it: CI runs nothing beside them. Others
are marked one by one."""
RETRIED = ("browser", "end_to_end")
"""Folders whose tests get a second try in CI, as a busy machine may delay the programs that they
start. `pytest -rR` names those that needed it."""


def mark(items: Iterable[pytest.Item], tests: Path) -> None:
    """Mark the tests below the directory `tests`."""
    for item in items:
        if item.path.parent.parent != tests:
            continue
        if item.path.parent.name in SLOW:
            item.add_marker(pytest.mark.slow)
        if item.path.parent.name in ALONE:
            item.add_marker(pytest.mark.alone)
        if "CI" in os.environ and item.path.parent.name in RETRIED:
            item.add_marker(pytest.mark.flaky(reruns=1))
