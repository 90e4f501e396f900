"""The database's address, its errors and damage in our words, and a server that is silent."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any, cast

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from arena.database import connecting, engine
from arena.database.connecting import PARAMETERS, READER, REFEREE, SILENCE_SECONDS
from arena.database.driver_errors import cause_of, refused_or_unreachable
from arena.database.errors import (
    DatabaseUnreachableError,
    LeaseTakenError,
    RecordRefusedError,
    SetupError,
    TranscriptDamagedError,
)
from arena.database.transcripts import packer, unpack_message

URL = "postgresql+psycopg://me@host/arena"


def test_a_machine_that_vanished_is_noticed_as_soon_as_a_server_that_is_silent() -> None:
    silence = PARAMETERS["keepalives_count"] * PARAMETERS["keepalives_interval"]
    assert PARAMETERS["keepalives_idle"] + silence == SILENCE_SECONDS
    assert PARAMETERS["tcp_user_timeout"] == 1_000 * SILENCE_SECONDS


def test_what_the_address_says_has_precedence_over_our_defaults() -> None:
    assert engine.connect_arguments(make_url(URL), REFEREE) == PARAMETERS | {"options": REFEREE}
    given = make_url(f"{URL}?connect_timeout=9&options=-c%20statement_timeout%3D1s")
    arguments = engine.connect_arguments(given, REFEREE, "-c role=reader")
    assert "connect_timeout" not in arguments
    assert arguments["options"] == f"{REFEREE} -c statement_timeout=1s -c role=reader"
    twice = make_url(f"{URL}?options=-c%20a%3D1&options=-c%20b%3D2")
    assert engine.connect_arguments(twice, READER)["options"] == f"{READER} -c a=1 -c b=2"


@pytest.mark.parametrize("url", ["nothing", "postgresql+psycopg://me@host:port/arena", ""])
def test_an_address_that_is_none_says_how_one_looks(url: str) -> None:
    with pytest.raises(SetupError, match="ARENA_DATABASE_URL is malformed: it must look"):
        engine.parsed(url)


def test_a_session_is_told_how_long_anything_may_take() -> None:
    assert REFEREE == (
        "-c statement_timeout=8s -c lock_timeout=5s -c idle_in_transaction_session_timeout=15s"
    )
    assert "-c statement_timeout=60s" in READER
    assert "-c lock_timeout=60s" in connecting.MIGRATION


class Raised(psycopg.Error):
    """An error of the database with a state of its own."""

    sqlstate = "AR001"


def test_errors_of_the_database_are_told_apart() -> None:
    assert isinstance(refused_or_unreachable(Raised("gone")), LeaseTakenError)
    for refused in (errors.UniqueViolation("taken\nmore"), errors.NumericValueOutOfRange("large")):
        error = refused_or_unreachable(DBAPIError("SELECT", {}, refused))
        assert isinstance(error, RecordRefusedError)
        assert str(error) == f"The database refuses this: {str(refused).splitlines()[0]}."
    away = refused_or_unreachable(psycopg.OperationalError(" no answer\nat all"))
    assert isinstance(away, DatabaseUnreachableError)
    assert str(away) == ("The database does not answer (no answer): check that it is running.")


def test_the_cause_of_an_error_is_the_drivers() -> None:
    cause = psycopg.OperationalError("away")
    assert cause_of(DBAPIError("SELECT", {}, cause)) is cause
    assert cause_of(cause) is cause


class Line:
    """A connection of the driver, which knows only whether it was closed."""

    closed = False

    def finish(self) -> None:
        self.closed = True


def answering() -> Generator[int, int, str]:
    """What the driver does: asks to wait until something has come, then answers."""
    while not (yield 1):
        pass
    while not (yield 2):
        pass
    return "answer"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds; a test moves it."""
    now = [100.0]
    monkeypatch.setattr(connecting, "monotonic", lambda: now[0])
    return now


def asked(line: Line) -> Generator[int, int, str]:
    return connecting._impatient(answering(), cast(Any, line), 8.0)  # type: ignore[return-value,arg-type]


def test_an_answer_is_passed_on_however_long_it_takes_as_long_as_something_comes(
    clock: list[float],
) -> None:
    line = Line()
    waiting = asked(line)
    assert next(waiting) == 1
    clock[0] += 8.0
    assert waiting.send(0) == 1
    clock[0] += 5.0
    assert waiting.send(1) == 2, "late, and still in time: something has come"
    clock[0] += 8.0
    assert waiting.send(0) == 2
    with pytest.raises(StopIteration) as stop:
        waiting.send(1)
    assert stop.value.value == "answer"
    assert not line.closed


def test_a_server_that_is_silent_for_longer_is_given_up(clock: list[float]) -> None:
    line = Line()
    waiting = asked(line)
    next(waiting)
    clock[0] += 8.1
    with pytest.raises(psycopg.OperationalError, match="it was silent for 8 s"):
        waiting.send(0)
    assert line.closed


def test_a_transcript_that_is_not_what_was_stored_says_what_to_do() -> None:
    packed = packer()(b"a message")
    assert unpack_message(packed) == b"a message"
    for damaged in (
        replace(packed, data=packed.data[:-1]),
        replace(packed, data=packer()(b"another").data),
        replace(packed, data=b""),
    ):
        with pytest.raises(TranscriptDamagedError, match="restore the database from a backup"):
            unpack_message(damaged)
    with pytest.raises(TranscriptDamagedError, match="format 2: read it with a newer release"):
        unpack_message(replace(packed, format=2))


def test_a_stored_transcript_is_compressed_and_known_by_its_hash() -> None:
    packed = packer()(bytes(10_000))
    assert (packed.format, len(packed.sha256)) == (1, 32)
    assert len(packed.data) < 100
