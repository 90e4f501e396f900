"""Loads the bot class of a file; needs nothing but the file and the SDK.

UserError
└── BotFileError    no such sample, no such file, or a file that does not hold exactly one bot
"""

import importlib.util
import sys
from inspect import isabstract
from pathlib import Path
from types import ModuleType

from arena.bot.bot import AnyBot, Bot
from arena.bot.returned import error_message
from arena.errors import UserError, any_failure


class BotFileError(UserError, ValueError):
    """There is no such bot; the message names the available ones."""


def bot_in(file: Path) -> type[AnyBot]:
    """Return the bot class of a file, as `loading.load_bot`.

    Raises BotFileError.
    """
    name = f"arena_bot_{file.stem}_{abs(hash(file))}"
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

    Modules that imported them keep them.
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
