"""A running referee on a free port and a database of the test's own."""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.scene import HASTY, HASTY_BLUFF, OUTAGE, Scene, opened
from tests.stores import owner, referee, sql, store, versions, worker

__all__ = ["owner", "referee", "sql", "store", "versions", "worker"]


@pytest.fixture
async def scene(database: str, quiet: list[Any]) -> AsyncIterator[Scene]:
    """A referee that runs Bluff for two."""
    async with opened(database) as scene:
        scene.log = quiet
        yield scene


@pytest.fixture
async def hasty(database: str, quiet: list[Any]) -> AsyncIterator[Scene]:
    """The same with short clocks."""
    async with opened(database, HASTY_BLUFF, terms=HASTY) as scene:
        scene.log = quiet
        yield scene


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[list[Any]]:
    """The operator's log. Whatever bots do is no error of ours: it must stay free of any."""
    with capture_logs() as lines:
        yield lines
    # What came due while a test kept the database away may tell so late.
    late = "wait for storage" if OUTAGE in lines else "nothing is told late"
    told = [line for line in lines if not line["event"].endswith(late)]
    assert [line for line in told if line["log_level"] in ("error", "critical")] == []
    noise = [r for phase in ("setup", "call") for r in caplog.get_records(phase)] + caplog.records
    said = [
        record.getMessage()
        for record in noise
        # The driver may say that its line was cut: a test did it.
        if record.levelno >= logging.WARNING and not record.name.startswith("psycopg")
    ]
    # grpc.aio's poller belongs to the process and remembers the loops of earlier tests.
    assert [line for line in said if "PollerCompletionQueue" not in line] == []
