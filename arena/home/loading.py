"""Loads a bot class by the name of a sample bot or the path of a file.

UserError
└── BotFileError    no such sample, no such file, or a file that does not hold exactly one bot
"""

import importlib.util
import sys
from importlib.resources import files
from inspect import isabstract
from pathlib import Path
from types import ModuleType

from arena.bot.bot import AnyBot, Bot
from arena.errors import UserError

SAMPLE_BOTS = Path(str(files("arena_sample_bots")))
"""The folder in which the sample bots are installed."""


class BotFileError(UserError, ValueError):
    """There is no such bot; the message names the available ones."""


def sample_names(directory: Path = SAMPLE_BOTS) -> tuple[str, ...]:
    """The names of the sample bots: their files without `.py` and `_bot`."""
    return tuple(sorted(file.stem.removesuffix("_bot") for file in directory.glob("[!_]*.py")))


def bot_file(name_or_path: str, directory: Path = SAMPLE_BOTS) -> Path:
    """The file of a sample bot (`honest`) or a path (`my/bot.py`). Raises BotFileError."""
    for file in (directory / f"{name_or_path}.py", directory / f"{name_or_path}_bot.py"):
        if file.parent == directory and file.is_file():
            return file
    path = Path(name_or_path)
    if path.suffix == ".py" and path.is_file():
        return path.resolve()
    known = ", ".join(sample_names(directory))
    raise BotFileError(
        f"There is no bot {name_or_path!r}: give the name of a sample bot ({known}) "
        "or the path of a .py file."
    )


def load_bot(name_or_path: str, directory: Path = SAMPLE_BOTS) -> type[AnyBot]:
    """The bot class of a sample bot or of a file.

    The file runs as a module that can import from its own folder, as with `python my/bot.py`: two
    versions of a bot in two folders each use their own `tables.py`. Raises BotFileError, also for
    a file that cannot be run.
    """
    return _bot_of(bot_file(name_or_path, directory))


def _bot_of(file: Path) -> type[AnyBot]:
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
        except Exception as error:
            del sys.modules[name]
            raise BotFileError(
                f"{file} cannot be loaded: {type(error).__name__}: {error}."
            ) from error
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
