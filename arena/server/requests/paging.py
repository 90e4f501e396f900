"""Pages of lists: their size and their token, as calls ask for them."""

from typing import Final

from arena.server.requests.errors import malformed

MOST_LINES: Final = 1_000
"""The most bots, versions or ratings in one answer."""


def page_size(size: int) -> int:
    """Return how many lines a page has; 0 asks for the most. Raises ProtocolError."""
    if not 0 <= size <= MOST_LINES:
        raise malformed(f"`page_size` is 1 to {MOST_LINES}, not {size}")
    return size or MOST_LINES


def page_number(token: str) -> int:
    """Return the number in a page token. Raises ProtocolError."""
    if not (token.isascii() and token.isdigit() and len(token) < 10):
        raise malformed("invalid `page_token`: leave it out for the first page")
    return int(token)
