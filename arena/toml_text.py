"""`read_toml`, which reads untrusted TOML in bounded time.

The time and memory that `tomllib` needs grow with the square of the number of parts of a dotted
key: a key of 32 kB takes seconds and a gigabyte.
"""

import re
import tomllib
from typing import Any, Final

from arena.errors import UserError

MOST_CHARACTERS: Final = 32_768
"""The most characters of a text."""
MOST_PARTS: Final = 10
"""The most parts of a key or of a table's name, such as the two of `final.seats`.

Within both bounds, the slowest text found takes 60 ms: a list of numbers.
"""
_PART: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
# Keys begin a line, bracketed or not, or follow a brace or comma. Text in a string that looks like
# such a key is refused, too: this is rare, and simpler than finding where strings end.
_LONG_KEY: Final = re.compile(
    rf"(?:^|[{{,])[ \t\[]*(?:{_PART}[ \t]*\.[ \t]*){{{MOST_PARTS}}}", re.M
)


class TomlError(UserError):
    """The text is not TOML or too slow to read; the message follows a subject ("is not TOML")."""


def read_toml(text: str) -> dict[str, Any]:
    """Return a TOML text parsed. Raises TomlError."""
    if len(text) > MOST_CHARACTERS:
        raise TomlError(f"has more than {MOST_CHARACTERS:,} characters")
    if _LONG_KEY.search(text):
        raise TomlError(f"has a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("is nested too deeply") from None
    except ValueError as error:  # not only TOMLDecodeError: a number may have thousands of digits
        raise TomlError(f"is not TOML: {error}") from error
