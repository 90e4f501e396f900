"""Luck tables read from files, if their SHA-256 is the one that the game's kit names.

LuckTableError    a table is damaged or not the named one
"""

import hashlib
import json
from importlib.resources import files
from typing import Any, Final, NamedTuple

SCALE: Final = 10_000
"""Values in the files are whole ten-thousandths of a point."""


class LuckTableError(Exception):
    """A table is damaged or was made by another version, so its values cannot be used."""


class TableName(NamedTuple):
    """The identity of a luck table; luck from different tables must not be compared."""

    file: str
    sha256: str


def shipped(package: str, name: TableName) -> bytes:
    """Return the bytes of a table that is shipped beside the modules of a package."""
    return files(package).joinpath(name.file).read_bytes()


def document(content: bytes, name: TableName) -> dict[str, Any]:
    """Return the JSON object in a file's bytes.

    Raises LuckTableError unless their SHA-256 is the named one.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != name.sha256:
        raise LuckTableError(f"{name.file} has the SHA-256 {found}, not {name.sha256}")
    read: dict[str, Any] = json.loads(content)
    return read
