"""The options of a game in a request, as JSON text."""

import json
from collections.abc import Mapping
from typing import Any, Final

from arena.server.requests.errors import malformed

MOST_CHARACTERS: Final = 20_000
"""The most characters of `options_json`: real options take a tenth of it."""


def read_options(text: str) -> Mapping[str, Any]:
    """Return the members of `options_json`; none for "".

    Raises ProtocolError.
    """
    if len(text) > MOST_CHARACTERS:
        raise malformed(f"`options_json` has at most {MOST_CHARACTERS} characters, not {len(text)}")
    try:
        options = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise malformed(f"`options_json` is not JSON: {error}") from error
    if not isinstance(options, dict):
        raise malformed("`options_json` must be a JSON object")
    return options
