"""Packing of a folder as the .zip of a build: the same files give the same bytes.

Files that no bot needs at the arena are left out: names that begin with a dot, such as those of
version control and editors, `__pycache__`, and virtual environments (folders with a pyvenv.cfg).
"""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.builds.archive import MOST_FILES, MOST_UNPACKED_BYTES
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import MANIFEST

_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
_NAMED: Final = 3
"""The number of largest files that an error names."""


def pack(folder: Path) -> bytes:
    """Return the .zip of a folder with a bot.toml.

    Raises:
        BuildRefusedError: There is no bot.toml, there is a link, or the files are too many or big.
        OSError: A file cannot be read.
    """
    if not (folder / MANIFEST).is_file():
        raise BuildRefusedError(
            f"{folder} has no {MANIFEST}, which says how the bot is started "
            '(command = ["python", "main.py"]).'
        )
    sizes = {path: path.stat().st_size for path in _files(folder)}
    if len(sizes) > MOST_FILES:
        raise BuildRefusedError(f"{folder} has {len(sizes):,} files; {MOST_FILES:,} are allowed.")
    if sum(sizes.values()) > MOST_UNPACKED_BYTES:
        largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:_NAMED]
        named = ", ".join(f"{path.relative_to(folder)} ({sizes[path]:,})" for path in largest)
        raise BuildRefusedError(
            f"The files of {folder} have {sum(sizes.values()):,} bytes together; "
            f"{MOST_UNPACKED_BYTES:,} are allowed. The largest: {named}."
        )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sizes:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _NO_TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files to pack, in the order of names. Raises BuildRefusedError for a link."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_symlink():
            raise BuildRefusedError(f"{path} is a link, which a build may not hold.")
        if path.is_file():
            yield path
        elif path.is_dir() and not (path / "pyvenv.cfg").exists():
            yield from _files(path)
