"""A pytest plugin that tells coverage.py the running test and records the duration of each test.

It is loaded with `-p tools.mutation.recorder` under `coverage run`. coverage.py's own option for
this (`dynamic_context`) misses the code that an async test runs in other tasks.
"""

import json
import math
import os
from collections import defaultdict
from pathlib import Path

import pytest
from coverage import Coverage

DURATIONS = "MUTATION_DURATIONS"
"""The environment variable with the path of the output file: seconds by test."""

_seconds: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """Attribute all code that runs from now on to this test and its fixtures."""
    coverage = Coverage.current()
    assert coverage is not None, "run me with `coverage run`"
    coverage.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the phases of a test; a failed test cannot kill a mutant and is not written."""
    if report.failed or report.skipped:
        _seconds[report.nodeid] = math.nan
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    """Write the seconds of the tests that passed."""
    passed = {test: seconds for test, seconds in _seconds.items() if not math.isnan(seconds)}
    Path(os.environ[DURATIONS]).write_text(json.dumps(passed))
