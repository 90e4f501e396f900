"""`read_toml`: TOML from outside, read in bounded time.

`tomllib` needs time and memory that grow with the square of the parts of a dotted key: one of 32 kB
takes seconds and a gigabyte.
"""

import re
import tomllib
from typing import Any, Final

from arena.errors import UserError

MOST_CHARACTERS: Final = 32_768
"""The most characters of a text."""
MOST_PARTS: Final = 10
"""The most parts of a key or of a table's name, such as the two of `final.seats`.

Within both bounds no text was found that takes longer than 60 ms: a list of numbers does.
"""
_PART: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
# Keys begin a line, bracketed or not, or follow a brace or comma. What looks like such a key inside
# a string is found, too: rare, and simpler than to know where strings end.
_LONG_KEY: Final = re.compile(
    rf"(?:^|[{{,])[ \t\[]*(?:{_PART}[ \t]*\.[ \t]*){{{MOST_PARTS}}}", re.M
)


class TomlError(UserError):
    """The text is not TOML, or takes too long to read; the message is a predicate of the text."""


def read_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says. Raises TomlError."""
    if len(text) > MOST_CHARACTERS:
        raise TomlError(f"has more than {MOST_CHARACTERS:,} characters")
    if _LONG_KEY.search(text):
        raise TomlError(f"has a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("is nested too deeply") from None
    except ValueError as error:  # not only TOMLDecodeError, as for a number of thousands of digits
        raise TomlError(f"is not TOML: {error}") from error
