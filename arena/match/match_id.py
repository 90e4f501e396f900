"""Validation of match ids."""

import re

_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_match_id(text: str) -> bool:
    """Return whether a text is a UUID as the arena writes it: in lowercase, with dashes."""
    return _UUID.fullmatch(text) is not None
