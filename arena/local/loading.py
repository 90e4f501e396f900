"""Finds a bot: a class by its name or file, or a command that starts a program.

Raises BotFileError, see arena.local.bot_modules.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from arena.bot.bot import AnyBot
from arena.builds import house
from arena.local.bot_modules import BotFileError, BotSettings, bot_in

SAMPLE_BOTS = house.SAMPLE_BOTS
"""The folder in which the sample bots are installed."""
_QUOTED = re.compile(r"""("[^"]*"|'[^']*')""")
_SETTING = re.compile(rf"(?P<name>[A-Za-z_]\w*)=(?P<value>({_QUOTED.pattern}|[^\s\"'])*)\s+(?=\S)")
"""A setting before a bot, with the white space after it."""


def sample_names() -> tuple[str, ...]:
    """Return the names of the sample bots: their files without `.py` and `_bot`."""
    return tuple(sorted(file.stem.removesuffix("_bot") for file in SAMPLE_BOTS.glob("[!_]*.py")))


def samples_of(game: str) -> tuple[str, ...]:
    """Return the names of the sample bots that play a game and can be loaded.

    Some need an optional library.
    """
    names = []
    for name in sample_names():
        with suppress(BotFileError):
            if game in load_bot(name).games:
                names.append(name)
    return tuple(names)


def is_python(word: str) -> bool:
    """Whether a word names a sample bot, or is the path of a .py file."""
    return _python_file(word) is not None


def bot_file(name_or_path: str) -> Path:
    """Return the file of a sample bot (`honest`) or a path (`my/bot.py`). Raises BotFileError."""
    found = _python_file(name_or_path)
    if found is None:
        raise _no_bot(name_or_path)
    return found


def _python_file(name_or_path: str) -> Path | None:
    for file in (SAMPLE_BOTS / f"{name_or_path}.py", SAMPLE_BOTS / f"{name_or_path}_bot.py"):
        if file.parent == SAMPLE_BOTS and file.is_file():
            return file
    path = Path(name_or_path)
    return path.resolve() if path.suffix == ".py" and path.is_file() else None


def _no_bot(word: str, why: str = "") -> BotFileError:
    known = ", ".join(sample_names())
    if not why and (word.endswith(".py") or "/" in word):
        why = ": no such file"
    return BotFileError(
        f"There is no bot {word!r}{why}: give the name of a sample bot ({known}), the path of a "
        ".py file, or the command that starts a program, such as ./gopher or 'node bot.js'."
    )


def bot_command(word: str) -> tuple[str, ...]:
    """Return the words of a command that starts a program; empty for a sample bot or a .py file.

    Raises BotFileError if `word` is neither of these.
    """
    if _python_file(word) is not None:
        return ()
    try:
        command = tuple(shlex.split(word))
    except ValueError as error:
        raise _no_bot(word, f" ({error})") from error
    if command and shutil.which(command[0], path=search_path()) is not None:
        return command
    if command and Path(command[0]).is_file():
        program = command[0]
        if "/" not in program:
            raise _no_bot(word, f" (write ./{program} for the file of that name)")
        raise _no_bot(word, f" ({program} is not executable)")
    raise _no_bot(word)


def search_path() -> str:
    """Return the search path for programs: the PATH, then this Python's folder with `arena`."""
    beside = str(Path(sys.executable).parent)
    return os.pathsep.join([os.environ.get("PATH", os.defpath), beside])


def command_name(command: Sequence[str]) -> str:
    """Return a short name for a program: of its last argument that is a file, or else its own."""
    files = [word for word in command[1:] if Path(word).is_file()]
    return Path((files or command)[-1 if files else 0]).stem


def settings_and_bot(word: str) -> tuple[BotSettings, str]:
    """Return the settings before a bot, parsed as a shell would, and the bot itself.

    `DEPTH=3 TEXT='a b' mine.py` has the settings DEPTH and TEXT, and the bot `mine.py`.
    """
    settings = []
    while (found := _SETTING.match(word)) is not None:
        value = _QUOTED.sub(lambda quoted: quoted[0][1:-1], found["value"])
        settings.append((found["name"], value))
        word = word[found.end() :]
    return tuple(settings), word


def load_bot(name_or_path: str, settings: BotSettings = ()) -> type[AnyBot]:
    """Return the bot class of a sample bot or of a file.

    The file runs as a module that can import from its own folder, as with `python my/bot.py`: two
    versions of a bot in two folders each use their own `tables.py`. Raises BotFileError, also if
    the file cannot be run.
    """
    return bot_in(bot_file(name_or_path), settings)
