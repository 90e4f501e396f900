"""The games of the arena by name; `make_game` makes one from a name and options.

UserError
├── UnknownGameError    no game has this name
└── OptionsError        an option is unknown, malformed or out of bounds
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from arena.errors import UserError
from arena.games.bloeff.kit import KIT as BLOEFF
from arena.games.bluff.kit import KIT as BLUFF
from arena.games.bluff_you.kit import KIT as BLUFF_YOU
from arena.games.game import DEALER, Actor, AnyGame, Game, IllegalActionError, Options, ToAct
from arena.games.kit import GameKit
from arena.games.skull.kit import KIT as SKULL
from arena.validation_errors import shown

__all__ = [
    "DEALER",
    "GAMES",
    "KITS",
    "Actor",
    "AnyGame",
    "Game",
    "GameKit",
    "IllegalActionError",
    "Options",
    "OptionsError",
    "ToAct",
    "UnknownGameError",
    "make_game",
]

_kits = {kit.name: kit for kit in (BLUFF, BLUFF_YOU, BLOEFF, SKULL)}
_games = {name: kit.game for name, kit in _kits.items()}

KITS: Final[Mapping[str, GameKit]] = MappingProxyType(_kits)
"""All games of the arena, by id, in the order in which they are shown."""

GAMES: Final[Mapping[str, type[AnyGame]]] = MappingProxyType(_games)
"""The rules of each game, by id, in the same order as `KITS`."""

_LONGEST: Final = 60
"""The largest number of characters of a value that a message shows."""


class UnknownGameError(UserError, ValueError):
    """The error for a name that no game has; the message lists the known names."""


class OptionsError(UserError, ValueError):
    """The error for invalid options; the message names the option and its allowed values."""


def make_game(name: str, options: Mapping[str, object] | None = None) -> AnyGame:
    """Return the game `name` under its default options, changed by `options`.

    Args:
        name: The game's id, a key of `GAMES`.
        options: Values by option name; they may be strings from a command line, such as "true" or
            "3".

    Raises:
        UnknownGameError: No game has this name.
        OptionsError: An option is unknown, malformed or out of bounds.
    """
    game = GAMES.get(name)
    if game is None:
        raise UnknownGameError(f"there is no game {_shown(name)}; the games are {', '.join(GAMES)}")
    return game(_parsed(game, options or {}))


def _parsed(game: type[AnyGame], options: Mapping[str, object]) -> Options:
    kind = game.options_type
    try:
        return kind.model_validate(dict(options))
    except ValidationError as error:
        refused = {each["loc"] for each in error.errors()}
    # A choice among numbers does not accept "6" for 6; read such words as JSON and look again.
    reread = {
        name: _word_read(value) if (name,) in refused else value for name, value in options.items()
    }
    try:
        return kind.model_validate(reread)
    except ValidationError as error:
        raise OptionsError(f"{game.name}: {_error_text(kind, options, error)}") from error


def _word_read(value: object) -> object:
    """Return a string's JSON value if it has one; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value.lower())
    except (ValueError, RecursionError):
        return value


def _error_text(kind: type[Options], options: Mapping[str, object], error: ValidationError) -> str:
    """Return a message about the first error that quotes the options as they were given."""
    first = error.errors()[0]
    if not first["loc"]:
        return str(first["ctx"]["error"]) if "error" in first.get("ctx", {}) else first["msg"]
    name = str(first["loc"][0])
    properties: dict[str, dict[str, Any]] = kind.model_json_schema()["properties"]
    if name not in properties:
        return f"there is no option {_shown(name)}; the options are {', '.join(properties)}"
    allowed = _allowed(properties[name])
    return f"option {name} is {_shown(options.get(name))}; allowed is {allowed or first['msg']}"


def _shown(value: object) -> str:
    """Return a value's repr, shortened because the message may be sent back to its sender."""
    text = shown(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _allowed(schema: Mapping[str, Any]) -> str:
    """Return the allowed values of an option by its JSON schema; "" if they need several lines."""
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(str(choice) for choice in schema["enum"])
    if schema.get("type") == "boolean":
        return "true, false"
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    if "minimum" in schema:
        return f"{schema['minimum']} or more"
    return ""
