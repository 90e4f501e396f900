"""pyarrow, which only the extra `data` brings."""

from importlib import import_module
from typing import Any

from arena.commands.errors import CommandError


def pyarrow_modules() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet. Raises CommandError if they are missing."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise CommandError(
            "Parquet files need pyarrow: `pip install 'bluff-arena[data]'`. Results can be "
            "exported as .csv or .jsonl without it."
        ) from error
