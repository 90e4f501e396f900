"""Options that several commands share, and the functions that read their values."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from arena.commands.errors import CommandError
from arena.match.clock import TimeControl, TimeControlError, read_time_control

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

ADDRESS: Final = typer.Option(
    envvar="ARENA_ADDRESS", help="HOST:PORT of the referee, or https://HOST:PORT."
)
AddressOption = Annotated[str, ADDRESS]

DashboardOption = Annotated[
    str,
    typer.Option(
        "--dashboard",
        envvar="ARENA_DASHBOARD",
        metavar="URL",
        help="The address of the arena's pages, for links to them.",
    ),
]

SHOWN: Final = 50
"""The default number of lines of a list."""

Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many to list, also with --json.")]
TableLimit = Annotated[
    int, typer.Option(min=1, max=100_000, help="How many lines; --json has them all.")
]
Search = Annotated[str, typer.Option(help="Only those with this in their name.")]
Prefix = Annotated[
    str, typer.Option("--search", help="Only those whose name begins with this, in any case.")
]

OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", help="An option of the game, as NAME=VALUE. May be repeated."),
]

TimeOption = Annotated[
    str,
    typer.Option(
        "--time", help="How long seats may think, as in turn=60s,bank=10m; by default 2s and 30s."
    ),
]


def game_options(pairs: Sequence[str] | None) -> dict[str, object]:
    """Return the game options of repeated `--option NAME=VALUE` by name. Raises CommandError."""
    options: dict[str, object] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--option: an option is given as NAME=VALUE, not {pair!r}.")
        options[name] = value
    return options


def time_control(text: str) -> TimeControl:
    """Return the time control of the value of `--time`; "" is the default.

    Raises CommandError.
    """
    try:
        return read_time_control(text)
    except TimeControlError as error:
        raise CommandError(f"--time {text}: {error}.") from error
