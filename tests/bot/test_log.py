"""The log of a bot program: an error that repeats is told with its traceback once."""

import io
import logging
from collections.abc import Callable

from arena.bot.log import OneTraceback


def _divides(by: int) -> float:
    return 1 / by


def _looks_up(name: str) -> int:
    return {"a": 1}[name]


def test_an_error_at_the_same_line_has_its_traceback_once() -> None:
    log, printed = logging.Logger("a bot's"), io.StringIO()
    log.addHandler(logging.StreamHandler(printed))
    log.addFilter(OneTraceback())

    def fails(turn: int, bot: Callable[[], object]) -> str:
        before = printed.tell()
        try:
            bot()
        except Exception:
            log.exception("The bot failed at turn %d, 100 %%.", turn)
        return printed.getvalue()[before:]

    assert "Traceback" in fails(1, lambda: _divides(0))
    again = fails(2, lambda: _divides(0))
    line = _divides.__code__.co_firstlineno + 1
    assert again == (
        "The bot failed at turn 2, 100 %. "
        f"ZeroDivisionError at {__file__}:{line} again: division by zero\n"
    )
    assert "Traceback" in fails(3, lambda: _looks_up("b"))
    assert "KeyError" in fails(4, lambda: _looks_up("c"))
    assert "Traceback" not in fails(5, lambda: _looks_up("d"))
    # Another error at the same line.
    assert "Traceback" in fails(6, lambda: _divides("0"))  # type: ignore[arg-type]


def test_lines_without_an_error_stay_as_they_are() -> None:
    log, printed = logging.Logger("a bot's"), io.StringIO()
    log.addHandler(logging.StreamHandler(printed))
    log.addFilter(OneTraceback())
    for _ in range(2):
        log.error("Fault %d", 1)
    assert printed.getvalue() == "Fault 1\nFault 1\n"
