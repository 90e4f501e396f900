"""The configuration of the operator's log: one line per event, a message followed by its values."""

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.library_logs import bound_library_logs
from arena.printable import printable
from arena.settings import Settings


def configure_logs(settings: Settings) -> None:
    """Log to stderr, from the level in the settings up. Called once, by the serving command."""
    written = _AS_JSON if settings.log_format == "json" else _as_text()
    structlog.configure(
        processors=[structlog.processors.add_log_level, *written],
        wrapper_class=structlog.make_filtering_bound_logger(settings.log_level_number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # The logs of libraries, such as psycopg's pool while the database is unreachable.
    theirs = logging.StreamHandler(sys.stderr)
    theirs.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
            ],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *written],
        )
    )
    bound_library_logs()
    logging.basicConfig(level=logging.WARNING, handlers=[theirs])


def _as_text() -> list[Processor]:
    return [
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S"),
        _printable_values,
        # Never a richer traceback: it would print local variables, such as tokens and dice.
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        ),
    ]


_AS_JSON: list[Processor] = [
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,  # the plain traceback, without local variables
    structlog.processors.JSONRenderer(),
]


def _printable_values(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Escape text from bots, so that a terminal does not obey control characters in it."""
    return {
        name: printable(value) if isinstance(value, str) else value for name, value in event.items()
    }
