"""Files that are replaced as a whole: readers see the old one or the new one, never a part."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Provide a new empty file next to `path` that replaces it atomically at the end.

    After an error it is removed, and `path` is as before. Raises OSError.
    """
    # A unique name: another process may write the same file at the same time.
    beside = path.with_name(f".{path.name}.{uuid4().hex}.new")
    try:
        beside.touch(mode, exist_ok=False)
        yield beside
        os.replace(beside, path)  # noqa: PTH105  atomic
    finally:
        # It still exists if it did not replace `path`.
        with suppress(OSError):
            beside.unlink()
