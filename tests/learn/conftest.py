"""Drops compiled loops that are older than their sources.

numba keeps them by the file of the outermost loop and does not see changes of what it imports.
"""

from contextlib import suppress
from pathlib import Path

import arena

PACKAGE = Path(arena.__file__).parent

for kit in PACKAGE.glob("games/*/kit"):
    sources = [*kit.glob("batch*.py"), *kit.glob("encoding.py"), *PACKAGE.glob("learn/*.py")]
    newest = max(source.stat().st_mtime for source in sources)
    for index in kit.glob("__pycache__/batch*.nbi"):
        with suppress(FileNotFoundError):  # each process of a run does this
            if index.stat().st_mtime < newest:
                index.unlink()
