"""Reads transcripts from files, one at a time: one JSON object, or one on each line.

`arena play --transcripts` and `arena export --transcripts` write the second form.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.commands.errors import CommandError

LONGEST: Final = 64 * 2**20
"""The most bytes of one transcript: far more than any match has, but little enough for memory."""


def texts(file: Path) -> Iterator[tuple[int | None, bytes]]:
    """The transcripts of a file, with the numbers of their lines, from 1; None is the whole file.

    A file is one transcript when its first line is not an object by itself. Blank lines are left
    out. Raises OSError, and CommandError for a transcript that is too long.
    """
    with file.open("rb") as opened:
        number, empty = 0, True
        while line := opened.readline(LONGEST + 1):
            number += 1
            if not line.strip():
                continue
            if empty and not line.rstrip().endswith(b"}"):
                text = line + opened.read(LONGEST + 1)
                yield None, _bounded(text, str(file))
                return
            empty = False
            yield number, _bounded(line, f"{file}, line {number}")
        if empty:
            yield None, b""


def _bounded(text: bytes, where: str) -> bytes:
    if len(text) > LONGEST:
        raise CommandError(f"{where}: a transcript has at most {LONGEST // 2**20} MiB.")
    return text
