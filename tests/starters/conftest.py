"""Starters, built once for all tests."""

import fcntl
from pathlib import Path

import pytest

from tests.starters.languages import LANGUAGES, Language


@pytest.fixture(params=LANGUAGES.values(), ids=LANGUAGES, scope="session")
def language(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Language:
    """A starter, built."""
    language: Language = request.param
    language.require()
    of_all_processes = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        of_all_processes = of_all_processes.parent
    with Path(of_all_processes, f"{language.name}-is-built").open("a+") as log:
        # A second build would replace what the other process's tests are running.
        fcntl.flock(log, fcntl.LOCK_EX)
        if log.tell() == 0:
            language.build()
            log.write("built\n")
    return language
