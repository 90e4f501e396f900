"""A folder whose files have the names of modules."""

import sys
from pathlib import Path

_DEPENDENCIES = (
    *("alembic", "altair", "cryptography", "google", "grpc", "networkx", "numpy", "pandas"),
    *("procrastinate", "psycopg", "pydantic", "pydantic_settings", "rich", "scipy", "sqlalchemy"),
    *("streamlit", "structlog", "typer", "uvicorn", "uvloop", "zstandard"),
)


def littered(folder: Path) -> Path:
    """Write a file with the name of every standard module and dependency into the folder, and
    return it; a program that imports such a file ends."""
    for name in {*sys.stdlib_module_names, *_DEPENDENCIES}:
        (folder / f"{name}.py").write_text(f"raise SystemExit('{name} of the working directory')")
    return folder
