"""Runs a sample bot or a bot's .py file as a program. The file need not call `run` itself."""

import sys
from pathlib import Path

from arena.bot.bot import AnyBot
from arena.bot.running import run
from arena.local.bot_modules import BotFileError, bot_in
from arena.processes import module_command


def python_command(file: str) -> list[str]:
    """Return the command that starts a bot's file as a program."""
    return module_command("arena.local.programs.python_file", file)


def main(file: str) -> None:
    """Play with the bot in a file."""
    try:
        bot = _bot(file)
    except BotFileError as error:
        sys.exit(str(error))
    run(bot, [])


def _bot(name_or_path: str) -> type[AnyBot]:
    path = Path(name_or_path)
    if path.suffix == ".py" and path.is_file():
        # In the sandbox there are no sample bots, so do not import the code that finds them.
        return bot_in(path.resolve())
    from arena.local.loading import load_bot

    return load_bot(name_or_path)


if __name__ == "__main__":
    main(sys.argv[1])
