"""The `--logs` option: the folder for the output of programs."""

import tempfile
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

LogFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--logs", help="A folder for what each program prints; a new temporary one if not named."
    ),
]


def log_folder(named: Path | None) -> Path:
    """Return the existing or new folder for logs; a temporary one if none is named."""
    if named is None:
        return Path(tempfile.mkdtemp(prefix="arena-programs-"))
    named.mkdir(parents=True, exist_ok=True)
    return named
