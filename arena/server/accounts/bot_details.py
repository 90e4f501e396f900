"""The details of a bot that its owner may set and pages show: text, language and a link."""

import re
from collections.abc import Mapping
from typing import Final

from arena.database.errors import RequestRefusedError

LONGEST: Final[Mapping[str, int]] = {"text": 1000, "language": 40, "link": 200}
"""The greatest length of each, in characters."""
# No address holds spaces, quotes or angle brackets (RFC 3986); browsers drop links that do.
_LINK = re.compile(r"""https?://[^\s"<>/?#\\@]+(?:[/?#][^\s"<>]*)?""")


def checked(field: str, words: str) -> str:
    """Return the words as they are stored. Raises RequestRefusedError."""
    words = words.replace("\r\n", "\n").strip()
    if len(words) > LONGEST[field]:
        raise RequestRefusedError(
            f"The {field} has {len(words)} characters; allowed are {LONGEST[field]}."
        )
    if not all(one.isprintable() or (one == "\n" and field == "text") for one in words):
        raise RequestRefusedError(f"The {field} holds characters that cannot be shown.")
    if field == "link" and words and not _LINK.fullmatch(words):
        raise RequestRefusedError(
            "The link is no address of a page: write it in full, beginning with https://."
        )
    return words
