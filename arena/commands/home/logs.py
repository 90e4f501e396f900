"""The folder for what programs print, and the log of the referee that they connect to."""

import logging
import sys
import tempfile
from pathlib import Path
from typing import Annotated, TypeAlias

import structlog
import typer

LogFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--logs", help="A folder for what each program prints; a new temporary one if not named."
    ),
]


def log_folder(named: Path | None) -> Path:
    """The folder, which exists; from now on the referee in this process logs only to stderr, and
    only what is wrong with itself."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    if named is None:
        return Path(tempfile.mkdtemp(prefix="arena-programs-"))
    named.mkdir(parents=True, exist_ok=True)
    return named
