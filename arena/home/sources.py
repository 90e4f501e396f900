"""The files of a folder as they were written, without what Python and builds leave beside them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_BUILT: Final = frozenset(("__pycache__", "bin", "build", "dist", "node_modules", "target", "wire"))
_GO_PROGRAM: Final = "bot"
"""A file; the folders of this name are packages."""
_HIDDEN: Final = frozenset((".dockerignore", ".gitignore", ".streamlit"))
"""Hidden ones that are ours. Others are somebody's: an arena's home with its keys is one."""
_SECRETS: Final = "secrets.toml"
"""What Streamlit is told in private, beside its configuration."""


def source_files(folder: Path) -> Iterator[Path]:
    """The files in a folder and those below it; none if there is no such folder."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _BUILT and not _foreign(name)]
        for name in names:
            if name not in (_GO_PROGRAM, _SECRETS) and not _foreign(name):
                yield Path(place, name)


def _foreign(name: str) -> bool:
    return name.startswith(".") and name not in _HIDDEN
