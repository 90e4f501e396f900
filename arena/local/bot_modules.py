"""Loads the bot class in a file; needs only the file and the SDK.

UserError
└── BotFileError    no such sample, no such file, or a file that does not hold exactly one bot
"""

import importlib.util
import sys
from collections.abc import Callable
from functools import wraps
from inspect import isabstract
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from arena.bot.bot import AnyBot, Bot
from arena.bot.returned import error_message
from arena.errors import UserError, any_failure
from arena.processes import changed_variables

BotSettings: TypeAlias = tuple[tuple[str, str], ...]
"""The settings of a bot: names and values of environment variables."""

_CALLED = (
    *("__init__", "match_started", "act", "turn_refused", "match_ended", "match_called_off"),
    "probabilities",
)
"""The methods of a bot that are called from outside."""
_AS_WRITTEN = "_class_as_written"


class BotFileError(UserError, ValueError):
    """There is no such bot; the message names the available ones."""


def bot_in(file: Path, settings: BotSettings = ()) -> type[AnyBot]:
    """Return the bot class in a file, like `loading.load_bot`.

    A bot with settings has a module of its own, and its methods run with only its own settings, so
    that bots with other settings can play in the same process.

    Raises BotFileError.
    """
    if settings:
        with changed_variables(dict(settings)):
            return _with_settings(_bot_in(file, settings), settings)
    return _bot_in(file, settings)


def _with_settings(kind: type[AnyBot], settings: BotSettings) -> type[AnyBot]:
    """Return a class whose methods run with these settings."""

    def within(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any) -> Any:
            with changed_variables(dict(settings)):
                return method(*arguments)

        return call

    methods = {name: within(getattr(kind, name)) for name in _CALLED}
    return type(kind.__name__, (kind,), {**methods, _AS_WRITTEN: kind})


def as_written(kind: type[AnyBot]) -> type[AnyBot]:
    """Return a bot's class as its author wrote it, without the methods that settings wrap."""
    written: type[AnyBot] = vars(kind).get(_AS_WRITTEN, kind)
    return written


def _bot_in(file: Path, settings: BotSettings) -> type[AnyBot]:
    name = f"arena_bot_{file.stem}_{abs(hash((file, settings)))}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise BotFileError(f"{file} cannot be loaded as Python.")
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        sys.path.append(str(file.parent))
        before = set(sys.modules)
        try:
            spec.loader.exec_module(module)
        except any_failure() as error:
            del sys.modules[name]
            raise BotFileError(f"{file} cannot be loaded: {error_message(error)}.") from error
        finally:
            sys.path.remove(str(file.parent))
            _forget_neighbours(file.parent, set(sys.modules) - before - {name})
    bots = [
        value
        for value in vars(sys.modules[name]).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and not isabstract(value)
        and value.__module__ == name
    ]
    if len(bots) != 1:
        found = ", ".join(bot.__name__ for bot in bots) or "none"
        raise BotFileError(f"{file} must define exactly one bot; it defines {found}.")
    return bots[0]


def _forget_neighbours(folder: Path, imported: set[str]) -> None:
    """Remove a folder's modules from `sys.modules`, so that the next bot imports its own.

    Modules that have imported them keep their references.
    """
    tops = {name.partition(".")[0] for name in imported}
    neighbours = {top for top in tops & imported if _lies_in(folder, sys.modules[top])}
    for name in imported:
        if name.partition(".")[0] in neighbours:
            del sys.modules[name]


def _lies_in(folder: Path, module: ModuleType) -> bool:
    spec = module.__spec__
    if spec is None:
        return False
    places = list(spec.submodule_search_locations or [])
    if spec.origin is not None and spec.has_location:
        places.append(spec.origin)
    return any(Path(place).parent == folder for place in places)
