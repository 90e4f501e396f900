"""The `--time` option: the time control of a table."""

from typing import Annotated

import typer

from arena.commands.errors import CommandError
from arena.match.clock import TimeControl, TimeControlError, read_time_control

TimeOption = Annotated[
    str,
    typer.Option(
        "--time", help="How long seats may think, as in turn=60s,bank=10m; by default 2s and 30s."
    ),
]


def time_control(text: str) -> TimeControl:
    """Return the time control of the option's value; "" is the default.

    Raises CommandError.
    """
    try:
        return read_time_control(text)
    except TimeControlError as error:
        raise CommandError(f"--time {text}: {error}.") from error
