"""Options that list bots, including commands: `honest,./gopher,node bot.js`."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager

from arena.commands.errors import CommandError
from arena.local.bot_modules import BotFileError

_QUOTING = (
    "is split at commas; a command that contains one stands in double quotes: "
    """'"arena bridge --games bluff,bluff_you -- ./bot",honest'."""
)


def listed_bots(option: str, text: str) -> list[str]:
    """Return the bots of the option, separated as the values of a CSV line. Raises CommandError."""
    return listed(option, text, f"{option} {_QUOTING}")


def listed(option: str, text: str, form: str) -> list[str]:
    """Return the values of an option, separated as those of a CSV line.

    Raises CommandError, which ends with the `form` of the option.
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise CommandError(f"{option} {text}: {error}. {form}") from error
    return [word.strip() for row in rows for word in row if word.strip()]


@contextmanager
def quoting_explained(option: str, text: str) -> Iterator[None]:
    """Add how to quote to an unknown bot's error, if a command in the list may have been split."""
    try:
        yield
    except BotFileError as error:
        if " " not in text:
            raise
        raise CommandError(f"{error} {option} {_QUOTING}") from error
