"""The `--pace` option: the number of matches per second that house bots play among themselves."""

from typing import Annotated

import typer

from arena.commands.errors import CommandError
from arena.scheduling.pace import FULL_SPEED, WARM_START, read_pace

PaceOption = Annotated[
    str | None,
    typer.Option(
        metavar="N|max",
        help="Matches per second among house bots, or max. Other bots play at full speed.",
    ),
]


def chosen_pace(option: str | None, default: float) -> float:
    """Return the option's pace, or the default. Raises CommandError."""
    if option is None:
        return default
    try:
        return read_pace(option)
    except ValueError as error:
        raise CommandError(f"--pace {option}: {error}.") from error


def pace_in_words(pace: float) -> str:
    """Return a line about the pace, printed when a referee starts."""
    if pace == FULL_SPEED:
        return "House bots play at full speed (--pace max)."
    return (
        f"House bots begin with {WARM_START} matches on each table, then play {pace:g} a second "
        "among themselves (--pace); other bots play at full speed."
    )
