"""The log of a shift: what a program printed, each line after the seconds since the shift began.

`12.345 a match begins`: the worker puts the time before every line, so that a program cannot. Only
the line that says how much is left out in the middle has none.
"""

import re
from io import StringIO
from typing import Final

_STAMPED: Final = re.compile(r"([0-9]+\.[0-9]{3}) ")


def stamp(seconds: float) -> bytes:
    """Return what a line begins with that was printed so long after the beginning."""
    return f"{seconds:.3f} ".encode()


def printed_between(log: str, start: float, end: float) -> str:
    """Return the lines of a log that were printed in a time.

    Times are in seconds since the shift began. Includes the line for what is left out, if that may
    be from there.
    """
    found: list[str] = []
    last, left_out = 0.0, ""
    for line in StringIO(log, newline="\n"):  # at nothing else that ends lines
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
