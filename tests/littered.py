"""A folder whose files have the names of modules."""

import sys
from pathlib import Path

_DEPENDENCIES = (
    *("alembic", "altair", "cryptography", "google", "grpc", "networkx", "numpy", "pandas"),
    *("procrastinate", "psycopg", "pydantic", "pydantic_settings", "rich", "scipy", "sqlalchemy"),
    *("streamlit", "structlog", "typer", "uvicorn", "uvloop", "zstandard"),
)


def littered(folder: Path) -> Path:
    """The folder, with a file of the name of every standard module and of what we depend on; who
    imports one ends."""
    for name in {*sys.stdlib_module_names, *_DEPENDENCIES}:
        (folder / f"{name}.py").write_text(f"raise SystemExit('{name} of the working directory')")
    return folder
