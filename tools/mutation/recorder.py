"""A pytest plugin: names the running test to coverage.py, and writes how long each one took.

Loaded with `-p tools.mutation.recorder` under `coverage run`. coverage.py's own way of naming the
test (`dynamic_context`) loses whatever an async test leaves to other tasks.
"""

import json
import math
import os
from collections import defaultdict
from pathlib import Path

import pytest
from coverage import Coverage

DURATIONS = "MUTATION_DURATIONS"
"""The environment variable with the path of the file to write: seconds by test."""

_seconds: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """Attribute to this test, its fixtures included, what runs from now on."""
    coverage = Coverage.current()
    assert coverage is not None, "run me with `coverage run`"
    coverage.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the phases of a test; one that failed kills nothing and is not written."""
    if report.failed or report.skipped:
        _seconds[report.nodeid] = math.nan
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    """Write the seconds of the tests that passed."""
    passed = {test: seconds for test, seconds in _seconds.items() if not math.isnan(seconds)}
    Path(os.environ[DURATIONS]).write_text(json.dumps(passed))
