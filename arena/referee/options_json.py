"""The options of a game in a request, as JSON text."""

import json
from collections.abc import Mapping
from typing import Any

from arena.referee.errors import malformed


def read_options(text: str) -> Mapping[str, Any]:
    """The members of `options_json`; none for "". Raises ProtocolError."""
    try:
        options = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise malformed(f"`options_json` is not JSON: {error}") from error
    if not isinstance(options, dict):
        raise malformed("`options_json` must be a JSON object")
    return options
