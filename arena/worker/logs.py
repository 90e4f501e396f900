"""The part of a program's output that is kept in a log."""

from pathlib import Path

from arena.builds.hosted import MOST_OF_A_LOG

_CUT = "\n… {bytes:,} bytes are left out …\n"


def both_ends(path: Path, most: int = MOST_OF_A_LOG) -> str:
    """Return the beginning and the end of a file, up to `most` bytes; empty if there is none."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size <= most:
                return file.read(most).decode("utf-8", "replace")
            half = (most - 100) // 2
            begin = file.read(half)
            file.seek(size - half)
            end = file.read(half)
    except FileNotFoundError:
        return ""
    cut = _CUT.format(bytes=size - 2 * half)
    return begin.decode("utf-8", "replace") + cut + end.decode("utf-8", "replace")
