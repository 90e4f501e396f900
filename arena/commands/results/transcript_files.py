"""A reader of transcripts from files, one at a time: one JSON object, or one on each line.

`arena play --transcripts` and `arena export --transcripts` write the second form.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from arena.commands.errors import CommandError
from arena.match.json_text import JsonTextError, parse
from arena.printable import printable

LONGEST: Final = 4 * 2**20
"""The largest size of one transcript in bytes: far above any match, but small enough for memory."""


def whole_text(file: Path) -> bytes:
    """Return the text of a file with one transcript.

    Raises OSError, and CommandError if it is too long.
    """
    with file.open("rb") as opened:
        return _bounded(opened.read(LONGEST + 1), str(file))


def texts(file: Path) -> Iterator[tuple[int | None, bytes]]:
    """Yield the transcripts of a file with their line numbers, from 1; None is the whole file.

    A file is one transcript if its first line alone is not a complete object. Blank lines are
    skipped. Raises OSError, and CommandError for a transcript that is too long.
    """
    with file.open("rb") as opened:
        first, ahead = 0, b""
        while not ahead.strip():
            first += 1
            ahead = opened.readline(LONGEST + 1)
            if not ahead:
                yield None, b""
                return
        closed = ahead.rstrip().endswith(b"}")
        if not (closed and _is_json(ahead)):
            ahead += opened.read(LONGEST + 1)
            # Otherwise these are lines, and the first one is damaged.
            if not closed or (len(ahead) <= LONGEST and _is_json(ahead)):
                yield None, _bounded(ahead, str(file))
                return
        for number, line in enumerate(_lines(ahead, opened), start=first):
            if line.strip():
                yield number, _bounded(line.rstrip(b"\r\n"), f"{file}, line {number}")


def _lines(ahead: bytes, opened: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of the text read ahead and of the rest, each cut soon after LONGEST."""
    head = BytesIO(ahead)
    while line := head.readline():
        yield line if line.endswith(b"\n") else line + opened.readline(LONGEST + 1)
    while line := opened.readline(LONGEST + 1):
        yield line


def _is_json(text: bytes) -> bool:
    try:
        parse(text)
    except JsonTextError:
        return False
    return True


def _bounded(text: bytes, where: str) -> bytes:
    if len(text) > LONGEST:
        raise CommandError(f"{printable(where)}: a transcript has at most {LONGEST // 2**20} MiB.")
    return text
