"""The log of a shift: a program's output, each line with the seconds since the shift began.

Example: `12.345 a match begins`. The worker writes the time before every line, so that a program
cannot forge it. Only the line about bytes left out in the middle has no time.
"""

import re
from io import StringIO
from typing import Final

_STAMPED: Final = re.compile(r"([0-9]+\.[0-9]{3}) ")


def stamp(seconds: float) -> bytes:
    """Return the prefix of a line that was printed `seconds` after the shift began."""
    return f"{seconds:.3f} ".encode()


def printed_between(log: str, start: float, end: float) -> str:
    """Return the lines of a log that were printed from `start` to `end`.

    Both are in seconds since the shift began. The line about left-out bytes is included if these
    may be from that time.
    """
    found: list[str] = []
    last, left_out = 0.0, ""
    for line in StringIO(log, newline="\n"):  # split only at \n
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
