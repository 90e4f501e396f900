"""The process that answers reading calls."""

import asyncio
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
from structlog.testing import capture_logs

from arena.database.errors import (
    DatabaseUnreachableError,
    RecordRefusedError,
    StorageError,
    TranscriptDamagedError,
)
from arena.server.reading.process import ReadingProcess, ReadingThread
from arena.v1 import registry_pb2 as pb
from tests.databases import unreachable


async def bots(answering: ReadingProcess) -> list[str]:
    answer = await answering("ListBots", b"")
    assert answer.status == ""
    return [line.entrant.bot for line in pb.ListBotsResponse.FromString(answer.content).versions]


def arguments(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text()


@pytest.mark.slow
async def test_it_answers_and_is_started_again_when_it_has_ended(database: str) -> None:
    with closing(ReadingProcess(database)) as answering:
        assert await bots(answering) == []
        process = answering.process
        assert process is not None
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(19, own + 5)
        assert database not in arguments(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert await bots(answering) == []
    assert process.poll() is not None


@pytest.mark.slow
async def test_a_refusal_and_a_lost_database_are_told_and_it_goes_on(database: str) -> None:
    with closing(ReadingProcess(database)) as answering:
        asked = pb.ListMatchesRequest(limit=-1).SerializeToString()
        answer = await answering("ListMatches", asked)
        assert (answer.status, answer.content) == (
            "INVALID_ARGUMENT",
            b"`limit` is 1 to 1000, not -1",
        )
        with unreachable(database):
            assert (await answering("ListBots", b"")).status == "UNAVAILABLE"
        async with asyncio.timeout(30):
            assert await bots(answering) == []


@pytest.mark.parametrize(
    ("error", "status", "logged"),
    [
        (RecordRefusedError("The database refuses this: too large."), "INVALID_ARGUMENT", []),
        (DatabaseUnreachableError("No answer."), "UNAVAILABLE", ["database unreachable"]),
        (TranscriptDamagedError("It cannot be read."), "INTERNAL", ["call failed"]),
    ],
)
async def test_only_a_database_that_does_not_answer_is_called_unreachable(
    error: StorageError, status: str, logged: list[str]
) -> None:
    def answers(_call: str, _request: bytes) -> NoReturn:
        raise error

    with closing(ReadingThread(cast(Any, answers))) as answering, capture_logs() as log:
        answer = await answering("ListBots", b"")
    assert (answer.status, [line["event"] for line in log]) == (status, logged)
