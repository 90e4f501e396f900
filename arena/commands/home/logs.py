"""The `--logs` option: the folder for the output of programs."""

import atexit
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

LogFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--logs",
        help="A folder for what each program prints; by default a temporary folder, kept only if "
        "something was printed.",
    ),
]


_MOST_NAMED = 4
"""The most logs that are named one by one; for more, only their folder is named."""


def log_folder(named: Path | None) -> Path:
    """Return the existing or new folder for logs; a temporary one if none is named.

    At exit, a temporary folder keeps only non-empty logs.
    """
    if named is None:
        folder = Path(tempfile.mkdtemp(prefix="arena-programs-"))
        atexit.register(_remove_empty, folder)
        return folder
    named.mkdir(parents=True, exist_ok=True)
    return named


def where_printed(folder: str | Path) -> str:
    """Return text that names the non-empty logs in a folder; "" if there are none."""
    logs = sorted(str(one) for one in Path(folder).glob("*.log") if one.stat().st_size)
    return ", ".join(logs) if len(logs) <= _MOST_NAMED else f"{len(logs)} logs in {folder}"


def _remove_empty(folder: Path) -> None:
    for log in folder.glob("*.log"):
        if not log.stat().st_size:
            log.unlink()
    with suppress(OSError):  # the folder is not empty, or gone
        folder.rmdir()
