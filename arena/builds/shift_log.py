"""The log of a shift: a program's output, each line with the seconds since the shift began.

`12.345 a match begins`: the worker writes the time before every line, so that a program cannot
forge it. Only the line that gives the amount left out in the middle has none.
"""

import re
from io import StringIO
from typing import Final

_STAMPED: Final = re.compile(r"([0-9]+\.[0-9]{3}) ")


def stamp(seconds: float) -> bytes:
    """Return the prefix of a line that was printed `seconds` after the beginning."""
    return f"{seconds:.3f} ".encode()


def printed_between(log: str, start: float, end: float) -> str:
    """Return the lines of a log that were printed from `start` to `end`.

    These are in seconds since the shift began. The line for what is left out is included if that
    may be from this time.
    """
    found: list[str] = []
    last, left_out = 0.0, ""
    for line in StringIO(log, newline="\n"):  # at no other line separator
        stamped = _STAMPED.match(line)
        if stamped is None:
            left_out += line
            continue
        now = float(stamped[1])
        if left_out and last <= end and start <= now:
            found.append(left_out)
        last, left_out = now, ""
        if start <= now <= end:
            found.append(line)
    return "".join(found)
