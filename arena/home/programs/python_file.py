"""Runs a sample bot or a bot's .py file as a program: `python -m arena.home.programs.python_file
FILE`. A file need not call `run` itself for that."""

import sys

from arena.bot.running import run
from arena.home.loading import BotFileError, load_bot


def python_command(file: str) -> list[str]:
    """The command that starts a bot's file as a program."""
    return [sys.executable, "-m", "arena.home.programs.python_file", file]


def main(file: str) -> None:
    """Play with the bot in a file."""
    try:
        bot = load_bot(file)
    except BotFileError as error:
        sys.exit(str(error))
    run(bot, [])


if __name__ == "__main__":
    main(sys.argv[1])
