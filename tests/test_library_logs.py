"""Libraries log within bounds, by logger and kind; an entry left out costs next to nothing."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from arena.library_logs import MOST_OF_A_KIND, MOST_OF_A_LOGGER, bound_library_logs


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@pytest.fixture
def kept() -> Iterator[_Kept]:
    handler = _Kept()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def test_a_kind_of_entry_is_written_a_few_times_whatever_its_values(kept: _Kept) -> None:
    bound_library_logs()
    logger = logging.getLogger("tests.bounded.kind")
    for number in range(1_000):
        logger.error("item %d", number)
    assert kept.texts == [f"item {number}" for number in range(MOST_OF_A_KIND)]
    logger.error("another kind")
    assert kept.texts[-1] == "another kind"


def test_a_logger_that_writes_ever_other_texts_is_bounded_too(kept: _Kept) -> None:
    bound_library_logs()
    logger = logging.getLogger("tests.bounded.logger")
    for number in range(1_000):
        logger.error(f"item {number}")
    assert len(kept.texts) == MOST_OF_A_LOGGER


def test_loggers_that_were_there_before_are_bounded(kept: _Kept) -> None:
    logger = logging.Logger("tests.bounded.early")
    logger.parent = logging.getLogger()
    logging.root.manager.loggerDict["tests.bounded.early"] = logger
    bound_library_logs()
    for _ in range(100):
        logger.error("the same")
    assert len(kept.texts) == MOST_OF_A_KIND


def test_exceptions_are_bounded_and_written_with_their_tracebacks(kept: _Kept) -> None:
    bound_library_logs()
    logger = logging.getLogger("tests.bounded.exceptions")
    for number in range(100):
        try:
            raise ValueError(number)
        except ValueError:
            logger.exception("bad item")
    assert len(kept.texts) == MOST_OF_A_KIND
    assert all("ValueError: " in text for text in kept.texts)


def test_an_entry_that_is_left_out_makes_no_record() -> None:
    bound_library_logs()
    logger = logging.getLogger("tests.bounded.cost")
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
    make, made = logging.getLogRecordFactory(), []

    def count(*arguments: Any, **named: Any) -> logging.LogRecord:
        made.append(make(*arguments, **named))
        return made[-1]

    logging.setLogRecordFactory(count)
    try:
        for _ in range(1000):
            logger.exception("not text: %s", b"\xff")
    finally:
        logging.setLogRecordFactory(make)
    assert len(made) == MOST_OF_A_KIND


def test_that_a_task_of_a_library_was_cancelled_is_no_exception_to_tell(kept: _Kept) -> None:
    bound_library_logs()
    for name, error in (
        ("tests.bounded.cancelled", asyncio.CancelledError()),
        ("arena.tests.cancelled", asyncio.CancelledError()),
        ("tests.bounded.cancelled", ValueError()),
    ):
        try:
            raise error
        except BaseException:
            logging.getLogger(name).exception("%s", name)
    assert [text.partition("\n")[0] for text in kept.texts] == [
        "arena.tests.cancelled",
        "tests.bounded.cancelled",
    ]
